import { compileGateway } from "../../dataplane/compile/compile-gateway.ts";
import { type RuleRefusal, refusalsOf } from "../../dataplane/compile/compile-route.ts";
import { gatewayListeners, hostnamesOf, routesOn } from "../../effective/world/gateway-listeners.ts";
import type { World } from "../../effective/world/world.ts";
import { type JsonObject, objectsIn } from "../../model/json.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { createdAt } from "../../model/parse/created-at.ts";
import { compareText, formatRef, kindId, type ObjectId, targetId } from "../../model/refs.ts";
import type { MatchRegex } from "../../model/regex.ts";
import { compareHostnames, matchesHost, matchingHostname } from "../../routing/hostname-match.ts";
import { comparePrecedence, type RankedMatch } from "../../routing/match-precedence.ts";
import { findMismatches } from "../../routing/match-request.ts";
import { formatMatch, routeMatches } from "../../routing/route-match.ts";
import type { DistinctListeners, OwnedListener } from "../../topology/distinct-listeners.ts";
import type { Listener } from "../../topology/listeners-of.ts";
import { type Section, sectionsOf } from "../../topology/sections-of.ts";
import { explainTarget } from "../explain/explain-target.ts";
import type { KindExplanation } from "../explain/result.ts";
import type {
  GatewayTrace,
  NearMiss,
  RoutedTrace,
  TracedBackend,
  TracedListener,
  TracedRule,
  TraceRequest,
} from "./result.ts";
import { tracedBackends } from "./traced-backends.ts";

const GATEWAY = kindId({ group: GATEWAY_API, kind: "Gateway" });
const MAX_NEAR_MISSES = 5;

/** What each Gateway, or the one given, does with a request that reaches it. Gateways that route the request are first. */
export function traceRequest(
  world: World,
  request: TraceRequest,
  matchRegex: MatchRegex,
  only?: ObjectId,
): readonly GatewayTrace[] {
  const traces: GatewayTrace[] = [];
  for (const gateway of world.objects.ofKind(GATEWAY)) {
    if (only === undefined || only === gateway.id) traces.push(traceGateway(world, gateway, request, matchRegex));
  }
  const rank = ({ outcome }: GatewayTrace): number => (outcome === "Routed" ? 0 : outcome === "NoMatch" ? 1 : 2);
  return traces.sort((a, b) => rank(a) - rank(b) || compareText(formatRef(a.gateway), formatRef(b.gateway)));
}

function traceGateway(world: World, gateway: KubeObject, request: TraceRequest, matchRegex: MatchRegex): GatewayTrace {
  const { accepted, refused } = listenersOf(world, gateway);
  const taking = accepted.filter((owned) => whyNotTaken(owned.listener, request) === undefined);
  // Listener isolation: the most specific listener accepts the request, and no other listener sees it.
  const [best] = taking.sort((a, b) => compareHostnames(a.listener.hostname, b.listener.hostname));
  const refusals = [
    ...accepted.flatMap((owned) => {
      const why = whyNotTaken(owned.listener, request);
      return why === undefined ? [] : [{ listener: tracedListener(owned), why }];
    }),
    ...refused.map((owned) => ({
      listener: tracedListener(owned),
      why: whyNotTaken(owned.listener, request) ?? owned.why,
    })),
  ];
  if (best === undefined) return { gateway: gateway.ref, outcome: "NoListener", listener: undefined, refusals };
  const head = { gateway: gateway.ref, listener: tracedListener(best), refusals };
  const { matching, nearest, routes } = candidates(world, best, request, matchRegex);
  const [winner, ...others] = matching.sort((a, b) => comparePrecedence(a, b).order);
  if (winner === undefined) return { ...head, outcome: "NoMatch", nearest, routes };
  return { ...head, ...routed(world, best, winner, others) };
}

/** A listener that the gateway does not serve accepts no request. */
function listenersOf(world: World, gateway: KubeObject): DistinctListeners {
  const { accepted, refused } = gatewayListeners(world, gateway);
  const { unserved } = compileGateway(world, gateway);
  const whyNot = ({ owner, listener }: OwnedListener): string | undefined =>
    unserved.get(targetId(owner.id, listener.name));
  return {
    accepted: accepted.filter((owned) => whyNot(owned) === undefined),
    refused: [
      ...refused,
      ...accepted.flatMap((owned) => {
        const why = whyNot(owned);
        return why === undefined ? [] : [{ ...owned, why: `the gateway does not serve it: ${why}` }];
      }),
    ],
  };
}

const PROTOCOLS: Readonly<Record<TraceRequest["scheme"], string>> = { http: "HTTP", https: "HTTPS" };

function whyNotTaken({ port, protocol, hostname }: Listener, request: TraceRequest): string | undefined {
  if (port !== request.port) return `its port is ${port ?? "not set"}, not ${request.port}`;
  if (protocol !== PROTOCOLS[request.scheme]) return `its protocol is ${protocol}, not ${PROTOCOLS[request.scheme]}`;
  return matchesHost(hostname, request.host) ? undefined : `its hostname is ${hostname ?? ""}, not ${request.host}`;
}

const tracedListener = ({ owner, listener }: OwnedListener): TracedListener => ({
  owner: owner.ref,
  name: listener.name,
  hostname: listener.hostname,
  port: listener.port,
  protocol: listener.protocol,
});

