import type { World } from "../effective/world/world.ts";
import { isJsonList, type Json, type JsonObject, objectAt, ownValue } from "../model/json.ts";
import { GATEWAY, GATEWAY_API, GATEWAY_CLASS } from "../model/kinds.ts";
import type { OwnedGateways } from "./owned-gateways.ts";

export const GATEWAY_EXISTS_FINALIZER: string = `gateway-exists-finalizer.${GATEWAY_API}`;

export interface ClassUse {
  /** Another class of the same name has another one. */
  readonly uid: string;
  readonly isUsed: boolean;
}

/** The GatewayClasses of our controller by name, and whether a Gateway uses each. A Gateway that is being deleted still does. */
export function classesInUse(world: World, owned: OwnedGateways): ReadonlyMap<string, ClassUse> {
  const used = new Set<Json | undefined>();
  world.objects.ofKind(GATEWAY).forEach(({ raw }) => used.add(ownValue(objectAt(raw, "spec"), "gatewayClassName")));
  const classes = world.objects.ofKind(GATEWAY_CLASS).filter((object) => owned.isOwned(object));
  return new Map(
    classes.map(({ name, raw }) => {
      const uid = ownValue(objectAt(raw, "metadata"), "uid");
      return [name, { uid: typeof uid === "string" ? uid : "", isUsed: used.has(name) }];
    }),
  );
}

/**
 * A GatewayClass in use stays
 *
 * A GatewayClass has a finalizer while Gateways use it, so that one that is deleted stays until the last of them is gone. Only the controller of the class sets and removes it. An object that is being
 * deleted gets no finalizer any more. Returns the object to write; undefined if it is as it should be.
 * Gateway API, "GatewayClass"
 */
export function withFinalizer(
  gatewayClass: JsonObject,
  { isUsed }: { readonly isUsed: boolean },
): JsonObject | undefined {
  const metadata = objectAt(gatewayClass, "metadata");
  const list = ownValue(metadata, "finalizers");
  const before = isJsonList(list) ? list : [];
  const has = before.includes(GATEWAY_EXISTS_FINALIZER);
  if (has === isUsed || (isUsed && Object.hasOwn(metadata, "deletionTimestamp"))) return undefined;
  const others = before.filter((one) => one !== GATEWAY_EXISTS_FINALIZER);
  const finalizers = isUsed ? [...others, GATEWAY_EXISTS_FINALIZER] : others;
  return { ...gatewayClass, metadata: { ...metadata, finalizers } };
}
