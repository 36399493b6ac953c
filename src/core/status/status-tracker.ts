/** Keeps the status of policies and targets while the world changes: what a change does not reach is not computed again. */
import type { PathScope } from "../effective/paths/path-scope.ts";
import type { Touched } from "../effective/update/delta.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { ObjectId, PolicyId } from "../model/refs.ts";
import { AffectedCounts } from "./affected-counts.ts";
import { ancestorsIn } from "./ancestors-of.ts";
import { StatusLocationFinder } from "./status-location-finder.ts";
import type { PolicyStatus, StatusOptions, TargetStatus } from "./status-report.ts";
import { ownership, policyStatusSteps } from "./status-report-of.ts";
import { targetStatusesOf } from "./target-statuses.ts";

/** The objects whose status some changes can reach, collected over all of them. */
export class StatusScope {
  readonly #kinds = new Map<CompiledKind, { readonly dirty: Set<ObjectId>; readonly touched: Set<ObjectId> }>();
  readonly #policies = new Set<PolicyId>();
  readonly #objects = new Set<ObjectId>();
  readonly #meaningful = new Set<ObjectId>();
  #isAll = false;
  #isStructural = false;

  /** True: everything may differ. */
  get isAll(): boolean {
    return this.#isAll;
  }

  /** True: objects came or went, or have other links. */
  get isStructural(): boolean {
    return this.#isStructural;
  }

  get policies(): ReadonlySet<PolicyId> {
    return this.#policies;
  }

  /** Objects that changed, in whatever way. */
  get objects(): ReadonlySet<ObjectId> {
    return this.#objects;
  }

  /** Objects that are new, gone or different in meaning, or have other links. */
  get meaningful(): ReadonlySet<ObjectId> {
    return this.#meaningful;
  }

  scopeOf(kind: CompiledKind): PathScope | undefined {
    return this.#kinds.get(kind);
  }

  addAll(): void {
    this.#isAll = true;
    this.#kinds.clear();
    this.#policies.clear();
  }

  /** An object changed, in whatever way: it may only have another generation. */
  addObject(id: ObjectId): void {
    this.#objects.add(id);
  }

  /** `touched`: undefined if the policy kinds themselves changed. `kinds`: those that the controller owns. */
  add(touched: Touched | undefined, kinds: readonly CompiledKind[]): void {
    if (this.#isAll) return;
    if (touched === undefined) {
      this.addAll();
      return;
    }
    for (const id of touched.changed) this.#objects.add(id);
    for (const { id } of touched.objects) this.#meaningful.add(id);
    for (const id of touched.links) this.#meaningful.add(id);
    for (const policy of touched.policies()) this.#policies.add(policy);
    if (
      touched.links.size > 0 ||
      touched.objects.some(({ before, after }) => before === undefined || after === undefined)
    )
      this.#isStructural = true;
    for (const kind of kinds) {
      const { dirty, touched: below } = touched.scopeOf(kind);
      if (dirty.size === 0) continue;
      const all = this.#kinds.get(kind) ?? { dirty: new Set(), touched: new Set() };
      this.#kinds.set(kind, all);
      for (const id of dirty) all.dirty.add(id);
      for (const id of below) all.touched.add(id);
    }
  }
}

/** The status of what a change reaches. Much of it is as before. */
export interface StatusChanges {
  /** True: this is the status of everything, and what is not in it has none. */
  readonly isWhole: boolean;
  /** By policy: its status. Undefined: there is no such policy of an owned kind any more. */
  readonly policies: ReadonlyMap<PolicyId, PolicyStatus | undefined>;
  /** By object: its `Affected` conditions; empty: none any more. */
  readonly targets: ReadonlyMap<ObjectId, readonly TargetStatus[]>;
}

/**
 * The result after each update equals `statusReportOf` of its world. An update whose steps are not all taken leaves the tracker unusable.
 */
export class StatusTracker {
  readonly #options: StatusOptions;
  #state:
    | { readonly world: World; readonly counts: AffectedCounts; readonly locations: StatusLocationFinder }
    | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
  }

  /** The status in the next world, of everything in the scope, in steps. */
  *update(world: World, scope: StatusScope): Generator<void, StatusChanges> {
    const before = this.#state;
    const isAnew = before === undefined || scope.isAll || before.world.rulebook !== world.rulebook;
    const locations = isAnew ? new StatusLocationFinder(world, this.#options.controllerName) : before.locations;
    const counts = isAnew ? new AffectedCounts(this.#options.controllerName, locations) : before.counts;
    const owns = ownership(this.#options);
    const kinds = world.rulebook.kinds.filter(owns);
    const touched = new Set<ObjectId>();
    if (isAnew) {
      for (const kind of kinds) yield* counts.count(world, kind, 1, { touched });
    } else {
      for (const kind of kinds) {
        const own = scope.scopeOf(kind);
        if (own === undefined) continue;
        yield* counts.count(before.world, kind, -1, { scope: own, touched });
        yield* counts.count(world, kind, 1, { scope: own, touched });
      }
      for (const id of scope.objects) touched.add(id);
    }
    this.#state = { world, counts, locations };
    const targets = new Map<ObjectId, readonly TargetStatus[]>();
    for (const id of touched) {
      targets.set(id, targetStatusesOf(world, id, counts, locations));
      yield;
    }
    const ids = isAnew ? allPolicies(world) : policiesIn(world, scope, kinds);
    return { isWhole: isAnew, policies: yield* policyStatusSteps(world, ids, this.#options), targets };
  }
}

function allPolicies({ policies }: World): readonly PolicyId[] {
  const ids: PolicyId[] = [];
  policies.forEach((_, id) => void ids.push(id));
  return ids;
}

/** The ancestors of a Direct kind are the Gateways above its targets, which may be far away from what changed. */
function policiesIn(world: World, scope: StatusScope, kinds: readonly CompiledKind[]): ReadonlySet<PolicyId> {
  const far = new Set(
    kinds.filter(({ definition }) => definition.class === "Direct" && ancestorsIn(definition) === "Gateway"),
  );
  if (!scope.isStructural || far.size === 0) return scope.policies;
  const ids = new Set(scope.policies);
  world.policies.forEach((record, id) => {
    if (far.has(record.kind)) ids.add(id);
  });
  return ids;
}
