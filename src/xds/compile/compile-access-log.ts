/** Configures the access log that an Envoy writes to its standard output. `parse-access-line.ts` reads it. */
import type { AccessLogSchema } from "../gen/envoy/config/accesslog/v3/accesslog_pb.ts";
import { StdoutAccessLogSchema } from "../gen/envoy/extensions/access_loggers/stream/v3/stream_pb.ts";
import { type Init, type JsonObject, pack } from "../protobuf.ts";
import { retryCountersOf } from "./retry-counters.ts";

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

/** For connections that are not HTTP. `connection` distinguishes such a line. */
const CONNECTION_FORMAT = {
  connection: "%CONNECTION_ID%",
  time: "%START_TIME(%s.%3f)%",
  client: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%",
  serverName: "%REQUESTED_SERVER_NAME%",
  receivedBytes: "%BYTES_RECEIVED%",
  sentBytes: "%BYTES_SENT%",
  durationMs: "%DURATION%",
  cluster: "%UPSTREAM_CLUSTER_RAW%",
  flags: "%RESPONSE_FLAGS%",
  details: "%CONNECTION_TERMINATION_DETAILS%",
} as const;

export type AccessField = keyof typeof FORMAT | keyof typeof CONNECTION_FORMAT | "port";

/** `Stdout`: a line per request or connection, for the process that started the Envoy. `Counters`: counters that the Envoy sends to the xDS server. */
export type AccessLogging = "Stdout" | "Counters" | "None";

/** `port` is the port in the configuration, and `gateway` is `namespace/name`. */
export function accessLogsOf(logs: AccessLogging, port: number, gateway: string): Init<typeof AccessLogSchema>[] {
  switch (logs) {
    case "Stdout":
      return [accessLogOf(port)];
    case "Counters":
      return [retryCountersOf(gateway)];
    case "None":
      return [];
  }
}

const accessLogOf = (port: number): Init<typeof AccessLogSchema> => stdoutLog({ ...FORMAT, port: String(port) });

/** `route` names the rule. Empty: no route matches. */
export const connectionLogOf = (port: number, route: string): Init<typeof AccessLogSchema> =>
  stdoutLog({ ...CONNECTION_FORMAT, port: String(port), route: route === "" ? "-" : route.replaceAll("%", "%%") });

const stdoutLog = (format: JsonObject): Init<typeof AccessLogSchema> => ({
  name: "envoy.access_loggers.stdout",
  configType: {
    case: "typedConfig",
    value: pack(StdoutAccessLogSchema, {
      accessLogFormat: { case: "logFormat", value: { format: { case: "jsonFormat", value: format } } },
    }),
  },
});
