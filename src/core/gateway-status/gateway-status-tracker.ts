/** Keeps the status of this controller's own objects while the world changes: a route that a change does not reach is not computed again. */
import type { World } from "../effective/world/world.ts";
import { type KindId, kindId, type ObjectId, splitId } from "../model/refs.ts";
import type { TargetStatus } from "../status/status-report.ts";
import type { StatusScope } from "../status/status-tracker.ts";
import { AttachedRouteCounts, type AttachedRoutes } from "./attached-routes.ts";
import type { GatewayStatusOptions } from "./dataplane-state.ts";
import { classAndGatewayStatuses, ROUTES } from "./gateway-statuses.ts";
import { OwnedGateways } from "./owned-gateways.ts";
import { routeStatus } from "./route-status.ts";

/** Objects that the status of a route does not depend on, beside the route itself. */
const APART: ReadonlySet<KindId> = new Set([...ROUTES, kindId({ group: "discovery.k8s.io", kind: "EndpointSlice" })]);

const NONE: readonly TargetStatus[] = [];

/** By object. What is as before is the same list as before. */
export type StatusesByObject = ReadonlyMap<ObjectId, readonly TargetStatus[]>;

/**
 * The result after each update equals `gatewayStatuses` of its world. An update whose steps are not all taken leaves the tracker unusable.
 */
export class GatewayStatusTracker {
  /** The routes of the world; those that are not ours have an empty list. */
  readonly #routes = new Map<ObjectId, readonly TargetStatus[]>();
  readonly #attached = new AttachedRouteCounts();
  #isFirst = true;

  /** The status in the next world, in steps. `isAnew`: something outside of the world has changed that routes depend on, such as the content of Secrets. */
  *update(
    world: World,
    scope: StatusScope,
    options: GatewayStatusOptions,
    { isAnew = false }: { readonly isAnew?: boolean } = {},
  ): Generator<void, StatusesByObject> {
    const owned = new OwnedGateways(world, options.controllerName);
    const isWhole = this.#isFirst || isAnew || scope.isAll || reachesAllRoutes(scope);
    this.#isFirst = false;
    if (isWhole) {
      this.#routes.clear();
      this.#attached.use(world);
    } else this.#attached.update(world, scope.meaningful);
    for (const id of isWhole ? routesIn(world) : new Set([...scope.objects, ...scope.meaningful])) {
      if (!ROUTES.includes(splitId(id).kind)) continue;
      const route = world.objects.get(id);
      if (route === undefined) this.#routes.delete(id);
      else {
        const statuses = routeStatus(world, route, owned, options);
        this.#routes.set(id, statuses.length === 0 ? NONE : statuses);
      }
      yield;
    }
    const routesOf = (owner: ObjectId): AttachedRoutes => this.#attached.of(owner);
    const found = new Map<ObjectId, readonly TargetStatus[]>();
    for (const [id, statuses] of this.#routes) if (statuses !== NONE) found.set(id, statuses);
    for (const status of classAndGatewayStatuses(world, owned, { ...options, routesOf })) {
      found.set(status.object, [...(found.get(status.object) ?? NONE), status]);
      yield;
    }
    return found;
  }
}

/**
 * What the status of a route depends on
 *
 * Its own links, and what it refers to: Gateways, GatewayClasses, ListenerSets, Namespaces, ReferenceGrants, Services, Secrets. A change of the meaning of such
 * an object may reach any route. The status of one route does not depend on another route, nor on endpoints.
 */
function reachesAllRoutes({ meaningful }: StatusScope): boolean {
  for (const id of meaningful) if (!APART.has(splitId(id).kind)) return true;
  return false;
}

const routesIn = ({ objects }: World): readonly ObjectId[] =>
  ROUTES.flatMap((kind) => objects.ofKind(kind).map(({ id }) => id));
