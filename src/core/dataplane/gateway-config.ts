/**
 * The configuration of each gateway, as plain data. The embedded gateway and Envoy are both configured from it, so that they behave the same.
 * Defaults are filled in, references are resolved and precedence is decided, so a reader does not need to know Gateway API. Endpoints are
 * a separate table, because they change independently. Key material is never part of it.
 *
 * A part that a change did not affect is the same object as before, so readers can find the differences by identity.
 */
import type { ObjectRef } from "../model/refs.ts";
import type { RetryBudget } from "../retry/retry-budget.ts";
import type { RetryPlan } from "../retry/retry-schedule.ts";
import type { RouteMatch } from "../routing/route-match.ts";

/** The configuration of all Gateways of an evaluation. */
export interface DataplaneConfig {
  /** Sorted by namespace and name. */
  readonly gateways: readonly GatewayConfig[];
  /** The backends that rules use. */
  readonly backends: ConfigTable<BackendId, BackendConfig>;
  /** The endpoints of the backends. The list is empty if a Service has none. */
  readonly endpoints: ConfigTable<EndpointsId, readonly Endpoint[]>;
  /** The settings that are not carried out, sorted by object and field. */
  readonly problems: readonly ConfigProblem[];
}

/** A read-only table without a defined order. A Map is a ConfigTable. */
export interface ConfigTable<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  forEach(visit: (value: V, key: K) => void): void;
}

/** A setting that is not carried out. The message says what happens instead. */
export interface ConfigProblem {
  readonly object: ObjectRef;
  readonly field: string;
  readonly message: string;
  /** True if the setting is left out and everything else of the object is carried out. */
  readonly isIgnored?: true;
}

/** The configuration of one Gateway. */
export interface GatewayConfig {
  readonly gateway: ObjectRef;
  readonly className: string;
  /** The controller of its GatewayClass. Undefined: the class does not exist. */
  readonly controllerName: string | undefined;
  /** The certificate for backends with TLS: a Secret that may be referenced; it may not exist. Undefined: none. */
  readonly clientCertificate: ObjectRef | undefined;
  /** Sorted by port number. */
  readonly ports: readonly PortConfig[];
}

/** The listeners of one port. TCP and UDP ports of the same number are two ports. */
export interface PortConfig {
  readonly port: number;
  /** `TLS`: a connection begins with a TLS handshake, whose server name selects one of the HTTPS and TLS listeners. */
  readonly protocol: "HTTP" | "TLS" | "TCP" | "UDP";
  /**
   * The more specific hostname first. Only the first listener that matches the host serves a request or a connection (listener isolation).
   * A TCP or UDP port has one listener.
   */
  readonly listeners: readonly ListenerConfig[];
}

/** One listener of a Gateway or of one of its ListenerSets, with its virtual hosts. */
export interface ListenerConfig {
  /** The Gateway, or one of its ListenerSets. */
  readonly owner: ObjectRef;
  readonly name: string;
  /** `TLS`, `TCP` and `UDP`: bytes are forwarded as they are, not as HTTP requests. */
  readonly protocol: "HTTP" | "HTTPS" | "TLS" | "TCP" | "UDP";
  /** In lower case. Undefined: every host. */
  readonly hostname: string | undefined;
  /** Always `Terminate` for HTTPS. `Passthrough`: the backend has the certificate. Undefined: the protocol is without TLS. */
  readonly tls: "Terminate" | "Passthrough" | undefined;
  /** At least one if TLS is terminated, else none. Each is a Secret that may be referenced; it may not exist. */
  readonly certificates: readonly ObjectRef[];
  /** HTTPS: how certificates of clients are validated. Undefined: clients need none. */
  readonly clients: ClientValidationConfig | undefined;
  /**
   * The more specific hostname first. A request whose host matches none of them gets a 404. If no route of the first virtual host matches,
   * the next one that matches the host is used.
   *
   * TLS, TCP and UDP: the host is the TLS server name. A connection whose host matches none of them is closed. Routes match every
   * connection, so the first route of the first virtual host is used. It forwards connections, or closes them where a request would get
   * a 500.
   */
  readonly virtualHosts: readonly VirtualHostConfig[];
}

