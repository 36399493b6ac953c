/**
 * The next world after a change, and what differs. Only what the change affects is computed again; everything else is
 * shared with the world before, which does not change. A change of the rules evaluates everything again.
 */

import { mayConflict } from "../../merge/settle-target.ts";
import { made, type Once, once } from "../../model/collections/once.ts";
import type { Json } from "../../model/json.ts";
import { compareText, type ObjectId, type PolicyId, parseObjectId, splitId } from "../../model/refs.ts";
import { addEffective, type EffectivePath, effectivePathsTo } from "../fold/for-each-effective.ts";
import { hasPolicies, isEndObject } from "../paths/end-objects.ts";
import { PathFinder } from "../paths/path-finder.ts";
import type { PathScope } from "../paths/path-scope.ts";
import { Restacker } from "../paths/restacker.ts";
import { unenforcedPolicies } from "../paths/unenforced-paths.ts";
import { PathCounter } from "../verdicts/path-counter.ts";
import { changedTallies, countedPolicies, type TallyChanges } from "../verdicts/tally-changes.ts";
import type { Verdict } from "../verdicts/verdict.ts";
import { verdictOf } from "../verdicts/verdict-of.ts";
import { setsIn } from "../world/attached-policies.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { NodeSets } from "../world/stack.ts";
import type { PolicyRecord, WithPolicies, World } from "../world/world.ts";
import { comparePaths } from "./compare-paths.ts";
import type { Delta, EffectiveChange, Touched, VerdictChange } from "./delta.ts";
import { ancestorsOf, type Worlds } from "./dirty-objects.ts";
import { jsonIdentical } from "./has-same-meaning.ts";
import type { ObjectChange, ObjectChanges } from "./object-changes.ts";
import { namespaceIds } from "./update-policies.ts";
import { updateTables } from "./update-tables.ts";

export interface UpdatedWorld {
  readonly world: World;
  readonly delta: Delta;
  readonly touched: Touched;
}

export function updateWorld(before: World, objectChanges: ObjectChanges): UpdatedWorld {
  const { changes } = objectChanges;
  const updated = updateTables(before, objectChanges);
  const { after: tables, structural, linked, judgedAnew, editedTargets, scopeOf } = updated;
  const worlds: Worlds = { before, after: tables };
  const tallyChanges: TallyChanges = new Map();
  const effective: EffectiveChange[] = [];
  const near = new Set<PolicyId>();
  const areLinkedAlike = isChangeOfPolicies(worlds, changes, structural);
  for (const kind of before.rulebook.kinds) {
    if (!haveAnyPolicies(worlds, kind)) continue;
    const scope = scopeOf(kind);
    const isRestackable = areLinkedAlike && mayRestack(before, kind, editedTargets(kind));
    walkBoth({ worlds, kind, scope, isRestackable }, tallyChanges, effective);
    addAttached(near, worlds, kind, scope, linked);
  }
  const tallies = changedTallies(before.countTallies(), tallyChanges);
  // Functions made here would keep the world before in memory, which keeps the one before it, as long as this one is used.
  const after: World = { countTallies: made(tallies), findUnenforced: unenforcedIn(tables), ...tables };
  const pathless = [...near].filter((policy) => !tallies.has(policy) && !before.countTallies().has(policy));
  const judged = new Set([...judgedAnew, ...countedPolicies(tallyChanges), ...pathless]);
  const delta: Delta = { effective, verdicts: compareVerdicts({ before, after }, judged) };
  const objects = changes.filter(({ isQuiet }) => !isQuiet);
  const policies = (): ReadonlySet<PolicyId> => new Set([...judged, ...near]);
  const touched = { changed: changes.map(({ id }) => id), objects, links: linked, policies, scopeOf };
  return { world: after, delta, touched };
}

const unenforcedIn = (tables: WithPolicies): Once<ReturnType<typeof unenforcedPolicies>> =>
  once(() => unenforcedPolicies(tables));

const haveAnyPolicies = ({ before, after }: Worlds, kind: CompiledKind): boolean =>
  hasPolicies(before, kind) || hasPolicies(after, kind);

/**
 * Adds the policies on objects near a change. Whether a policy without a path may have one elsewhere depends on the links of its targets, and
 * on whether a Gateway of another controller is on a path through them, or through what their Namespace contains.
 */
function addAttached(
  near: Set<PolicyId>,
  { before, after }: Worlds,
  { index, definition, namespacesAbove }: CompiledKind,
  { dirty, touched }: PathScope,
  relinked: ReadonlySet<ObjectId>,
): void {
  const add = (sets: NodeSets | undefined): void => {
    if (sets === undefined) return;
    for (const { policies, conflicted } of setsIn(sets)) {
      for (const { id } of policies) near.add(id);
      for (const { id } of conflicted) near.add(id);
    }
  };
  const [old, now] = [before.attached[index], after.attached[index]];
  for (const ids of [relinked, touched])
    for (const id of ids) {
      const [was, is] = [old?.get(id), now?.get(id)];
      add(was);
      // Most objects near a change have the same policies as before.
      if (is !== was) add(is);
    }
  if (definition.controllers.length === 0) return;
  const namespaces = new Set<string>();
  const addNamespace = (id: ObjectId): void => {
    const { kind, namespace } = splitId(id);
    if (namespacesAbove.has(kind)) namespaces.add(namespace);
  };
  for (const world of [before, after])
    for (const id of ancestorsOf(dirty, world)) {
      add(world.attached[index]?.get(id));
      addNamespace(id);
    }
  touched.forEach(addNamespace);
  for (const id of namespaceIds([...namespaces])) for (const sets of [old?.get(id), now?.get(id)]) add(sets);
}

