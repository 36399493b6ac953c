import type { HttpFilterSchema } from "../../gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import type { Any, Init } from "../../protobuf.ts";

export type HttpFilterInit = Init<typeof HttpFilterSchema>;

/** A filter for HTTP, of a listener or of a cluster, with its settings. */
export const httpFilter = (name: string, value: Any): HttpFilterInit => ({
  name,
  configType: { case: "typedConfig", value },
});
