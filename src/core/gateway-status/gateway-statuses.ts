import type { World } from "../effective/world/world.ts";
import { GATEWAY, GATEWAY_CLASS, kinds } from "../model/kinds.ts";
import { type KindId, kindId } from "../model/refs.ts";
import type { TargetStatus } from "../status/status-report.ts";
import { classStatus } from "./class-status.ts";
import type { GatewayStatusOptions } from "./dataplane-state.ts";
import { gatewayStatus } from "./listener-owner-status.ts";
import { OwnedGateways } from "./owned-gateways.ts";
import { routeStatus } from "./route-status.ts";

export const ROUTES: readonly KindId[] = kinds.filter(({ route }) => route !== undefined).map(kindId);

/** The status of every GatewayClass, Gateway, ListenerSet and route of this controller. An object's own conditions come before those of its listeners. */
export function gatewayStatuses(world: World, options: GatewayStatusOptions): readonly TargetStatus[] {
  const owned = new OwnedGateways(world, options.controllerName);
  return [
    ...classAndGatewayStatuses(world, owned, options),
    ...ROUTES.flatMap((kind) =>
      world.objects.ofKind(kind).flatMap((route) => routeStatus(world, route, owned, options)),
    ),
  ];
}

/** The status of everything but routes, one after the other. */
export function* classAndGatewayStatuses(
  world: World,
  owned: OwnedGateways,
  options: GatewayStatusOptions,
): Generator<TargetStatus> {
  for (const object of world.objects.ofKind(GATEWAY_CLASS))
    if (owned.isOwned(object)) yield classStatus(world, object, options);
  for (const object of world.objects.ofKind(GATEWAY))
    if (owned.isOwned(object)) yield* gatewayStatus(world, object, owned, options);
}
