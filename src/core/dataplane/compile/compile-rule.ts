/** Compiles one rule of a route: first the plan that is the same at every listener, then its configuration with the settings at one listener. */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { ObjectId } from "../../model/refs.ts";
import { type RouteMatch, routeMatches } from "../../routing/route-match.ts";
import type { Section } from "../../topology/sections-of.ts";
import type {
  ActionConfig,
  BackendConfig,
  FilterConfig,
  RuleConfig,
  SessionConfig,
  WeightedBackendConfig,
} from "../gateway-config.ts";
import { type CompiledFilters, compileFilters, type FilterContext } from "./compile-filters.ts";
import type { PathSettings, RuleSettings } from "./path-settings.ts";

/** Resolves references of one route, and reports the problems. */
export interface RuleContext {
  /** Resolves an entry of `backendRefs`. A text is the reason why its share of the requests gets a 500. */
  readonly backendOf: (ref: JsonObject, field: string, position: number) => FollowedRef | string;
  /** Resolves the backend of a mirror. Undefined: nothing is mirrored. */
  readonly mirrorTo: (ref: JsonObject, field: string) => BackendConfig | undefined;
  /** Resolves an authorization server. A text is the reason why it is not usable. */
  readonly authBy: FilterContext["authBy"];
  /** Compiles the session persistence of a rule, and reports its problem. */
  readonly sessionOf: (section: Section) => SessionConfig | undefined;
  /** Reports why the requests of the rule, or the share of one backend, get a 500. */
  readonly refuse: (of: "Rule" | "Share", field: string, reason: string) => void;
}

export interface FollowedRef {
  readonly object: ObjectId;
  readonly backend: BackendConfig;
}

/** A rule, independent of listeners. */
export interface RulePlan {
  readonly section: Section;
  readonly matches: readonly RouteMatch[];
  readonly filters: readonly FilterConfig[];
  readonly action: PlannedAction;
  readonly session: SessionConfig | undefined;
}

type PlannedAction =
  | Exclude<ActionConfig, { readonly type: "Forward" }>
  | { readonly type: "Forward"; readonly backends: readonly PlannedBackend[] };

type PlannedBackend = { readonly weight: number } & (
  | (FollowedRef & { readonly state: "found"; readonly filters: readonly FilterConfig[] })
  | { readonly state: "unavailable"; readonly reason: string }
);

/** `position` is the index of the section in the route. */
export function planRule(
  kind: "HTTPRoute" | "GRPCRoute",
  section: Section,
  position: number,
  context: RuleContext,
): RulePlan {
  const plan = planAction(kind, section, position, context);
  return { ...plan, session: context.sessionOf(section) };
}

function planAction(
  kind: "HTTPRoute" | "GRPCRoute",
  section: Section,
  position: number,
  context: RuleContext,
): Omit<RulePlan, "session"> {
  const matches = routeMatches(section.raw, kind);
  const rule = `spec.rules[${section.index}]`;
  const compiled = filtersAt("Rule", section.raw["filters"], `${rule}.filters`, matches, context);
  if (compiled.state === "unusable") {
    const { field, reason } = compiled;
    context.refuse("Rule", field, reason);
    return { section, matches, filters: [], action: { type: "Respond", status: 500, reason: `${field}: ${reason}` } };
  }
  const { filters, redirect } = compiled;
  const action: PlannedAction =
    redirect === undefined
      ? planForward(section, `${rule}.backendRefs`, position, matches, context)
      : { type: "Redirect", redirect };
  return { section, matches, filters, action };
}

/** The match of a rule without matches, of a kind that has none. */
const EVERY_CONNECTION: readonly RouteMatch[] = [
  { index: -1, path: undefined, grpc: undefined, method: undefined, headers: [], query: [] },
];

/** A rule of a TLSRoute, TCPRoute or UDPRoute. It has no matches and no filters. */
export function planStreamRule(section: Section, position: number, context: RuleContext): RulePlan {
  const field = `spec.rules[${section.index}].backendRefs`;
  const action = planForward(section, field, position, EVERY_CONNECTION, context);
  return { section, matches: EVERY_CONNECTION, filters: [], action, session: undefined };
}