/** True if policies alone change, and no object has other links because of it. */
function isChangeOfPolicies(
  { before, after }: Worlds,
  changes: readonly ObjectChange[],
  structural: ReadonlySet<ObjectId>,
): boolean {
  const isOfPolicy = (id: ObjectId): boolean =>
    before.policies.has(id as PolicyId) || after.policies.has(id as PolicyId);
  return (
    before.links === after.links &&
    before.unfollowed === after.unfollowed &&
    changes.every(({ id, isQuiet }) => isQuiet || isOfPolicy(id)) &&
    [...structural].every(isOfPolicy)
  );
}

/** False where the paths depend on policies: of kinds that take effect on their targets alone, and on virtual objects. */
function mayRestack({ objects }: WithPolicies, { definition }: CompiledKind, edited: ReadonlySet<ObjectId>): boolean {
  if (definition.class === "Direct" || definition.merge.sameTarget === "Undefined") return false;
  return [...edited].every((id) => objects.has(id) || splitId(id).namespace === "");
}

interface Walk {
  readonly worlds: Worlds;
  readonly kind: CompiledKind;
  readonly scope: PathScope;
  /** True if the paths after the change are those before it, with other policies. */
  readonly isRestackable: boolean;
}

/**
 * Visits the paths in scope, one effective target at a time: subtracts the old ones from the tallies, adds the new ones, and adds to `changes`
 * where they differ.
 */
function walkBoth(
  { worlds, kind, scope, isRestackable }: Walk,
  tallies: TallyChanges,
  changes: EffectiveChange[],
): void {
  const finders = {
    before: new PathFinder(worlds.before, kind, { scope }),
    after: new PathFinder(worlds.after, kind, { scope }),
  };
  const restacker = isRestackable ? new Restacker(worlds.after, kind) : undefined;
  const [going, coming] = [new PathCounter(tallies, kind, "Go"), new PathCounter(tallies, kind, "Come")];
  for (const id of [...scope.touched].sort()) {
    const both =
      restacker === undefined ? undefined : restackedPathsTo(worlds.before, kind, finders.before, restacker, id);
    const old = both?.old ?? pathsTo(worlds.before, kind, finders.before, id);
    const now = both?.now ?? pathsTo(worlds.after, kind, finders.after, id);
    for (const { path, effective } of old) going.add(path, effective);
    for (const { path, effective } of now) coming.add(path, effective);
    for (const change of comparePaths(old, now)) changes.push(change);
  }
  going.finish();
  coming.finish();
}

/** The paths that end at an object before and after a change of policies. Undefined: they have to be found in each world. */
function restackedPathsTo(
  world: WithPolicies,
  kind: CompiledKind,
  finder: PathFinder,
  restacker: Restacker,
  id: ObjectId,
): { readonly old: readonly EffectivePath[]; readonly now: readonly EffectivePath[] } | undefined {
  const old: EffectivePath[] = [];
  const now: EffectivePath[] = [];
  if (!isEndObject(world, kind, id)) return { old, now };
  let areAll = true;
  finder.forEachPathTo({ id, ref: parseObjectId(id) }, (path) => {
    const next = restacker.restack(path);
    if (next === undefined) areAll = false;
    // Both have the same nodes, so the same own values.
    const own = addEffective(old, path, kind);
    if (next !== undefined) addEffective(now, next, kind, own);
  });
  return areAll ? { old, now } : undefined;
}

const NO_PATHS: readonly EffectivePath[] = [];

/** The paths that end at an object, if paths of the kind may end there. */
export function pathsTo(
  world: WithPolicies,
  kind: CompiledKind,
  finder: PathFinder,
  id: ObjectId,
): readonly EffectivePath[] {
  if (!isEndObject(world, kind, id)) return NO_PATHS;
  return effectivePathsTo(finder, kind, { id, ref: parseObjectId(id) });
}

/** All tables before and after a change. */
export interface CompleteWorlds {
  readonly before: World;
  readonly after: World;
}

/** The verdicts that differ, among the policies whose verdict may have changed. */
export function compareVerdicts(
  { before, after }: CompleteWorlds,
  policies: Iterable<PolicyId>,
): readonly VerdictChange[] {
  const changes: VerdictChange[] = [];
  for (const policy of [...policies].sort(compareText)) {
    const [old, now] = [before.policies.get(policy), after.policies.get(policy)];
    const record = now ?? old;
    if (record === undefined || faresAsBefore({ before, after }, policy, old, now)) continue;
    const was = old === undefined ? undefined : verdictOf(before, old);
    const is = now === undefined ? undefined : verdictOf(after, now);
    if (isSameVerdict(was, is)) continue;
    changes.push({
      policy,
      policyKind: record.kind.policyKind,
      ...(was === undefined ? {} : { before: was }),
      ...(is === undefined ? {} : { after: is }),
    });
  }
  return changes;
}

/** True in most cases: the policy is still accepted, with the same counts. */
function faresAsBefore(
  { before, after }: CompleteWorlds,
  policy: PolicyId,
  old: PolicyRecord | undefined,
  now: PolicyRecord | undefined,
): boolean {
  if (old?.policy === undefined || now?.policy === undefined || mayConflict(now.kind.definition.merge)) return false;
  if (old.targets.attachments.length === 0 || now.targets.attachments.length === 0) return false;
  const tally = before.countTallies().get(policy);
  return tally !== undefined && tally === after.countTallies().get(policy);
}

// Verdicts are plain data, so they compare as such.
const isSameVerdict = (a: Verdict | undefined, b: Verdict | undefined): boolean =>
  a !== undefined && b !== undefined && jsonIdentical(a as unknown as Json, b as unknown as Json);
