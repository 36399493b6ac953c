/** How often each policy affects each object, by position in its status: what can be added and taken away again when paths come and go. */

import type { Node } from "../effective/paths/path.ts";
import type { PathScope } from "../effective/paths/path-scope.ts";
import { affectedSteps } from "../effective/verdicts/affected-targets.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { ObjectId, PolicyId } from "../model/refs.ts";
import { affectedType } from "./affected-type.ts";
import { positionKey, type StatusLocationFinder, type StatusPosition } from "./status-location-finder.ts";

/** The policies that affect one position, by condition type. */
export interface AffectedPosition {
  readonly position: StatusPosition;
  readonly byType: Map<string, AffectedByType>;
}

export interface AffectedByType {
  readonly certain: PolicySections;
  /** Policies on incomplete paths. */
  readonly possible: PolicySections;
}

/** By policy: the sections that it affects, each with its number of paths; the section `` is the object as a whole. */
export type PolicySections = Map<PolicyId, Map<string, number>>;

const WHOLE = "";

export class AffectedCounts {
  readonly #controllerName: string;
  readonly #locations: StatusLocationFinder;
  readonly #objects = new Map<ObjectId, Map<string, AffectedPosition>>();

  constructor(controllerName: string, locations: StatusLocationFinder) {
    this.#controllerName = controllerName;
    this.#locations = locations;
  }

  objects(): Iterable<ObjectId> {
    return this.#objects.keys();
  }

  positionsOf(id: ObjectId): Iterable<AffectedPosition> {
    return this.#objects.get(id)?.values() ?? [];
  }

  /** Adds (1) or takes away (-1) what the paths of a policy kind affect, in steps. Notes the objects in `touched`. */
  count(
    world: World,
    kind: CompiledKind,
    by: 1 | -1,
    { scope, touched }: { readonly scope?: PathScope; readonly touched?: Set<ObjectId> } = {},
  ): Generator<void, void> {
    const type = affectedType(this.#controllerName, kind.policyKind.kind);
    const visit = (nodes: readonly Node[], at: number, policy: PolicyId, isIncomplete: boolean): void => {
      const node = nodes[at] as Node;
      const object = world.objects.get(node.id);
      // Implied and virtual objects have no status.
      const position = object === undefined ? undefined : this.#locations.positionOf(object, nodes, at);
      if (position === undefined) return;
      touched?.add(node.id);
      const section = position.at === "Listener" ? WHOLE : (node.section?.name ?? WHOLE);
      this.#add(node.id, position, { type, policy, section, list: isIncomplete ? "possible" : "certain" }, by);
    };
    return affectedSteps(world, kind, visit, scope);
  }

  #add(id: ObjectId, position: StatusPosition, { type, policy, section, list }: Contribution, by: 1 | -1): void {
    const positions = entry(this.#objects, id, () => new Map<string, AffectedPosition>());
    const key = positionKey(position);
    const { byType } = entry(positions, key, () => ({ position, byType: new Map<string, AffectedByType>() }));
    const both = entry(byType, type, newCounts);
    const sections = entry(both[list], policy, () => new Map<string, number>());
    const count = (sections.get(section) ?? 0) + by;
    if (count !== 0) {
      sections.set(section, count);
      return;
    }
    sections.delete(section);
    if (sections.size > 0 || !both[list].delete(policy)) return;
    if (both.certain.size + both.possible.size > 0 || !byType.delete(type)) return;
    if (byType.size > 0 || !positions.delete(key)) return;
    if (positions.size === 0) this.#objects.delete(id);
  }
}

const newCounts = (): AffectedByType => ({
  certain: new Map<PolicyId, Map<string, number>>(),
  possible: new Map<PolicyId, Map<string, number>>(),
});

interface Contribution {
  readonly type: string;
  readonly policy: PolicyId;
  readonly section: string;
  readonly list: "certain" | "possible";
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
