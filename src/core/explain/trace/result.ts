/** The result of `trace`: what each Gateway does with a request. Plain data. */
import type { JsonObject } from "../../model/json.ts";
import type { ObjectId, ObjectRef } from "../../model/refs.ts";
import type { Criterion } from "../../routing/match-precedence.ts";
import type { HttpRequest } from "../../routing/match-request.ts";
import type { IneffectivePolicy, KindExplanation } from "../explain/result.ts";

/** The request to trace. */
export interface TraceRequest extends HttpRequest {
  readonly scheme: "http" | "https";
  readonly port: number;
}

/** A listener, by its owner (a Gateway or a ListenerSet) and name. */
export interface TracedListener {
  readonly owner: ObjectRef;
  readonly name: string;
  readonly hostname: string | undefined;
  readonly port: number | undefined;
  readonly protocol: string;
}

/** A rule of a route, and the match of the rule that the request meets or misses. */
export interface TracedRule {
  readonly route: ObjectRef;
  readonly rule: string;
  readonly ruleIndex: number;
  /** The index in `matches`. -1: the rule has no matches and accepts every request. */
  readonly matchIndex: number;
  /** The conditions of the match, formatted. */
  readonly asks: string;
  readonly hostname: string | undefined;
}

/** A backend reference of the rule. */
export interface TracedBackend {
  readonly field: string;
  readonly name: string;
  readonly weight: number;
  readonly port: number | undefined;
  readonly object: ObjectId | undefined;
  /** Why the gateway responds with 500 to the requests of this backend. */
  readonly refusal: string | undefined;
}

/** The result at one Gateway: no listener accepts it, no rule matches it, or a rule routes it. */
export type GatewayTrace = {
  readonly gateway: ObjectRef;
  /** Undefined: no listener accepts the request. */
  readonly listener: TracedListener | undefined;
  /** Listeners that do not accept the request, each with the reason. */
  readonly refusals: ReadonlyArray<{ readonly listener: TracedListener; readonly why: string }>;
} & (
  | { readonly outcome: "NoListener" }
  | { readonly outcome: "NoMatch"; readonly nearest: readonly NearMiss[]; readonly routes: number }
  | RoutedTrace
);

/** A rule routes the request. */
export interface RoutedTrace {
  readonly outcome: "Routed";
  readonly winner: TracedRule;
  /** Other rules that match, in order of precedence, each with the criterion that puts the rule before it first. */
  readonly losers: ReadonlyArray<TracedRule & { readonly lostBy: Criterion }>;
  readonly filters: readonly JsonObject[];
  readonly backends: readonly TracedBackend[];
  /** The response of the gateway if it asks no backend. */
  readonly response: string | undefined;
  /** The effective policies on this path, by kind, and those of Direct kinds on its backends. */
  readonly kinds: readonly KindExplanation[];
  /** The policies on this path that take no effect, because the controller of the Gateway does not carry their kinds out. */
  readonly failures: readonly IneffectivePolicy[];
}

/** The result of a request in a mesh, from a namespace to a Service. */
export type MeshTrace = {
  readonly service: ObjectRef;
  /** The namespace that the request comes from. */
  readonly from: string;
} & (
  | { readonly outcome: "NoPort"; readonly ports: readonly number[] }
  | { readonly outcome: "NoMatch"; readonly nearest: readonly NearMiss[]; readonly routes: number }
  /** No route carries it: it goes to the Service itself. */
  | { readonly outcome: "Unrouted"; readonly kinds: readonly KindExplanation[] }
  | RoutedTrace
);

/** A rule that does not match, with the reasons. */
export interface NearMiss extends TracedRule {
  readonly why: readonly string[];
}
