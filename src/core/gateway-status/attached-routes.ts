/** How many routes are attached to each listener, also while the world changes. */
import { referrersToParent } from "../effective/world/link-indexes.ts";
import type { World } from "../effective/world/world.ts";
import { remember } from "../model/collections/remember.ts";
import { GATEWAY } from "../model/kinds.ts";
import { type KindId, type ObjectId, splitId } from "../model/refs.ts";
import { LISTENER_SETS } from "./owned-gateways.ts";

/** By the name of the listener. */
export type AttachedRoutes = ReadonlyMap<string, number>;

/**
 * Attached routes of a listener
 *
 * The routes that are attached to a listener of the owner by its name, counted by the name of the listener. Whether the listener or the references of
 * the route are valid does not matter.
 * Gateway API, "ListenerStatus.attachedRoutes"
 */
export function attachedRoutes(world: World, owner: ObjectId): AttachedRoutes {
  const counts = new Map<string, number>();
  for (const id of referrersToParent(world, owner))
    for (const { parent, section } of attachmentsOf(world, id)) if (parent === owner) add(counts, section, 1);
  return counts;
}

/** The counts of attached routes for all owners of listeners. Only what a change reaches is counted again. */
export class AttachedRouteCounts {
  readonly #counts = new Map<ObjectId, Map<string, number>>();
  readonly #attachments = new Map<ObjectId, readonly ListenerUse[]>();

  /** Counts everything anew. */
  use(world: World): void {
    this.#counts.clear();
    this.#attachments.clear();
    world.links.forEach((_, id) => this.#count(world, id));
  }

  /** `changed`: objects that came or went, or have other links. */
  update(world: World, changed: Iterable<ObjectId>): void {
    for (const id of changed) {
      for (const { parent, section } of this.#attachments.get(id) ?? []) add(this.#countsOf(parent), section, -1);
      this.#attachments.delete(id);
      this.#count(world, id);
    }
  }

  of(owner: ObjectId): AttachedRoutes {
    return this.#counts.get(owner) ?? NO_ROUTES;
  }

  #count(world: World, id: ObjectId): void {
    const attachments = attachmentsOf(world, id);
    if (attachments.length === 0) return;
    this.#attachments.set(id, attachments);
    for (const { parent, section } of attachments) add(this.#countsOf(parent), section, 1);
  }

  #countsOf(owner: ObjectId): Map<string, number> {
    return remember(this.#counts, owner, () => new Map<string, number>());
  }
}

interface ListenerUse {
  readonly parent: ObjectId;
  /** The name of the listener. */
  readonly section: string;
}

const NO_ROUTES: AttachedRoutes = new Map();

/** Kinds that have listeners. */
const OWNERS: ReadonlySet<KindId> = new Set([GATEWAY, ...LISTENER_SETS]);

/** The listeners that an object is attached to, each once, although several of its parentRefs may name one. */
function attachmentsOf(world: World, id: ObjectId): readonly ListenerUse[] {
  const found: ListenerUse[] = [];
  for (const { parent, section } of world.links.get(id)?.up ?? []) {
    if (section === undefined || !OWNERS.has(splitId(parent).kind)) continue;
    if (found.some((one) => one.parent === parent && one.section === section)) continue;
    found.push({ parent, section });
  }
  return found;
}

function add(counts: Map<string, number>, section: string, by: number): void {
  const count = (counts.get(section) ?? 0) + by;
  if (count === 0) counts.delete(section);
  else counts.set(section, count);
}
