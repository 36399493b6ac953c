/** The objects of this controller: the GatewayClasses that name our controller, their Gateways, and what is attached to these. */
import { controllerOf, isGateway, isGatewayClass } from "../effective/world/gateway-controllers.ts";
import type { World } from "../effective/world/world.ts";
import { remember } from "../model/collections/remember.ts";
import { isJsonObject, type JsonObject, objectAt, ownValue } from "../model/json.ts";
import { GATEWAY_API, GATEWAY_CLASS } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { isPlainName, type KindId, kindId, type ObjectRef, objectId } from "../model/refs.ts";
import { namedParent } from "../status/named-parent.ts";

/** Kinds that have listeners but are not Gateways. */
export const LISTENER_SETS: readonly KindId[] = [
  kindId({ group: GATEWAY_API, kind: "ListenerSet" }),
  kindId({ group: "gateway.networking.x-k8s.io", kind: "XListenerSet" }),
];

const NO_SETS: readonly KubeObject[] = [];

/**
 * Objects of our controller
 *
 * A controller writes the status of the GatewayClasses that name it, of their Gateways, of the ListenerSets that name one of these as their parent, and
 * the entries of routes for parents among these. The status of other objects belongs to others.
 * Gateway API, "GatewayClassSpec.controllerName"
 */
export class OwnedGateways {
  readonly #world: World;
  readonly #controllerName: string;
  /** By Gateway. Undefined: not needed yet. */
  #sets: Map<KubeObject, KubeObject[]> | undefined;

  constructor(world: World, controllerName: string) {
    this.#world = world;
    this.#controllerName = controllerName;
  }

  isOwned(object: KubeObject): boolean {
    if (isGatewayClass(object.ref)) return controllerOf(object.raw) === this.#controllerName;
    if (isGateway(object.ref)) {
      const name = ownValue(objectAt(object.raw, "spec"), "gatewayClassName");
      const found = typeof name === "string" ? this.#world.objects.find(GATEWAY_CLASS, "", name) : undefined;
      return found !== undefined && this.isOwned(found);
    }
    const gateway = this.gatewayOf(object);
    return gateway !== undefined && this.isOwned(gateway);
  }

  /** The Gateway that a ListenerSet names as its parent, whether it accepts the ListenerSet or not. */
  gatewayOf(listenerSet: KubeObject): KubeObject | undefined {
    const ref = ownValue(objectAt(listenerSet.raw, "spec"), "parentRef");
    const gateway = isJsonObject(ref) ? this.parentOf(listenerSet.ref, ref) : undefined;
    return gateway !== undefined && isGateway(gateway.ref) ? gateway : undefined;
  }

  /** The ListenerSets that name the Gateway as their parent, whether it accepts them or not. */
  setsOf(gateway: KubeObject): readonly KubeObject[] {
    if (this.#sets === undefined) {
      this.#sets = new Map();
      for (const set of LISTENER_SETS.flatMap((kind) => this.#world.objects.ofKind(kind))) {
        const parent = this.gatewayOf(set);
        if (parent !== undefined) remember(this.#sets, parent, () => []).push(set);
      }
    }
    return this.#sets.get(gateway) ?? NO_SETS;
  }

  /** The object that a reference to a parent names. */
  parentOf(child: ObjectRef, ref: JsonObject): KubeObject | undefined {
    const named = namedParent(this.#world, child, ref);
    if (named === undefined || !isPlainName(named.name) || !isPlainName(named.namespace)) return undefined;
    return this.#world.objects.get(objectId(named));
  }
}
