/** Changes of headers, as Envoy's filters for requests and responses take them. */
import type { HeaderMutationSchema } from "../gen/envoy/config/common/mutation_rules/v3/mutation_rules_pb.ts";
import type { HeaderValueOption_HeaderAppendAction } from "../gen/envoy/config/core/v3/base_pb.ts";
import type { Init } from "../protobuf.ts";

export type HeaderMutation = Init<typeof HeaderMutationSchema>;

export const HEADER_MUTATION = "envoy.filters.http.header_mutation";

export const removeHeader = (name: string): HeaderMutation => ({ action: { case: "remove", value: name } });

/** `value` may have variables of Envoy's access log. */
export const writeHeader = (
  key: string,
  value: string,
  appendAction: HeaderValueOption_HeaderAppendAction,
): HeaderMutation => ({ action: { case: "append", value: { header: { key, value }, appendAction } } });
