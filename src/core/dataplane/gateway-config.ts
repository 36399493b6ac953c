/**
 * What each gateway must do, as plain data: the one description from which the embedded gateway and Envoy are both made, so that they
 * cannot disagree. Built-in defaults are filled in, references are followed, precedence is settled: a reader needs no Gateway API. Names
 * and numbers only: endpoints are a table of their own, as they come and go by themselves, and key material never enters.
 *
 * A part that a change did not touch is the same object as before, so that readers can tell by identity what is new.
 */
import type { ObjectRef } from "../model/refs.ts";
import type { RetryBudget } from "../retry/retry-budget.ts";
import type { RetryPlan } from "../retry/retry-schedule.ts";
import type { RouteMatch } from "../routing/route-match.ts";

export interface DataplaneConfig {
  /** By namespace and name. */
  readonly gateways: readonly GatewayConfig[];
  /** Every backend that some rule uses. */
  readonly backends: ConfigTable<BackendId, BackendConfig>;
  /** Those of the backends: an empty list where a Service has none. */
  readonly endpoints: ConfigTable<EndpointsId, readonly Endpoint[]>;
  /** What is asked for and does not happen, by object and field: for people. */
  readonly problems: readonly ConfigProblem[];
}

/** Read-only, in no particular order; a changed table shares the rest with the one before. A Map is one, too. */
export interface ConfigTable<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  forEach(visit: (value: V, key: K) => void): void;
}

/** One thing that a gateway cannot or must not do as an object says. What it does instead is in the message. */
export interface ConfigProblem {
  readonly object: ObjectRef;
  readonly field: string;
  readonly message: string;
}

export interface GatewayConfig {
  readonly gateway: ObjectRef;
  readonly className: string;
  /** Of its GatewayClass, for whoever serves only its own; undefined: there is no such class. */
  readonly controllerName: string | undefined;
  /** In the order of port numbers. */
  readonly ports: readonly PortConfig[];
}

/** All listeners that share a port. They share its protocol too: listeners that do not are refused. */
export interface PortConfig {
  readonly port: number;
  readonly protocol: "HTTP" | "HTTPS";
  /** The more specific hostname first: of several that could take a request the first does, and no other (listener isolation). */
  readonly listeners: readonly ListenerConfig[];
}

export interface ListenerConfig {
  /** The Gateway, or a ListenerSet of it. */
  readonly owner: ObjectRef;
  readonly name: string;
  /** In lower case. Undefined: every host. */
  readonly hostname: string | undefined;
  /** HTTPS only, and then at least one; each names a Secret that may be used, whether it exists or not. */
  readonly certificates: readonly ObjectRef[];
  /**
   * The more specific hostname first. A request whose host none of them takes is answered 404. Where the routes of the first do not match,
   * those of the next that takes the host are asked: precedence is among all routes, and the hostname is its first criterion.
   */
  readonly virtualHosts: readonly VirtualHostConfig[];
}

export interface VirtualHostConfig {
  /** In lower case; `*`: every host; `*.example.com`: any number of labels before it. */
  readonly hostname: string;
  /** In Gateway API's precedence: the first that matches takes the request. */
  readonly routes: readonly RouteConfig[];
}

/** One match of one rule of a route. */
export interface RouteConfig {
  readonly match: RouteMatch;
  /** The same object for all matches of the rule. */
  readonly rule: RuleConfig;
}

export interface RuleConfig {
  readonly route: ObjectRef;
  /** Its name, or `rule-2` for one that has none. */
  readonly rule: string;
  readonly filters: readonly FilterConfig[];
  readonly action: ActionConfig;
  /** From the first byte of the request to the last of the answer; undefined: no limit. */
  readonly requestTimeoutMs: number | undefined;
}

export type ActionConfig =
  | { readonly type: "Forward"; readonly backends: readonly WeightedBackendConfig[] }
  | { readonly type: "Redirect"; readonly redirect: RedirectConfig }
  /** No backend can be asked; the reason is for logs and people, never for the client. */
  | { readonly type: "Respond"; readonly status: 500; readonly reason: string };

