import type { World } from "../effective/world/world.ts";
import { GATEWAY_API, kinds } from "../model/kinds.ts";
import { type KindId, kindId } from "../model/refs.ts";
import type { TargetStatus } from "../status/status-report.ts";
import { classStatus } from "./class-status.ts";
import type { GatewayStatusOptions } from "./dataplane-state.ts";
import { gatewayStatus } from "./listener-owner-status.ts";
import { OwnedGateways } from "./owned-gateways.ts";
import { routeStatus } from "./route-status.ts";

const GATEWAY_CLASS = kindId({ group: GATEWAY_API, kind: "GatewayClass" });
const GATEWAY = kindId({ group: GATEWAY_API, kind: "Gateway" });
const ROUTES: readonly KindId[] = kinds.filter(({ route }) => route !== undefined).map(kindId);

/** The status of every GatewayClass, Gateway, ListenerSet and route of this controller. An object's own conditions come before those of its listeners. */
export function gatewayStatuses(world: World, options: GatewayStatusOptions): readonly TargetStatus[] {
  const owned = new OwnedGateways(world, options.controllerName);
  return [
    ...world.objects
      .ofKind(GATEWAY_CLASS)
      .filter((object) => owned.isOwned(object))
      .map((object) => classStatus(world, object, options)),
    ...world.objects
      .ofKind(GATEWAY)
      .filter((object) => owned.isOwned(object))
      .flatMap((gateway) => gatewayStatus(world, gateway, owned, options)),
    ...ROUTES.flatMap((kind) =>
      world.objects.ofKind(kind).flatMap((route) => routeStatus(world, route, owned, options)),
    ),
  ];
}
