/** Compiles endpoints for Envoy. */
import type { Endpoint, EndpointsId } from "../../core/dataplane/gateway-config.ts";
import type { AddressSchema } from "../gen/envoy/config/core/v3/address_pb.ts";
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from "../gen/envoy/config/endpoint/v3/endpoint_pb.ts";
import { create, type Init } from "../protobuf.ts";
import { loadAssignmentName } from "./resource-names.ts";

export function compileLoadAssignment(id: EndpointsId, endpoints: readonly Endpoint[]): ClusterLoadAssignment {
  const lbEndpoints = endpoints.map(
    ({ address, port }) =>
      ({ hostIdentifier: { case: "endpoint", value: { address: socketAddress(address, port) } } }) as const,
  );
  return create(ClusterLoadAssignmentSchema, {
    clusterName: loadAssignmentName(id),
    endpoints: lbEndpoints.length === 0 ? [] : [{ lbEndpoints }],
  });
}

export const socketAddress = (address: string, port: number): Init<typeof AddressSchema> => ({
  address: {
    case: "socketAddress",
    value: { address, portSpecifier: { case: "portValue", value: port } },
  },
});
