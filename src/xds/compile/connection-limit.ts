/** The limit on the connections of clients, as a filter before all others of a chain. */
import type { EdgeLimits } from "../../core/dataplane/edge-limits.ts";
import type { FilterSchema } from "../gen/envoy/config/listener/v3/listener_components_pb.ts";
import { ConnectionLimitSchema } from "../gen/envoy/extensions/filters/network/connection_limit/v3/connection_limit_pb.ts";
import { type Init, pack } from "../protobuf.ts";

/** How much of what one side sends may wait in Envoy for the other side. Bodies that are kept for a retry have a limit of their own. */
export const BUFFER_BYTES = 65_536;

/** Each chain counts its own connections. */
export const connectionLimit = (statPrefix: string, { maxConnections }: EdgeLimits): Init<typeof FilterSchema> => ({
  name: "envoy.filters.network.connection_limit",
  configType: {
    case: "typedConfig",
    value: pack(ConnectionLimitSchema, { statPrefix, maxConnections: BigInt(maxConnections) }),
  },
});
