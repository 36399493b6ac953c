/** The HTTP options of clusters: the timeout of an attempt, and the filters that a response passes before Envoy decides about a retry. */
import { EDGE_LIMITS } from "../../../core/dataplane/edge-limits.ts";
import { RATE_LIMITED_HEADER, WAITED_HEADER } from "../../../core/dataplane/own-headers.ts";
import type { ClusterSchema } from "../../gen/envoy/config/cluster/v3/cluster_pb.ts";
import { HeaderValueOption_HeaderAppendAction } from "../../gen/envoy/config/core/v3/base_pb.ts";
import { HeaderMutationSchema } from "../../gen/envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb.ts";
import { UpstreamCodecSchema } from "../../gen/envoy/extensions/filters/http/upstream_codec/v3/upstream_codec_pb.ts";
import { HttpProtocolOptionsSchema } from "../../gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { type Any, duration, type Init, pack } from "../../protobuf.ts";
import { HEADER_MUTATION, type HeaderMutation, removeHeader, writeHeader } from "../header-mutation.ts";
import { httpFilter } from "../http-filters/http-filter.ts";

export type HttpVersion = "HTTP/1.1" | "HTTP/2";

const PROTOCOL_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

type WithOptions = Pick<Init<typeof ClusterSchema>, "typedExtensionProtocolOptions">;

/** The timeout of a cluster fires after that of a route (`per_try_timeout`), which counts for the health of the endpoint. */
const LATER_MS = 2;

/** `tryTimeoutMs` covers the whole response of an attempt. `per_try_timeout` of a route covers only the head. */
export const upstreamOptions = (version: HttpVersion, tryTimeoutMs: number | undefined): WithOptions =>
  optionsOf(httpOptions(version, tryTimeoutMs, [removeHeader(RATE_LIMITED_HEADER), removeHeader(WAITED_HEADER)]));

/**
 * The options of a composite cluster. Envoy uses its filters instead of those of the cluster that gets an attempt. They also see the responses of waits, so
 * the header that marks a wait is not removed but overwritten with the address that the response came from.
 */
export const compositeOptions = (): WithOptions =>
  optionsOf(httpOptions("HTTP/1.1", undefined, [removeHeader(RATE_LIMITED_HEADER), OVERWRITE_WAITED]));

const optionsOf = (options: Any): WithOptions => ({ typedExtensionProtocolOptions: { [PROTOCOL_OPTIONS]: options } });

/** Waits have an address inside of Envoy, which no endpoint of a Service can have. */
export const INSIDE_ENVOY = "envoy://";

const OVERWRITE_WAITED = writeHeader(
  WAITED_HEADER,
  "%UPSTREAM_HOST%",
  HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS,
);

const httpOptions = (
  version: HttpVersion,
  tryTimeoutMs: number | undefined,
  responseMutations: HeaderMutation[],
): Any =>
  pack(HttpProtocolOptionsSchema, {
    commonHttpProtocolOptions: {
      idleTimeout: duration(EDGE_LIMITS.upstreamKeepAliveMs),
      ...(tryTimeoutMs === undefined ? {} : { maxStreamDuration: duration(tryTimeoutMs + LATER_MS) }),
    },
    upstreamProtocolOptions: {
      case: "explicitHttpConfig",
      value: {
        protocolConfig:
          version === "HTTP/2"
            ? { case: "http2ProtocolOptions", value: {} }
            : { case: "httpProtocolOptions", value: {} },
      },
    },
    // No response is a failure of the endpoint, whatever its status.
    outlierDetection: {
      errorMatcher: { rule: { case: "notMatch", value: { rule: { case: "anyMatch", value: true } } } },
    },
    httpFilters: [
      httpFilter(HEADER_MUTATION, pack(HeaderMutationSchema, { mutations: { responseMutations } })),
      httpFilter("envoy.filters.http.upstream_codec", pack(UpstreamCodecSchema, {})),
    ],
  });
