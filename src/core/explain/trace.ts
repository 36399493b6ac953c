/** The answer to "what happens when this request comes in?", as plain data. */
import type { JsonObject } from "../model/json.ts";
import type { ObjectId, ObjectRef } from "../model/refs.ts";
import type { Criterion } from "../routing/match-precedence.ts";
import type { HttpRequest } from "../routing/match-request.ts";
import type { KindExplanation } from "./explanation.ts";

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

/** A rule of a route, and the match in it that counts. */
export interface TracedRule {
  readonly route: ObjectRef;
  readonly rule: string;
  readonly ruleIndex: number;
  /** Its place in `matches`; -1: the rule has none and takes everything. */
  readonly matchIndex: number;
  /** What the match asks for, in words. */
  readonly asks: string;
  readonly hostname: string | undefined;
}

export interface TracedBackend {
  readonly field: string;
  readonly name: string;
  readonly weight: number;
  readonly port: number | undefined;
  readonly object: ObjectId | undefined;
  /** Why the gateway answers 500 for its share of requests. */
  readonly refusal: string | undefined;
}

/** What one Gateway does with the request. */
export type GatewayTrace = {
  readonly gateway: ObjectRef;
  /** Absent: no listener takes it. */
  readonly listener: TracedListener | undefined;
  /** Listeners that come near, with why they do not take it; told where none does. */
  readonly refusals: ReadonlyArray<{ readonly listener: TracedListener; readonly why: string }>;
} & (
  | { readonly outcome: "NoListener" }
  | { readonly outcome: "NoMatch"; readonly nearest: readonly NearMiss[]; readonly routes: number }
  | RoutedTrace
);

export interface RoutedTrace {
  readonly outcome: "Routed";
  readonly winner: TracedRule;
  /** Others that match, in order, each with the criterion by which the one before it came first. */
  readonly losers: ReadonlyArray<TracedRule & { readonly lostBy: Criterion }>;
  readonly filters: readonly JsonObject[];
  readonly backends: readonly TracedBackend[];
  /** Without a backend: what the gateway answers. */
  readonly answer: string | undefined;
  /** The effective policies on this path, by kind; for the backends the kinds that act on them alone. */
  readonly kinds: readonly KindExplanation[];
}

export interface NearMiss extends TracedRule {
  readonly why: readonly string[];
}
