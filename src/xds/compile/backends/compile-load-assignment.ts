/** Compiles endpoints for Envoy. */
import type { Endpoint, EndpointsId } from "../../../core/dataplane/gateway-config.ts";
import { type AddressSchema, SocketAddress_Protocol } from "../../gen/envoy/config/core/v3/address_pb.ts";
import type { LbEndpointSchema } from "../../gen/envoy/config/endpoint/v3/endpoint_components_pb.ts";
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from "../../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { create, type Init } from "../../protobuf.ts";
import { loadAssignmentName } from "../resource-names.ts";

export function compileLoadAssignment(id: EndpointsId, endpoints: readonly Endpoint[]): ClusterLoadAssignment {
  return create(ClusterLoadAssignmentSchema, {
    clusterName: loadAssignmentName(id),
    endpoints: endpoints.length === 0 ? [] : [{ lbEndpoints: lbEndpoints(endpoints) }],
  });
}

export const lbEndpoints = (endpoints: readonly Endpoint[]): Init<typeof LbEndpointSchema>[] =>
  endpoints.map(({ address, port }) => ({
    hostIdentifier: { case: "endpoint", value: { address: socketAddress(address, port) } },
  }));

export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
}

export const socketAddress = (
  address: string,
  port: number,
  protocol: SocketAddress_Protocol = SocketAddress_Protocol.TCP,
): Init<typeof AddressSchema> => ({
  address: {
    case: "socketAddress",
    value: { protocol, address, portSpecifier: { case: "portValue", value: port } },
  },
});
