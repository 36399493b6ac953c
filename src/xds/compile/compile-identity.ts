/**
 * The headers by which backends identify the client, as in the embedded gateway (`forwarded-headers.ts`). What a client says about itself is dropped before
 * anything else reads it.
 */
import { HeaderValueOption_HeaderAppendAction } from "../gen/envoy/config/core/v3/base_pb.ts";
import { HeaderMutationSchema as FilterSchema } from "../gen/envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import type { HttpConnectionManagerSchema } from "../gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { HeaderMutationSchema as EarlyMutationSchema } from "../gen/envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation_pb.ts";
import { type Init, pack } from "../protobuf.ts";
import { HEADER_MUTATION, type HeaderMutation, removeHeader, writeHeader } from "./header-mutation.ts";
import { type HttpFilterInit, httpFilter } from "./http-filters/http-filter.ts";

export interface EnvoyIdentity {
  readonly manager: Pick<
    Init<typeof HttpConnectionManagerSchema>,
    "useRemoteAddress" | "xffNumTrustedHops" | "skipXffAppend" | "earlyHeaderMutationExtensions"
  >;
  readonly filters: readonly HttpFilterInit[];
}

const { ADD_IF_ABSENT, OVERWRITE_IF_EXISTS_OR_ADD } = HeaderValueOption_HeaderAppendAction;

const removeAll = (prefix: string): HeaderMutation => ({
  action: {
    case: "removeOnMatch",
    value: { keyMatcher: { matchPattern: { case: "prefix", value: prefix } } },
  },
});

const ALWAYS_DROPPED: readonly HeaderMutation[] = [
  removeAll("x-envoy-"),
  removeHeader("forwarded"),
  removeHeader("x-real-ip"),
];

/** Without trusted proxies the address of the connection is the client's. */
const UNTRUSTED: readonly HeaderMutation[] = [
  ...ALWAYS_DROPPED,
  removeAll("x-forwarded-"),
  writeHeader("x-forwarded-for", "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%", OVERWRITE_IF_EXISTS_OR_ADD),
  writeHeader("x-forwarded-host", "%REQ(:AUTHORITY)%", OVERWRITE_IF_EXISTS_OR_ADD),
];

const TRUSTED: readonly HeaderMutation[] = [
  ...ALWAYS_DROPPED,
  removeHeader("x-forwarded-client-cert"),
  writeHeader("x-forwarded-host", "%REQ(:AUTHORITY)%", ADD_IF_ABSENT),
];

/** Envoy finds the client behind trusted proxies only after the early mutations. */
const CLIENT_FILTER = httpFilter(
  HEADER_MUTATION,
  pack(FilterSchema, {
    mutations: {
      requestMutations: [
        writeHeader("x-forwarded-for", "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%", OVERWRITE_IF_EXISTS_OR_ADD),
      ],
    },
  }),
);

/** `trustedHops`: the number of trusted proxies in front. */
export const compileIdentity = (trustedHops: number): EnvoyIdentity => ({
  manager: {
    // Also prevents that headers of clients change retries and timeouts.
    useRemoteAddress: true,
    xffNumTrustedHops: trustedHops,
    skipXffAppend: true,
    earlyHeaderMutationExtensions: [
      {
        name: "envoy.http.early_header_mutation.header_mutation",
        typedConfig: pack(EarlyMutationSchema, { mutations: [...(trustedHops === 0 ? UNTRUSTED : TRUSTED)] }),
      },
    ],
  },
  filters: trustedHops === 0 ? [] : [CLIENT_FILTER],
});
