/** The rules of routes that match a request, for requests through a Gateway and for those in a mesh. */
import type { RuleRefusal } from "../../dataplane/compile/compile-route.ts";
import { hostnamesOf } from "../../effective/world/gateway-listeners.ts";
import type { World } from "../../effective/world/world.ts";
import type { JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { createdAt } from "../../model/parse/created-at.ts";
import { kindId } from "../../model/refs.ts";
import type { MatchRegex } from "../../model/regex.ts";
import { comparePrecedence, type RankedMatch } from "../../routing/match-precedence.ts";
import { findMismatches } from "../../routing/match-request.ts";
import { formatMatch, routeMatches } from "../../routing/route-match.ts";
import { type Section, sectionsOf } from "../../topology/sections-of.ts";
import type { ExplainedPath, KindExplanation } from "../explain/result.ts";
import type { NearMiss, RoutedTrace, TracedBackend, TracedRule, TraceRequest } from "./result.ts";

const MAX_NEAR_MISSES = 5;

/** A match of a rule that the request meets. */
export interface MatchedRule extends RankedMatch {
  readonly object: KubeObject;
  readonly section: Section;
}

interface MatchedRules {
  readonly matching: MatchedRule[];
  readonly nearest: readonly NearMiss[];
}

/** All matches of all rules of the routes. `hostnameOf`: the hostname by which a route takes the request; undefined if it does not. */
export function findCandidates(
  world: World,
  routes: readonly KubeObject[],
  request: TraceRequest,
  matchRegex: MatchRegex,
  hostnameOf: (route: KubeObject) => { readonly hostname: string | undefined } | undefined,
): MatchedRules {
  const matching: MatchedRule[] = [];
  const missing: NearMiss[] = [];
  for (const route of routes) {
    const found = hostnameOf(route);
    const facts = world.rulebook.factsOf(kindId(route.ref));
    for (const section of facts === undefined ? [] : sectionsOf(route, facts)) {
      for (const match of routeMatches(section.raw, route.ref.kind === "GRPCRoute" ? "GRPCRoute" : "HTTPRoute")) {
        const candidate: MatchedRule = {
          object: route,
          section,
          match,
          hostname: found?.hostname,
          createdAt: createdAt(route),
          route: `${route.ref.namespace}/${route.ref.name}`,
          ruleIndex: section.index,
        };
        const why = [
          ...(found === undefined ? [`its hostnames are ${hostnamesOf(route).join(", ")}, not ${request.host}`] : []),
          ...findMismatches(match, request, matchRegex).map(({ message }) => message),
        ];
        if (why.length === 0) matching.push(candidate);
        else missing.push({ ...tracedRule(candidate), why });
      }
    }
  }
  return { matching, nearest: missing.sort((a, b) => a.why.length - b.why.length).slice(0, MAX_NEAR_MISSES) };
}

export const tracedRule = ({ object, section, match, hostname }: MatchedRule): TracedRule => ({
  route: object.ref,
  rule: section.name,
  ruleIndex: section.index,
  matchIndex: match.index,
  asks: formatMatch(match),
  hostname,
});

/** The other rules that match, in order, each with the criterion that puts the rule before it first. */
export function withOrder(winner: MatchedRule, others: readonly MatchedRule[]): RoutedTrace["losers"] {
  let before = winner;
  return others.map((loser) => {
    const lostBy = comparePrecedence(before, loser).by;
    before = loser;
    return { ...tracedRule(loser), lostBy };
  });
}

/** The response if no backend is asked. */
export function responseOf(
  filters: readonly JsonObject[],
  backends: readonly TracedBackend[],
  ruleIndex: number,
  refusals: readonly RuleRefusal[],
): string | undefined {
  const refusal = refusals.find(({ of, field }) => of === "Rule" && field.startsWith(`spec.rules[${ruleIndex}].`));
  if (refusal !== undefined) return `500, as ${refusal.field}: ${refusal.reason}`;
  if (filters.some(({ type }) => type === "RequestRedirect")) return "a redirect";
  if (backends.length === 0) return "500, as the rule has no backends";
  const asked = backends.filter(({ weight }) => weight > 0);
  if (asked.length === 0) return "500, as no backend has a weight above 0";
  return asked.every((backend) => backend.refusal !== undefined) ? "500, as no backend can be asked" : undefined;
}

/** The explanation with the paths that are meant only. */
export function restricted(kind: KindExplanation, isMeant: (path: ExplainedPath) => boolean): KindExplanation {
  const outcomes = kind.outcomes
    .map((outcome) => ({ ...outcome, paths: outcome.paths.filter(isMeant) }))
    .filter(({ paths }) => paths.length > 0);
  return { ...kind, outcomes, paths: outcomes.reduce((sum, { paths }) => sum + paths.length, 0) };
}
