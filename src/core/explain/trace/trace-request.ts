import { compileGateway } from "../../dataplane/compile/compile-gateway.ts";
import { refusalsOf } from "../../dataplane/compile/compile-route.ts";
import { nodesOf, type Path } from "../../effective/paths/path.ts";
import { foreignController } from "../../effective/world/gateway-controllers.ts";
import { gatewayListeners, hostnamesOf, routesOn } from "../../effective/world/gateway-listeners.ts";
import type { World } from "../../effective/world/world.ts";
import type { PolicyDefinition } from "../../model/definition.ts";
import { objectsIn } from "../../model/json.ts";
import { GATEWAY } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compareText, formatRef, type GroupKind, kindId, type ObjectId, targetId } from "../../model/refs.ts";
import type { MatchRegex } from "../../model/regex.ts";
import { OTHERS } from "../../model/traffic.ts";
import { compareHostnames, matchesHost, matchingHostname } from "../../routing/hostname-match.ts";
import { comparePrecedence } from "../../routing/match-precedence.ts";
import type { DistinctListeners, OwnedListener } from "../../topology/distinct-listeners.ts";
import type { Listener } from "../../topology/listeners-of.ts";
import { explainTarget } from "../explain/explain-target.ts";
import { unenforcedOn } from "../explain/ineffective-policies.ts";
import type { IneffectivePolicy, KindExplanation } from "../explain/result.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import { findCandidates, type MatchedRule, responseOf, restricted, tracedRule, withOrder } from "./find-candidates.ts";
import type { GatewayTrace, RoutedTrace, TracedListener, TraceRequest } from "./result.ts";
import { tracedBackends } from "./traced-backends.ts";

/** Traces a request at each Gateway, or at the one given, as if it had reached it. Gateways that route the request are first. */
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
  const rival = findStream(accepted, request);
  const whyNot = ({ listener }: OwnedListener): string | undefined =>
    whyNotTaken(listener, request) ?? whyAfter(listener, rival);
  const taking = accepted.filter((owned) => whyNot(owned) === undefined);
  // Listener isolation: the most specific listener accepts the request, and no other listener sees it.
  const [best] = taking.sort((a, b) => compareHostnames(a.listener.hostname, b.listener.hostname));
  const refusals = [
    ...accepted.flatMap((owned) => {
      const why = whyNot(owned);
      return why === undefined ? [] : [{ listener: tracedListener(owned), why }];
    }),
    ...refused.map((owned) => ({
      listener: tracedListener(owned),
      why: whyNotTaken(owned.listener, request) ?? owned.why,
    })),
  ];
  if (best === undefined) return { gateway: gateway.ref, outcome: "NoListener", listener: undefined, refusals };
  const head = { gateway: gateway.ref, listener: tracedListener(best), refusals };
  const attached = routesOn(world, best);
  const hostnameOf = (route: KubeObject): { readonly hostname: string | undefined } | undefined =>
    matchingHostname(hostnamesOf(route), best.listener.hostname, request.host);
  const { matching, nearest } = findCandidates(world, attached, request, matchRegex, hostnameOf);
  const [winner, ...others] = matching.sort((a, b) => comparePrecedence(a, b).order);
  if (winner === undefined) return { ...head, outcome: "NoMatch", nearest, routes: attached.length };
  return { ...head, ...routed(world, gateway, best, winner, others) };
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

/** The TLS listener that gets connections for the host: it forwards them as they are. */
function findStream(
  accepted: readonly OwnedListener[],
  { scheme, port, host }: TraceRequest,
): OwnedListener | undefined {
  if (scheme === "http") return undefined;
  const [first] = accepted
    .filter(
      ({ listener }) => listener.protocol === "TLS" && listener.port === port && matchesHost(listener.hostname, host),
    )
    .sort((a, b) => compareHostnames(a.listener.hostname, b.listener.hostname));
  return first;
}

/** Listener isolation: a TLS listener with a more specific hostname gets the connection. */
function whyAfter({ hostname }: Listener, rival: OwnedListener | undefined): string | undefined {
  if (rival === undefined || compareHostnames(hostname, rival.listener.hostname) <= 0) return undefined;
  const name = `listener ${rival.listener.name} of ${formatRef(rival.owner.ref)}`;
  return `${name} has protocol TLS and the more specific hostname ${rival.listener.hostname ?? ""}: it forwards the connection as it is`;
}

