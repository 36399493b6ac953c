/** Configures the access log that an Envoy writes to its standard output. `parse-access-line.ts` reads it. */
import type { AccessLogSchema } from "../gen/envoy/config/accesslog/v3/accesslog_pb.ts";
import { StdoutAccessLogSchema } from "../gen/envoy/extensions/access_loggers/stream/v3/stream_pb.ts";
import { type Init, pack } from "../protobuf.ts";

/** Envoy keeps number types, and writes null for a missing value. */
const FORMAT = {
  time: "%START_TIME(%s.%3f)%",
  client: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
  protocol: "%PROTOCOL%",
  method: "%REQ(:METHOD)%",
  host: "%REQ(:AUTHORITY)%",
  path: "%REQ(:PATH)%",
  userAgent: "%REQ(USER-AGENT)%",
  status: "%RESPONSE_CODE%",
  responseBytes: "%BYTES_SENT%",
  durationMs: "%DURATION%",
  route: "%ROUTE_NAME%",
  cluster: "%UPSTREAM_CLUSTER_RAW%",
  attempts: "%UPSTREAM_REQUEST_ATTEMPT_COUNT%",
  flags: "%RESPONSE_FLAGS%",
  details: "%RESPONSE_CODE_DETAILS%",
} as const;

export type AccessField = keyof typeof FORMAT | "port";

/** `port` is the port in the configuration. */
export const accessLogOf = (port: number): Init<typeof AccessLogSchema> => ({
  name: "envoy.access_loggers.stdout",
  configType: {
    case: "typedConfig",
    value: pack(StdoutAccessLogSchema, {
      accessLogFormat: {
        case: "logFormat",
        value: { format: { case: "jsonFormat", value: { ...FORMAT, port: String(port) } } },
      },
    }),
  },
});