/** The validation of the certificates of clients. */
export interface ClientValidationConfig {
  /** ConfigMaps with `ca.crt`; each may not exist. At least one. Without any of them the listener must not be served. */
  readonly authorities: readonly ObjectRef[];
  /** `AllowInsecureFallback`: clients without a certificate, or with an invalid one, are served, too. */
  readonly mode: "AllowValidOnly" | "AllowInsecureFallback";
}

/** The routes of a listener for one hostname. */
export interface VirtualHostConfig {
  /** In lower case. `*` matches every host, `*.example.com` one or more labels before `.example.com`. */
  readonly hostname: string;
  /** In the order of precedence: the first route that matches is used. */
  readonly routes: readonly RouteConfig[];
}

/** One match of one rule of a route. */
export interface RouteConfig {
  readonly match: RouteMatch;
  /** All matches of a rule share this object. */
  readonly rule: RuleConfig;
}

/** One rule of a route: its filters, its action and its timeout. */
export interface RuleConfig {
  readonly route: ObjectRef;
  /** The name of the rule, or `rule-2` for the second rule if it has no name. */
  readonly rule: string;
  readonly filters: readonly FilterConfig[];
  readonly action: ActionConfig;
  /** From the first byte of the request to the last byte of the response. Undefined: no limit. */
  readonly requestTimeoutMs: number | undefined;
}

/** The action of a rule: forwards the request, redirects it, or responds with an error. */
export type ActionConfig =
  | { readonly type: "Forward"; readonly backends: readonly WeightedBackendConfig[] }
  | { readonly type: "Redirect"; readonly redirect: RedirectConfig }
  /** The rule has no usable backend. The reason is for logs and users, never for clients. */
  | { readonly type: "Respond"; readonly status: 500; readonly reason: string };

/** A backendRef with a weight above 0. A rule that forwards has at least one. */
export interface WeightedBackendConfig {
  readonly weight: number;
  readonly target: BackendTarget;
}

/** The target of a backendRef: a backend, or the reason why it cannot be used. */
export type BackendTarget =
  | {
      readonly type: "Backend";
      readonly backend: BackendConfig;
      /** The filters of the backendRef, which run after those of the rule. */
      readonly filters: readonly FilterConfig[];
      /** Undefined: no retries. */
      readonly retry: RetryConfig | undefined;
      /** The timeout of one attempt, until the last byte of its response. Undefined: no limit. */
      readonly backendRequestTimeoutMs: number | undefined;
      /** The session of the rule, else that of the backend. Undefined: requests of a client may go to any endpoint. */
      readonly session: SessionConfig | undefined;
    }
  /** The backend is missing, not permitted or not supported: its share of the requests gets a 500. */
  | { readonly type: "Unavailable"; readonly status: 500; readonly reason: string };

/** A target that requests are sent to. */
export type UsableTarget = Extract<BackendTarget, { type: "Backend" }>;

/** The retries of requests of a rule to a backend. */
export interface RetryConfig {
  readonly plan: RetryPlan;
  /** A request with a longer body is streamed without buffering, and not retried. */
  readonly maxBodyBytes: number;
  /** The budget of the effective RetryPolicy. The backend may have another one; a retry must fit into both. */
  readonly budget: RetryBudget | undefined;
}

/**
 * A response names its session in a cookie or a header. Requests with it go to the same endpoint of the same backend, as long as that is there,
 * whatever the weights are. Retries may go to others.
 */
export type SessionConfig =
  | {
      readonly type: "Cookie";
      readonly name: string;
      /** The `Path` attribute of the cookie. */
      readonly path: string;
      /** True if the cookie has a `Max-Age` attribute, which is the timeout. */
      readonly isPermanent: boolean;
      /** Undefined: the session does not end. */
      readonly absoluteTimeoutMs: number | undefined;
    }
  /** The name is in lower case. */
  | { readonly type: "Header"; readonly name: string; readonly absoluteTimeoutMs: number | undefined };

/** The identity of a backend in the table of backends. */
export type BackendId = string & { readonly __brand: "BackendId" };

/** The identity of a list of endpoints in the table of endpoints. */
export type EndpointsId = string & { readonly __brand: "EndpointsId" };

