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

/** The status of what a change reaches. Much of it is as before. */
export interface OwnStatusChanges {
  /** True: this is the status of everything, and what is not in it has none. */
  readonly isWhole: boolean;
  /** By object; empty: it has none any more. */
  readonly statuses: ReadonlyMap<ObjectId, readonly TargetStatus[]>;
}

/**
 * The results of all updates together equal `gatewayStatuses` of the last world. An update whose steps are not all taken leaves the tracker unusable.
 */
export class GatewayStatusTracker {
  readonly #attached = new AttachedRouteCounts();
  #isFirst = true;

  /** The status in the next world, in steps. `isAnew`: something outside of the world has changed that routes depend on, such as the content of Secrets. */
  *update(
    world: World,
    scope: StatusScope,
    options: GatewayStatusOptions,
    { isAnew = false }: { readonly isAnew?: boolean } = {},
  ): Generator<void, OwnStatusChanges> {
    const owned = new OwnedGateways(world, options.controllerName);
    const isWhole = this.#isFirst || isAnew || scope.isAll || reachesAllRoutes(scope);
    this.#isFirst = false;
    if (isWhole) this.#attached.use(world);
    else this.#attached.update(world, scope.meaningful);
    const statuses = new Map<ObjectId, readonly TargetStatus[]>();
    for (const id of isWhole ? routesIn(world) : new Set([...scope.objects, ...scope.meaningful])) {
      if (!ROUTES.includes(splitId(id).kind)) continue;
      const route = world.objects.get(id);
      statuses.set(id, route === undefined ? [] : routeStatus(world, route, owned, options));
      yield;
    }
    const routesOf = (owner: ObjectId): AttachedRoutes => this.#attached.of(owner);
    for (const status of classAndGatewayStatuses(world, owned, { ...options, routesOf })) {
      statuses.set(status.object, [...(statuses.get(status.object) ?? []), status]);
      yield;
    }
    return { isWhole, statuses };
  }
}

/**
 * The status of a route depends on its own links, and on what it refers to: Gateways, GatewayClasses, ListenerSets, Namespaces,
 * ReferenceGrants, Services, Secrets. A change of the meaning of such an object may reach any route. The status of one route does not
 * depend on another route, nor on endpoints. Nor does a route bring or take the status of Gateways.
 */
function reachesAllRoutes({ meaningful }: StatusScope): boolean {
  for (const id of meaningful) if (!APART.has(splitId(id).kind)) return true;
  return false;
}

const routesIn = ({ objects }: World): readonly ObjectId[] =>
  ROUTES.flatMap((kind) => objects.ofKind(kind).map(({ id }) => id));
