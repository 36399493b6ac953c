import { refusalsOf } from "../../dataplane/compile/compile-route.ts";
import { referrersToParent } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import { isJsonObject, objectsIn, ownValue } from "../../model/json.ts";
import { SERVICE } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { type ObjectId, objectId } from "../../model/refs.ts";
import type { MatchRegex } from "../../model/regex.ts";
import { OTHERS, trafficFrom } from "../../model/traffic.ts";
import { comparePrecedence } from "../../routing/match-precedence.ts";
import { explainTarget } from "../explain/explain-target.ts";
import type { ExplainedPath, KindExplanation } from "../explain/result.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import { findCandidates, responseOf, restricted, tracedRule, withOrder } from "./find-candidates.ts";
import type { MeshTrace, TraceRequest } from "./result.ts";
import { tracedBackends } from "./traced-backends.ts";

/**
 * The Service that a host names
 *
 * In a cluster `foo.prod`, `foo.prod.svc` and `foo.prod.svc.cluster.local` name the Service `foo` of the namespace `prod`, and `foo`
 * alone that of the namespace that the request comes from.
 * Gateway API, "Mesh"
 */
export function findService(world: World, host: string, from: string): KubeObject | undefined {
  const [name = "", namespace = from, svc = "svc"] = host.split(".");
  return svc === "svc" ? world.objects.find(SERVICE, namespace, name) : undefined;
}

/**
 * Routes for a request from a namespace to a Service
 *
 * A route of the consumer's namespace carries it, else one of the producer's; a request that no route carries goes to the Service
 * itself. Hostnames of routes play no part.
 * GEP-1294, "Multiple routes for a Service"
 */
export function traceMesh(
  world: World,
  request: TraceRequest,
  { service, from }: { readonly service: KubeObject; readonly from: string },
  matchRegex: MatchRegex,
): MeshTrace {
  const head = { service: service.ref, from };
  const ports = portsOf(service);
  if (!ports.includes(request.port)) return { ...head, outcome: "NoPort", ports };
  const all = routesOf(world, service, request.port);
  const own = all.filter(({ ref }) => ref.namespace === from && from !== service.ref.namespace);
  const routes = own.length > 0 ? own : all.filter(({ ref }) => ref.namespace === service.ref.namespace);
  if (routes.length === 0)
    return { ...head, outcome: "Unrouted", kinds: kindsOn(world, { id: service.id }, service.id, from) };
  const { matching, nearest } = findCandidates(world, routes, request, matchRegex, () => ({ hostname: undefined }));
  const [winner, ...others] = matching.sort((a, b) => comparePrecedence(a, b).order);
  if (winner === undefined) return { ...head, outcome: "NoMatch", nearest, routes: routes.length };
  const refusals = refusalsOf(world, winner.object);
  const backends = tracedBackends(world, winner.object, winner.section, refusals);
  const filters = objectsIn(winner.section.raw["filters"]);
  return {
    ...head,
    outcome: "Routed",
    winner: tracedRule(winner),
    losers: withOrder(winner, others),
    filters,
    backends,
    response: responseOf(filters, backends, winner.section.index, refusals),
    kinds: kindsOn(world, { id: winner.object.id, sectionName: winner.section.name }, service.id, from),
    failures: [],
  };
}

function portsOf({ raw }: KubeObject): readonly number[] {
  const spec = ownValue(raw, "spec");
  return objectsIn(isJsonObject(spec) ? ownValue(spec, "ports") : undefined).flatMap(({ port }) =>
    typeof port === "number" ? [port] : [],
  );
}

/** The routes whose parent is the Service, with this port or with none. */
function routesOf(world: World, service: KubeObject, port: number): readonly KubeObject[] {
  const routes: KubeObject[] = [];
  for (const id of referrersToParent(world, service.id)) {
    const object = world.objects.get(id);
    const isCarried = world.links.get(id)?.up.some(({ parent, frontend }) => frontend && parent === service.id);
    if (object !== undefined && isCarried === true && namesPort(object, service, port)) routes.push(object);
  }
  return routes;
}

function namesPort(route: KubeObject, { ref }: KubeObject, port: number): boolean {
  const spec = ownValue(route.raw, "spec");
  return objectsIn(isJsonObject(spec) ? ownValue(spec, "parentRefs") : undefined).some(
    (parent) =>
      parent["kind"] === "Service" &&
      parent["name"] === ref.name &&
      (parent["namespace"] ?? route.ref.namespace) === ref.namespace &&
      (parent["port"] ?? port) === port,
  );
}

/** The effective policies on the paths of these requests: those split off for the namespace, else those of all others. */
function kindsOn(world: World, target: ObjectOrSection, service: ObjectId, from: string): readonly KindExplanation[] {
  // The first object with a namespace: above it there may be the Namespace that the requests come from.
  const isOfService = ({ nodes }: ExplainedPath): boolean => {
    const first = nodes.find(({ namespace }) => namespace !== "");
    return first !== undefined && objectId(first) === service;
  };
  return explainTarget(world, target, { group: true })
    .kinds.map((kind) => {
      const split = restricted(kind, (path) => path.from === trafficFrom(from) && isOfService(path));
      if (split.paths > 0) return split;
      return restricted(kind, (path) => (path.from ?? OTHERS) === OTHERS && isOfService(path));
    })
    .filter(({ paths }) => paths > 0);
}