const filtersAt = (
  at: "Rule" | "BackendRef",
  list: Json | undefined,
  field: string,
  matches: readonly RouteMatch[],
  { mirrorTo, authBy }: RuleContext,
): CompiledFilters => compileFilters(list, { at, field, matches, mirrorTo, authBy });

function planForward(
  { raw }: Section,
  field: string,
  position: number,
  matches: readonly RouteMatch[],
  context: RuleContext,
): PlannedAction {
  const refs = raw["backendRefs"];
  const backends = (isJsonList(refs) ? refs : []).flatMap((ref, at): readonly PlannedBackend[] => {
    const item = isJsonObject(ref) ? ref : {};
    const weight = typeof item["weight"] === "number" ? item["weight"] : 1;
    // A backend with weight 0 gets no requests, so its problems do not matter.
    if (weight <= 0) return [];
    return [{ weight, ...planBackend(item, `${field}[${at}]`, position, matches, context) }];
  });
  const reason = findNoBackendReason(backends, isJsonList(refs) && refs.length > 0);
  return reason === undefined ? { type: "Forward", backends } : { type: "Respond", status: 500, reason };
}

type PlannedTarget = PlannedBackend extends infer B ? (B extends unknown ? Omit<B, "weight"> : never) : never;

function planBackend(
  ref: JsonObject,
  field: string,
  position: number,
  matches: readonly RouteMatch[],
  context: RuleContext,
): PlannedTarget {
  const unavailable = (at: string, reason: string): PlannedTarget => {
    context.refuse("Share", at, reason);
    return { state: "unavailable", reason: `${at}: ${reason}` };
  };
  const followed = context.backendOf(ref, field, position);
  if (typeof followed === "string") return unavailable(field, followed);
  const compiled = filtersAt("BackendRef", ref["filters"], `${field}.filters`, matches, context);
  if (compiled.state === "unusable") return unavailable(compiled.field, compiled.reason);
  return { state: "found", ...followed, filters: compiled.filters };
}

/**
 * A rule without a usable backend gives 500
 *
 * If a rule has no backendRef, none with a weight above 0, or only invalid ones, all its requests get a 500, and all its connections are
 * closed. The returned text is the reason.
 * Gateway API, "HTTPRouteRule"
 */
function findNoBackendReason(backends: readonly PlannedBackend[], areListed: boolean): string | undefined {
  if (backends.length === 0) return areListed ? "no backend has a weight above 0" : "the rule has no backends";
  const reasons = backends.flatMap((backend) => (backend.state === "unavailable" ? [backend.reason] : []));
  return reasons.length === backends.length ? [...new Set(reasons)].join("; ") : undefined;
}

/** The settings of the rule, then of each backend. Equal settings give the same rule configuration. */
export function settingsFor({ action }: RulePlan, { rule, at }: RuleSettings): readonly PathSettings[] {
  if (action.type !== "Forward") return [rule];
  return [
    rule,
    ...action.backends.map((planned) => (planned.state === "found" ? at(planned.object, planned.backend.port) : rule)),
  ];
}

/** `settings` is the result of `settingsFor`. */
export function ruleConfig(route: KubeObject, plan: RulePlan, settings: readonly PathSettings[]): RuleConfig {
  const [rule, ...each] = settings;
  const { action, filters, section, session } = plan;
  return {
    route: route.ref,
    rule: section.name,
    filters,
    action:
      action.type === "Forward"
        ? {
            type: "Forward",
            backends: action.backends.map((planned, at) => weightedBackend(planned, session, each[at])),
          }
        : action,
    requestTimeoutMs: rule?.requestTimeoutMs,
  };
}

/**
 * Session persistence of a rule before that of a backend
 *
 * If a rule and the XBackendTrafficPolicy of its backend have both, that of the rule is used.
 * GEP-1619, "Edge Case Behavior"
 */
function weightedBackend(
  planned: PlannedBackend,
  session: SessionConfig | undefined,
  settings: PathSettings | undefined,
): WeightedBackendConfig {
  const { weight } = planned;
  if (planned.state === "unavailable") {
    return { weight, target: { type: "Unavailable", status: 500, reason: planned.reason } };
  }
  return {
    weight,
    target: {
      type: "Backend",
      backend: planned.backend,
      filters: planned.filters,
      retry: settings?.retry,
      backendRequestTimeoutMs: settings?.backendRequestTimeoutMs,
      session: session ?? planned.backend.session,
    },
  };
}