/** A share of the requests. Weights of 0 are left out; at least one remains. */
export interface WeightedBackendConfig {
  readonly weight: number;
  readonly target: BackendTarget;
}

export type BackendTarget =
  | {
      readonly type: "Backend";
      readonly backend: BackendConfig;
      /** Those of the reference, after those of the rule. */
      readonly filters: readonly FilterConfig[];
      /** Undefined: an attempt is the only one. */
      readonly retry: RetryConfig | undefined;
      /** Of one attempt, to the last byte of its answer; undefined: no limit. */
      readonly backendRequestTimeoutMs: number | undefined;
    }
  /** Missing, forbidden, or of no use: its share of the requests is answered 500. */
  | { readonly type: "Unavailable"; readonly status: 500; readonly reason: string };

export interface RetryConfig {
  readonly plan: RetryPlan;
  /** A longer body is streamed, not kept, and so not sent again. */
  readonly maxBodyBytes: number;
  /** Of the effective RetryPolicy; the backend may have one of its own, and both bound a retry. */
  readonly budget: RetryBudget | undefined;
}

export type BackendId = string & { readonly __brand: "BackendId" };
export type EndpointsId = string & { readonly __brand: "EndpointsId" };

/** A port of a Service. The same object wherever it is used. */
export interface BackendConfig {
  readonly id: BackendId;
  readonly object: ObjectRef;
  readonly port: number;
  /** By the port's `appProtocol`; what GRPCRoutes use is always HTTP/2, and then another backend than the same port for HTTPRoutes. */
  readonly protocol: "HTTP/1.1" | "HTTP/2";
  /** From a BackendTLSPolicy; undefined: plain text. */
  readonly tls: BackendTlsConfig | undefined;
  readonly endpoints: EndpointsId;
  /** XBackendTrafficPolicy's `retryConstraint`. */
  readonly budget: RetryBudget | undefined;
}

export interface BackendTlsConfig {
  /** Sent as SNI, and the name that the certificate must have unless `subjectAltNames` are given. */
  readonly hostname: string;
  readonly subjectAltNames: readonly SubjectAltName[];
  /** ConfigMaps with `ca.crt`, or what the system trusts. */
  readonly authorities: readonly ObjectRef[] | "System";
}

export interface SubjectAltName {
  readonly type: "Hostname" | "URI";
  readonly value: string;
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export type FilterConfig =
  | ({ readonly type: "RequestHeaderModifier" } & HeaderChanges)
  | ({ readonly type: "ResponseHeaderModifier" } & HeaderChanges)
  | { readonly type: "URLRewrite"; readonly hostname: string | undefined; readonly path: PathChange | undefined }
  | {
      readonly type: "RequestMirror";
      readonly backend: BackendConfig;
      /** Which part of the requests, as a fraction. */
      readonly numerator: number;
      readonly denominator: number;
    }
  | ({ readonly type: "CORS" } & CorsConfig);

/** In this order: remove, set, add. Names in lower case, each at most once in each list. */
export interface HeaderChanges {
  readonly remove: readonly string[];
  readonly set: readonly HeaderValue[];
  readonly add: readonly HeaderValue[];
}

export interface HeaderValue {
  readonly name: string;
  readonly value: string;
}

export type PathChange =
  | { readonly type: "ReplaceFullPath"; readonly path: string }
  /** `prefix` is what the match asked for. */
  | { readonly type: "ReplacePrefixMatch"; readonly prefix: string; readonly path: string };

/** What is undefined stays as in the request. */
export interface RedirectConfig {
  readonly scheme: "http" | "https" | undefined;
  readonly hostname: string | undefined;
  readonly path: PathChange | undefined;
  /** Undefined: the well-known port of a scheme that is given, else the listener's. */
  readonly port: number | undefined;
  readonly status: 301 | 302 | 303 | 307 | 308;
}

export interface CorsConfig {
  /** `*`, `https://*.example.com` or exact origins; none: no origin but the gateway's own. */
  readonly allowOrigins: readonly string[];
  readonly allowCredentials: boolean;
  /** Beside GET, HEAD and POST, which are always allowed. */
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}