const tracedListener = ({ owner, listener }: OwnedListener): TracedListener => ({
  owner: owner.ref,
  name: listener.name,
  hostname: listener.hostname,
  port: listener.port,
  protocol: listener.protocol,
});

/** The rule that routes the request, and what it does with it. */
function routed(
  world: World,
  gateway: KubeObject,
  at: OwnedListener,
  winner: MatchedRule,
  others: readonly MatchedRule[],
): RoutedTrace {
  const refusals = refusalsOf(world, winner.object);
  const backends = tracedBackends(world, winner.object, winner.section, refusals);
  const filters = objectsIn(winner.section.raw["filters"]);
  const targets = new Set(backends.flatMap(({ object }) => (object === undefined ? [] : [object])));
  const onPath = [
    ...(at.owner.id === gateway.id ? [] : [{ id: gateway.id }]),
    { id: at.owner.id, sectionName: at.listener.name },
    { id: winner.object.id, sectionName: winner.section.name },
  ];
  const direct = [...onPath, ...[...targets].map((id) => ({ id }))].flatMap((target) => directKindsOn(world, target));
  return {
    outcome: "Routed",
    winner: tracedRule(winner),
    losers: withOrder(winner, others),
    filters,
    backends,
    response: responseOf(filters, backends, winner.section.index, refusals),
    kinds: [...kindsAlong(world, at, winner), ...direct].filter(
      ({ paths, policyKind }) => paths > 0 && isCarriedOut(world, gateway, policyKind),
    ),
    failures: failuresOn(world, gateway, at, winner, targets),
  };
}

/** The policies along this path that the controller of the Gateway does not carry out. */
const failuresOn = (
  world: World,
  gateway: KubeObject,
  { owner, listener }: OwnedListener,
  { object, section }: MatchedRule,
  backends: ReadonlySet<ObjectId>,
): readonly IneffectivePolicy[] =>
  world.rulebook.kinds
    .flatMap((kind) =>
      unenforcedOn(world, kind, (path, at) =>
        kind.definition.class === "Direct"
          ? at === gateway.id && (path.node.id === object.id || backends.has(path.node.id))
          : leadsThroughOnly(path, owner.id, listener.name) && leadsThroughOnly(path, object.id, section.name),
      ),
    )
    .sort((a, b) => compareText(a.policy, b.policy));

/** True if a path leads through the object, and through no section of it but this one. A path may have no section of the object. */
function leadsThroughOnly(path: Path, object: ObjectId, sectionName: string): boolean {
  const nodes = nodesOf(path).filter(({ id }) => id === object);
  return nodes.length > 0 && nodes.every(({ section }) => (section?.name ?? sectionName) === sectionName);
}

/** The effective policies along this path. */
function kindsAlong(
  world: World,
  { owner, listener }: OwnedListener,
  { object, section }: MatchedRule,
): readonly KindExplanation[] {
  return explainTarget(world, { id: object.id, sectionName: section.name }, { group: true }).kinds.map((kind) =>
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
}

/** The effective policies of Direct kinds on an object. `sectionName`: on the object, or on this section of it. */
const directKindsOn = (world: World, { id, sectionName }: ObjectOrSection): readonly KindExplanation[] =>
  explainTarget(world, { id }, { group: true })
    .kinds.filter(({ policyKind }) => definitionOf(world, policyKind)?.class === "Direct")
    .map((kind) =>
      restricted(kind, ({ from, nodes }) => {
        const end = nodes.at(-1)?.sectionName;
        return (from ?? OTHERS) === OTHERS && (sectionName === undefined || (end ?? sectionName) === sectionName);
      }),
    );

/** True unless the Gateway belongs to a controller that does not carry the kind out. */
function isCarriedOut(world: World, { raw }: KubeObject, policyKind: GroupKind): boolean {
  const definition = definitionOf(world, policyKind);
  return definition === undefined || foreignController(world, definition, raw) === undefined;
}

const definitionOf = ({ rulebook }: World, policyKind: GroupKind): PolicyDefinition | undefined =>
  rulebook.byPolicyKind.get(kindId(policyKind))?.definition;
