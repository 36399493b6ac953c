/** Compiles a UDP port to a listener. */
import type { EdgeLimits } from "../../../core/dataplane/edge-limits.ts";
import type { PortConfig } from "../../../core/dataplane/gateway-config.ts";
import { SocketAddress_Protocol } from "../../gen/envoy/config/core/v3/address_pb.ts";
import { type Listener, ListenerSchema } from "../../gen/envoy/config/listener/v3/listener_pb.ts";
import { RouteSchema } from "../../gen/envoy/extensions/filters/udp/udp_proxy/v3/route_pb.ts";
import { UdpProxyConfigSchema } from "../../gen/envoy/extensions/filters/udp/udp_proxy/v3/udp_proxy_pb.ts";
import { create, duration, pack } from "../../protobuf.ts";
import { type ListenerAddress, socketAddress } from "../backends/compile-load-assignment.ts";
import type { ListenerName } from "../resource-names.ts";
import { CLOSED, clusterOf, mixName, rulesOf, sharesOf } from "./stream-rules.ts";

/** Each client address is a session with one endpoint. */
export function compileUdpListener(
  name: ListenerName,
  { listeners: [listener] }: PortConfig,
  { host, port }: ListenerAddress,
  { udpIdleMs }: EdgeLimits,
): Listener {
  const [first] = listener === undefined ? [] : rulesOf(listener);
  const shares = first === undefined ? [] : sharesOf(first.rule);
  const [only] = shares;
  const single = only === undefined ? CLOSED : clusterOf(only);
  const cluster = first !== undefined && shares.length > 1 ? mixName(first.rule) : single;
  const proxy = pack(UdpProxyConfigSchema, {
    statPrefix: name,
    idleTimeout: duration(udpIdleMs),
    routeSpecifier: {
      case: "matcher",
      value: {
        onNoMatch: {
          onMatch: { case: "action", value: { name: "route", typedConfig: pack(RouteSchema, { cluster }) } },
        },
      },
    },
  });
  return create(ListenerSchema, {
    name,
    address: socketAddress(host, port, SocketAddress_Protocol.UDP),
    udpListenerConfig: {},
    listenerFilters: [
      { name: "envoy.filters.udp_listener.udp_proxy", configType: { case: "typedConfig", value: proxy } },
    ],
  });
}