interface Candidate extends RankedMatch {
  readonly object: KubeObject;
  readonly section: Section;
}

interface Candidates {
  readonly matching: Candidate[];
  readonly nearest: readonly NearMiss[];
  readonly routes: number;
}

/** All matches of all rules of the routes attached to the listener. */
function candidates(world: World, at: OwnedListener, request: TraceRequest, matchRegex: MatchRegex): Candidates {
  const matching: Candidate[] = [];
  const missing: NearMiss[] = [];
  const routes = routesOn(world, at);
  for (const route of routes) {
    const hostnames = hostnamesOf(route);
    const found = matchingHostname(hostnames, at.listener.hostname, request.host);
    const facts = world.rulebook.factsOf(kindId(route.ref));
    for (const section of facts === undefined ? [] : sectionsOf(route, facts)) {
      for (const match of routeMatches(section.raw, route.ref.kind === "GRPCRoute" ? "GRPCRoute" : "HTTPRoute")) {
        const candidate: Candidate = {
          object: route,
          section,
          match,
          hostname: found?.hostname,
          createdAt: createdAt(route),
          route: `${route.ref.namespace}/${route.ref.name}`,
          ruleIndex: section.index,
        };
        const why = [
          ...(found === undefined ? [`its hostnames are ${hostnames.join(", ")}, not ${request.host}`] : []),
          ...findMismatches(match, request, matchRegex).map(({ message }) => message),
        ];
        if (why.length === 0) matching.push(candidate);
        else missing.push({ ...tracedRule(candidate), why });
      }
    }
  }
  const nearest = missing.sort((a, b) => a.why.length - b.why.length).slice(0, MAX_NEAR_MISSES);
  return { matching, nearest, routes: routes.length };
}

const tracedRule = ({ object, section, match, hostname }: Candidate): TracedRule => ({
  route: object.ref,
  rule: section.name,
  ruleIndex: section.index,
  matchIndex: match.index,
  asks: formatMatch(match),
  hostname,
});

function routed(world: World, at: OwnedListener, winner: Candidate, others: readonly Candidate[]): RoutedTrace {
  const refusals = refusalsOf(world, winner.object);
  const backends = tracedBackends(world, winner.object, winner.section, refusals);
  const filters = objectsIn(winner.section.raw["filters"]);
  let before = winner;
  const losers: RoutedTrace["losers"][number][] = [];
  for (const loser of others) {
    losers.push({ ...tracedRule(loser), lostBy: comparePrecedence(before, loser).by });
    before = loser;
  }
  return {
    outcome: "Routed",
    winner: tracedRule(winner),
    losers,
    filters,
    backends,
    response: responseOf(
      filters,
      backends,
      refusals.find(({ of, field }) => of === "Rule" && field.startsWith(`spec.rules[${winner.section.index}].`)),
    ),
    kinds: kindsOn(
      world,
      at,
      winner,
      backends.flatMap(({ object }) => (object === undefined ? [] : [object])),
    ),
  };
}

/** The response if the gateway asks no backend. */
function responseOf(
  filters: readonly JsonObject[],
  backends: readonly TracedBackend[],
  refusal: RuleRefusal | undefined,
): string | undefined {
  if (refusal !== undefined) return `500, as ${refusal.field}: ${refusal.reason}`;
  if (filters.some(({ type }) => type === "RequestRedirect")) return "a redirect";
  if (backends.length === 0) return "500, as the rule has no backends";
  const asked = backends.filter(({ weight }) => weight > 0);
  if (asked.length === 0) return "500, as no backend has a weight above 0";
  return asked.every((backend) => backend.refusal !== undefined) ? "500, as no backend can be asked" : undefined;
}

/** The effective policies along this path, and those of Direct kinds on the backends. */
function kindsOn(
  world: World,
  { owner, listener }: OwnedListener,
  { object, section }: Candidate,
  backends: readonly ObjectId[],
): readonly KindExplanation[] {
  const along = explainTarget(world, { id: object.id, sectionName: section.name }, { group: true }).kinds.map((kind) =>
    restricted(kind, ({ nodes }) =>
      nodes.some(
        (node) =>
          node.kind === owner.ref.kind &&
          node.name === owner.ref.name &&
          node.namespace === owner.ref.namespace &&
          node.sectionName === listener.name,
      ),
    ),
  );
  const direct = [...new Set(backends)].flatMap((id) =>
    explainTarget(world, { id }, { group: true }).kinds.map((kind) =>
      restricted(kind, ({ nodes }) => nodes.every((node) => node.kind === "Service")),
    ),
  );
  return [...along, ...direct].filter(({ paths }) => paths > 0);
}

type OnePath = KindExplanation["outcomes"][number]["paths"][number];

function restricted(kind: KindExplanation, isMeant: (path: OnePath) => boolean): KindExplanation {
  const outcomes = kind.outcomes
    .map((outcome) => ({ ...outcome, paths: outcome.paths.filter(isMeant) }))
    .filter(({ paths }) => paths.length > 0);
  return { ...kind, outcomes, paths: outcomes.reduce((sum, { paths }) => sum + paths.length, 0) };
}
