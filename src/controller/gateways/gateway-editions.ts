/** The subject of the condition Programmed: a Gateway and its ListenerSets, each in one generation. */
import { createHash } from "node:crypto";
import type { World } from "../../core/effective/world/world.ts";
import { LISTENER_SETS, OwnedGateways } from "../../core/gateway-status/owned-gateways.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { objectAt } from "../../core/model/json.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import type { ObjectId } from "../../core/model/refs.ts";

/** Two replicas have the same edition of a Gateway if they have read the same generations of it and its ListenerSets. */
export type GatewayEdition = string & { readonly __brand: "GatewayEdition" };

/** Characters of a digest: enough to distinguish the editions of one Gateway, and few enough for thousands of Gateways in one annotation. */
const LENGTH = 12;

/** The editions of Gateways, one evaluation after the other. */
export class GatewayEditions {
  readonly #controllerName: string;
  #world: World | undefined;
  #setsOf = new Map<ObjectId, KubeObject[]>();
  /** Digests by what they are made of: most changes leave most Gateways as they are. */
  readonly #digests = new Map<ObjectId, { readonly text: string; readonly edition: GatewayEdition }>();

  constructor(controllerName: string) {
    this.#controllerName = controllerName;
  }

  editionOf(world: World, gateway: ObjectId): GatewayEdition {
    if (world !== this.#world) this.#use(world);
    const parts = [world.objects.get(gateway), ...(this.#setsOf.get(gateway) ?? [])].map((object) => {
      const metadata = object === undefined ? {} : objectAt(object.raw, "metadata");
      return JSON.stringify([object?.id, metadata["uid"], metadata["generation"]]);
    });
    const text = parts.join("\n");
    const known = this.#digests.get(gateway);
    if (known?.text === text) return known.edition;
    const edition = digestOf(text);
    this.#digests.set(gateway, { text, edition });
    return edition;
  }

  /** Forgets Gateways that are gone. */
  keep(isThere: (gateway: ObjectId) => boolean): void {
    for (const id of this.#digests.keys()) if (!isThere(id)) this.#digests.delete(id);
  }

  #use(world: World): void {
    this.#world = world;
    this.#setsOf = new Map();
    const owned = new OwnedGateways(world, this.#controllerName);
    for (const set of LISTENER_SETS.flatMap((kind) => world.objects.ofKind(kind))) {
      const gateway = owned.gatewayOf(set);
      if (gateway !== undefined) remember(this.#setsOf, gateway.id, () => []).push(set);
    }
  }
}

const digestOf = (text: string): GatewayEdition =>
  createHash("sha256").update(text).digest("base64url").slice(0, LENGTH) as GatewayEdition;
