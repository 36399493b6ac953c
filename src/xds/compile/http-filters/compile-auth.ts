/**
 * Compiles ExternalAuth filters. A listener always has the filter, disabled; a route contains the whole configuration of its check. So a route and its check
 * take effect together, also on connections of an older listener: there is no moment at which requests are forwarded without the check.
 */
import { AUTH_OWN_HEADERS } from "../../../core/dataplane/auth-headers.ts";
import { EDGE_LIMITS } from "../../../core/dataplane/edge-limits.ts";
import type { AuthConfig, BackendConfig } from "../../../core/dataplane/gateway-config.ts";
import { ApiVersion } from "../../gen/envoy/config/core/v3/config_source_pb.ts";
import {
  ExtensionWithMatcherPerRouteSchema,
  ExtensionWithMatcherSchema,
} from "../../gen/envoy/extensions/common/matching/v3/extension_matcher_pb.ts";
import {
  CompositeSchema,
  ExecuteFilterActionSchema,
} from "../../gen/envoy/extensions/filters/http/composite/v3/composite_pb.ts";
import { ExtAuthzSchema } from "../../gen/envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.ts";
import type { ListStringMatcherSchema } from "../../gen/envoy/type/matcher/v3/string_pb.ts";
import type { MatcherSchema } from "../../gen/xds/type/matcher/v3/matcher_pb.ts";
import { type Any, duration, type Init, pack } from "../../protobuf.ts";
import type { ClusterName } from "../resource-names.ts";

/** The name of the filter. */
export const AUTH = "prevail.external-auth";

const COMPOSITE = "envoy.filters.http.composite";
const EXT_AUTHZ = "envoy.filters.http.ext_authz";

/** Executes a filter whatever the request is. */
const executing = (name: string, typedConfig: Any): Init<typeof MatcherSchema> => ({
  onNoMatch: {
    onMatch: {
      case: "action",
      value: { name, typedConfig: pack(ExecuteFilterActionSchema, { typedConfig: { name, typedConfig } }) },
    },
  },
});

/** Without a cluster every check fails, and requests get a 403. */
const DENIES_ALL: Any = pack(ExtAuthzSchema, {
  services: {
    case: "grpcService",
    value: { targetSpecifier: { case: "envoyGrpc", value: { clusterName: "prevail closed" } } },
  },
  transportApiVersion: ApiVersion.V3,
});

/** The filter without a route's check. */
export const NO_AUTH: Any = pack(ExtensionWithMatcherSchema, {
  extensionConfig: { name: COMPOSITE, typedConfig: pack(CompositeSchema, {}) },
  xdsMatcher: executing(EXT_AUTHZ, DENIES_ALL),
});

/** The settings of a route. */
export const compileAuth = (auth: AuthConfig, cluster: ClusterName): Any =>
  pack(ExtensionWithMatcherPerRouteSchema, {
    xdsMatcher: executing(EXT_AUTHZ, pack(ExtAuthzSchema, check(auth, cluster))),
  });

function check(auth: AuthConfig, cluster: ClusterName): Init<typeof ExtAuthzSchema> {
  const { maxBodyBytes, allowedHeaders } = auth;
  return {
    transportApiVersion: ApiVersion.V3,
    services: auth.protocol === "GRPC" ? grpcService(auth, cluster) : httpService(auth, cluster),
    // A longer body gets a 413.
    ...(maxBodyBytes === 0 ? {} : { withRequestBody: { maxRequestBytes: maxBodyBytes, packAsBytes: true } }),
    // Without a list HTTP sends only the headers that are always sent, and gRPC sends all.
    ...(allowedHeaders.length === 0 ? {} : { allowedHeaders: names(allowedHeaders) }),
    decoderHeaderMutationRules: { disallowSystem: true, disallowExpression: { regex: AUTH_OWN_HEADERS } },
  };
}

type Service = NonNullable<Init<typeof ExtAuthzSchema>["services"]>;

/** The default of the authority would be the name of the cluster, which is not a host. */
const grpcService = ({ backend }: AuthConfig, clusterName: ClusterName): Service => ({
  case: "grpcService",
  value: {
    targetSpecifier: { case: "envoyGrpc", value: { clusterName, authority: hostOf(backend) } },
    timeout: duration(EDGE_LIMITS.authMs),
  },
});

const hostOf = ({ object }: BackendConfig): string => `${object.name}.${object.namespace}`;

const httpService = ({ path, allowedResponseHeaders, backend }: AuthConfig, cluster: ClusterName): Service => ({
  case: "httpService",
  value: {
    serverUri: {
      uri: `http://${hostOf(backend)}`,
      httpUpstreamType: { case: "cluster", value: cluster },
      timeout: duration(EDGE_LIMITS.authMs),
    },
    pathPrefix: path,
    authorizationResponse: {
      allowedUpstreamHeaders: allowedResponseHeaders.length === 0 ? EVERY_NAME : names(allowedResponseHeaders),
    },
  },
});

const names = (list: readonly string[]): Init<typeof ListStringMatcherSchema> => ({
  patterns: list.map((name) => ({ matchPattern: { case: "exact", value: name }, ignoreCase: true }) as const),
});

const EVERY_NAME: Init<typeof ListStringMatcherSchema> = {
  patterns: [{ matchPattern: { case: "safeRegex", value: { regex: ".+" } } }],
};