/** A port of a Service. All rules that use it share this object. */
export interface BackendConfig {
  readonly id: BackendId;
  readonly object: ObjectRef;
  readonly port: number;
  /**
   * For HTTPRoutes from the port's `appProtocol`, for GRPCRoutes HTTP/2, for other routes that of the Service's port. A port that is used with
   * several protocols is several backends.
   */
  readonly protocol: "HTTP/1.1" | "HTTP/2" | "TCP" | "UDP";
  /** From the BackendTLSPolicy. Undefined: plain text, or TLS that the gateway does not terminate. */
  readonly tls: BackendTlsConfig | undefined;
  readonly endpoints: EndpointsId;
  /** From `retryConstraint` of the XBackendTrafficPolicy. */
  readonly budget: RetryBudget | undefined;
  /** From `sessionPersistence` of the XBackendTrafficPolicy. */
  readonly session: SessionConfig | undefined;
}

/** TLS towards a backend: the server name, and the authorities that its certificate is validated with. */
export interface BackendTlsConfig {
  /** Sent as the TLS server name. The certificate must be valid for it unless there are `subjectAltNames`. */
  readonly hostname: string;
  readonly subjectAltNames: readonly SubjectAltName[];
  /** ConfigMaps with `ca.crt`, or the CA certificates of the system. */
  readonly authorities: readonly ObjectRef[] | "System";
}

/** A name that the certificate of a backend must be valid for. */
export interface SubjectAltName {
  readonly type: "Hostname" | "URI";
  readonly value: string;
}

/** An address and port that requests to a backend are sent to. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** A filter of a rule or of a backendRef. */
export type FilterConfig =
  | ({ readonly type: "RequestHeaderModifier" } & HeaderChanges)
  | ({ readonly type: "ResponseHeaderModifier" } & HeaderChanges)
  | { readonly type: "URLRewrite"; readonly hostname: string | undefined; readonly path: PathModifier | undefined }
  | {
      readonly type: "RequestMirror";
      readonly backend: BackendConfig;
      /** The fraction of the requests that is mirrored. */
      readonly numerator: number;
      readonly denominator: number;
    }
  | ({ readonly type: "CORS" } & CorsConfig)
  /** At most one in a rule, and none in a backendRef. */
  | ({ readonly type: "ExternalAuth" } & AuthConfig);

/** A request is forwarded only if the authorization server allows it. If that cannot be asked, the request is refused. */
export interface AuthConfig {
  /** `GRPC`: Envoy's ext_authz. `HTTP`: the status 200 allows. */
  readonly protocol: "GRPC" | "HTTP";
  readonly backend: BackendConfig;
  /** The headers that it gets, in lower case. Empty: with GRPC all, with HTTP only Host, Content-Length and Authorization. */
  readonly allowedHeaders: readonly string[];
  /** HTTP: put before the path of the request. */
  readonly path: string;
  /** HTTP: the headers of its response that the request gets, in lower case. Empty: all but those about the response itself. */
  readonly allowedResponseHeaders: readonly string[];
  /** The size of the longest body that the server gets; a longer one is refused. 0: the server gets no body. */
  readonly maxBodyBytes: number;
}

/** Names are in lower case, each at most once per list. */
export interface HeaderChanges {
  readonly remove: readonly string[];
  readonly set: readonly HeaderValue[];
  readonly add: readonly HeaderValue[];
}

/** A header with its value. */
export interface HeaderValue {
  readonly name: string;
  readonly value: string;
}

/** A change of the path of a request. */
export type PathModifier =
  | { readonly type: "ReplaceFullPath"; readonly path: string }
  /** `prefix` is the value of the path match. */
  | { readonly type: "ReplacePrefixMatch"; readonly prefix: string; readonly path: string };

/** An undefined part stays as in the request. */
export interface RedirectConfig {
  readonly scheme: "http" | "https" | undefined;
  readonly hostname: string | undefined;
  readonly path: PathModifier | undefined;
  /** Undefined: the well-known port of `scheme`, or the listener's port without a `scheme`. */
  readonly port: number | undefined;
  readonly status: 301 | 302 | 303 | 307 | 308;
}

/** The cross-origin requests that a rule permits. */
export interface CorsConfig {
  /** `*`, `https://*.example.com` or exact origins. Empty: no cross-origin requests. */
  readonly allowOrigins: readonly string[];
  readonly allowCredentials: boolean;
  /** In addition to GET, HEAD and POST, which are always allowed. */
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}
