/** How policies fare in a first evaluation: every path is walked once. */

import { LoneTarget, type ResolvedTargets } from "../../attachment/resolved-targets.ts";
import { ObjectTable, TableDraft } from "../../model/collections/object-table.ts";
import { SortedMap } from "../../model/collections/sorted-map.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { Policy } from "../../model/policy.ts";
import type { PolicyId } from "../../model/refs.ts";
import { LonePolicy } from "../fold/stack.ts";
import { coreBelow, countAlike, countPath, endObjects, forEachPathTo, KnownAncestors } from "../paths/count-paths.ts";
import { PathFinder, type PathsAlike } from "../paths/path-finder.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { SharedCounts } from "./overridden-ends.ts";
import { type PolicyTally, TallyChanges, wholeTally } from "./tally.ts";

export function countAll(world: World): ObjectTable<PolicyId, PolicyTally> {
  const changes = new TallyChanges();
  const counters = world.rulebook.kinds.map((kind) => new Counter(world, kind));
  let lone = 0;
  for (const counter of counters) lone += counter.countInto(changes);
  const counted = new TableDraft<PolicyId, PolicyTally>(world.objects.byId.order);
  changes.forEach((policy, tally) => counted.set(policy.object, tally));
  return ObjectTable.from(new FirstTallies(world, counted, counters, counted.size + lone));
}

/**
 * Most policies are the only one on one route. Their tallies are not kept: what is to be said of them is said as soon when
 * somebody asks, and with them tallies would be the most of what an evaluation holds.
 */
class FirstTallies {
  readonly #world: World;
  readonly #counted: TableDraft<PolicyId, PolicyTally>;
  readonly #counters: readonly Counter[];
  readonly size: number;
  /** The one that was asked for last: a change asks for it several times. */
  #lastRecord: PolicyRecord | undefined = undefined;
  #lastTally: PolicyTally | undefined = undefined;

  constructor(world: World, counted: TableDraft<PolicyId, PolicyTally>, counters: readonly Counter[], size: number) {
    this.#world = world;
    this.#counted = counted;
    this.#counters = counters;
    this.size = size;
  }

  of(policy: KubeObject): PolicyTally | undefined {
    return this.#counted.of(policy) ?? this.#loneTally(this.#world.policies.of(policy));
  }

  get(id: PolicyId): PolicyTally | undefined {
    return this.#counted.get(id) ?? this.#loneTally(this.#world.policies.get(id));
  }

  forEach(visit: (tally: PolicyTally, id: PolicyId) => void): void {
    this.#world.policies.forEach((record, id) => {
      const tally = this.of(record.object);
      if (tally !== undefined) visit(tally, id);
    });
  }

  #loneTally(record: PolicyRecord | undefined): PolicyTally | undefined {
    if (record === undefined) return undefined;
    if (this.#lastRecord !== record) {
      this.#lastRecord = record;
      this.#lastTally = this.#counters[record.kind.index]?.loneTally(record);
    }
    return this.#lastTally;
  }
}

/** Counts the paths of one policy kind. */
class Counter {
  readonly #world: World;
  readonly #kind: CompiledKind;
  readonly #finder: PathFinder;
  readonly #ancestors: KnownAncestors;
  readonly #shared: SharedCounts = new SharedCounts();

  constructor(world: World, kind: CompiledKind) {
    this.#world = world;
    this.#kind = kind;
    this.#finder = new PathFinder(world, kind, undefined, "Together");
    this.#ancestors = new KnownAncestors(kind);
  }

  /** All paths, but for what they say of lone policies. How many of those there are. */
  countInto(changes: TallyChanges): number {
    const kind = this.#kind;
    let lonePolicies = 0;
    for (const end of endObjects(this.#world, kind)) {
      const alike = this.#finder.findAlike(end);
      if (alike === undefined) {
        forEachPathTo(this.#finder, kind, end, (path, core) => countPath(changes, kind, path, core, path.count));
        continue;
      }
      const lone = this.#lonePolicyOn(alike);
      if (lone !== undefined) lonePolicies++;
      countAlike(changes, kind, alike, this.#ancestors, "Come", lone);
    }
    return lonePolicies;
  }

  /** Of a policy that `countInto` left out. */
  loneTally({ policy, targets }: PolicyRecord): PolicyTally | undefined {
    const target = this.#targetOf(targets);
    const alike = target === undefined ? undefined : this.#finder.findAlike(target);
    if (policy === undefined || target === undefined || alike === undefined) return undefined;
    if (this.#lonePolicyOn(alike) !== policy) return undefined;
    const [base] = alike.bases;
    const core = base === undefined ? undefined : coreBelow(base, alike, this.#kind);
    if (base === undefined || core === undefined) return undefined;
    const outcome = core.pattern.outcomes.find((one) => core.policyAt(one.policy) === policy);
    if (outcome === undefined) return undefined;
    const ancestor = this.#ancestors.of(base, target)(policy);
    return SortedMap.single(ancestor, wholeTally(core, outcome, alike, base.count, this.#shared));
  }

  /** Where the policy is attached, if that is one object. */
  #targetOf(targets: ResolvedTargets): KubeObject | undefined {
    if (targets instanceof LoneTarget) return targets.target;
    const [only, another] = targets.attachments;
    return only === undefined || another !== undefined ? undefined : this.#world.objects.byId.get(only.object);
  }

  /** The policy on the object, if no path but those to the object has it, and these all alike. */
  #lonePolicyOn(alike: PathsAlike): Policy | undefined {
    const { own, bases, sections } = alike;
    const [base] = bases;
    if (base === undefined || bases.length > 1 || sections.length === 0) return undefined;
    if (!(own instanceof LonePolicy && own.isOnlyHere)) return undefined;
    const core = coreBelow(base, alike, this.#kind);
    return core === undefined || core.pattern.conditionErrors.length > 0 ? undefined : own.policies[0];
  }
}
