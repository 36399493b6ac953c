/** Backends and endpoints of the Services that routes use, and who uses them. */
import type { World } from "../../effective/world/world.ts";
import { idsAt, moveId } from "../../model/collections/id-index.ts";
import { type ObjectId, objectId } from "../../model/refs.ts";
import {
  type BackendUser,
  type CompiledBackend,
  compileBackend,
  directPolicies,
  servicePort,
  userOf,
} from "../compile/compile-backend.ts";
import type { CompiledRoute, RouteCompiler } from "../compile/compile-route.ts";
import { reuseEqual } from "../compile/deep-equal.ts";
import { type EndpointOptions, endpointsOf } from "../compile/endpoints-of.ts";
import type { BackendId, ConfigProblem, EndpointsId } from "../gateway-config.ts";
import type { DataplaneDraft } from "./dataplane-draft.ts";

/** Each backend once, and the object that it was if it says the same. */
export function backendCompiler(world: World, { backends }: DataplaneDraft): RouteCompiler["backendOf"] {
  const policies = directPolicies(world);
  const known = new Map<string, CompiledBackend>();
  return (service, port, user) => {
    const key = `${user} ${port} ${service.id}`;
    let compiled = known.get(key);
    if (compiled === undefined) {
      compiled = compileBackend(service, port, user, policies);
      if (compiled.state === "found") {
        const { id } = compiled.backend;
        // Two users may want the same.
        const twin = USERS.map((other) => known.get(`${other} ${port} ${service.id}`)).find(
          (other) => other?.state === "found" && other.backend.id === id,
        );
        const before = twin?.state === "found" ? twin.backend : backends.get(id);
        compiled = { ...compiled, backend: reuseEqual(before, compiled.backend) };
      }
      known.set(key, compiled);
    }
    return compiled;
  };
}

/** The beginnings of the ids of routes that use backends in a way. */
const USER_ROUTES: Readonly<Record<BackendUser, readonly string[]>> = {
  HTTPRoute: ["HTTPRoute."],
  GRPCRoute: ["GRPCRoute."],
  TCP: ["TCPRoute.", "TLSRoute."],
  Passthrough: ["TLSRoute."],
  UDP: ["UDPRoute."],
};
const USERS: readonly BackendUser[] = ["HTTPRoute", "GRPCRoute", "TCP", "Passthrough", "UDP"];

/** Routes that name a Service, and do not get of it what they got: those that it failed, and those whose backend differs. */
export function routesToRecompile(
  id: ObjectId,
  world: World,
  draft: DataplaneDraft,
  backendOf: RouteCompiler["backendOf"],
): readonly ObjectId[] {
  const routes = [...idsAt(draft.routesMissing, id)];
  const service = world.objects.get(id);
  for (const backendId of idsAt(draft.backendsOf, id)) {
    const backend = draft.backends.get(backendId);
    for (const user of USERS) {
      const now = service === undefined || backend === undefined ? undefined : backendOf(service, backend.port, user);
      if (now?.state === "found" && now.backend === backend) continue;
      for (const route of idsAt(draft.users, backendId))
        if (USER_ROUTES[user].some((kind) => route.startsWith(kind))) routes.push(route);
    }
  }
  return routes;
}

/** The effect of a round of compiling routes on the Services that they use. */
export interface ServiceChanges {
  /** Services some backend of which came, went or differs. */
  readonly services: Set<ObjectId>;
  /** Backends that lost a user; whether another came is known at the end. */
  readonly left: Set<BackendId>;
}

/** Updates the users of backends after a route was compiled again. */
export function noteUses(
  draft: DataplaneDraft,
  changes: ServiceChanges,
  route: ObjectId,
  before: CompiledRoute | undefined,
  after: CompiledRoute | undefined,
): void {
  const ids = (compiled: CompiledRoute | undefined): readonly BackendId[] =>
    compiled?.backends.map(({ id }) => id) ?? [];
  moveId(draft.routesMissing, route, before?.missingServices ?? [], after?.missingServices ?? []);
  moveId(draft.users, route, ids(before), ids(after));
  for (const id of ids(before)) if (draft.users.get(id) === undefined) changes.left.add(id);
  for (const backend of after?.backends ?? []) {
    if (draft.backends.get(backend.id) === backend) continue;
    const service = objectId(backend.object);
    draft.backends.set(backend.id, backend);
    moveId(draft.backendsOf, backend.id, [], [service]);
    changes.services.add(service);
  }
}

/** Removes unused backends, and reads the endpoints of the others. */
export function refreshServices(
  { services, left }: ServiceChanges,
  world: World,
  draft: DataplaneDraft,
  backendOf: RouteCompiler["backendOf"],
  options: EndpointOptions,
): void {
  const loose = new Set<EndpointsId>();
  for (const id of left) {
    const backend = draft.backends.get(id);
    if (backend === undefined || draft.users.get(id) !== undefined) continue;
    const service = objectId(backend.object);
    draft.backends.set(id, undefined);
    moveId(draft.backendsOf, id, [service], []);
    loose.add(backend.endpoints);
    services.add(service);
  }
  for (const id of services)
    for (const used of refreshService(id, world, draft, backendOf, options)) loose.delete(used);
  for (const id of loose) draft.endpoints.set(id, undefined);
}

/** Returns the lists that its backends use. */
function refreshService(
  id: ObjectId,
  world: World,
  draft: DataplaneDraft,
  backendOf: RouteCompiler["backendOf"],
  options: EndpointOptions,
): readonly EndpointsId[] {
  const service = world.objects.get(id);
  const backends = [...idsAt(draft.backendsOf, id)].flatMap((backend) => draft.backends.get(backend) ?? []);
  if (service === undefined) {
    draft.problems.set(id, undefined);
    return [];
  }
  const problems: ConfigProblem[] = [];
  for (const backend of backends) {
    const { endpoints, port, protocol } = backend;
    const found = endpointsOf(service, servicePort(service, port, protocol) ?? {}, draft.slices.get(id) ?? [], options);
    draft.endpoints.set(endpoints, reuseEqual(draft.endpoints.get(endpoints), found.endpoints));
    const compiled = backendOf(service, port, userOf(backend));
    problems.push(...found.problems, ...(compiled.state === "found" ? compiled.problems : []));
  }
  draft.problems.set(id, problems.length === 0 ? undefined : reuseEqual(draft.problems.get(id), problems));
  return backends.map(({ endpoints }) => endpoints);
}
