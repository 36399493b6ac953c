/**
 * The next world after a change, and what differs. Only what the change touches is worked out again; everything else is
 * shared with the world before, which stays as it was. A change of the rules themselves starts anew.
 */
import type { Json } from "../../model/json.ts";
import { compareText, kindId, type ObjectId, type PolicyId, parseObjectId } from "../../model/refs.ts";
import { jsonIdentical } from "../../model/same-meaning.ts";
import { type EffectivePath, effectivePathsTo } from "../fold/for-each-effective.ts";
import { isEndObject } from "../paths/end-objects.ts";
import { PathFinder, type PathScope } from "../paths/path-finder.ts";
import { countEffectivePaths } from "../verdicts/count-effective-paths.ts";
import { changedTally, type TallyChanges } from "../verdicts/tally-changes.ts";
import type { Verdict } from "../verdicts/verdict.ts";
import { verdictOf } from "../verdicts/verdict-of.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { findTangles } from "../world/find-tangles.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { comparePaths } from "./compare-paths.ts";
import type { Delta, EffectiveChange, Touched, VerdictChange } from "./delta.ts";
import { scopeOf, structurallyDirty, type Worlds } from "./dirty-objects.ts";
import type { ObjectChange, ObjectChanges } from "./object-changes.ts";
import { updateLinks } from "./update-links.ts";
import { updateObjects } from "./update-objects.ts";
import { namespaceIds, updatePolicies } from "./update-policies.ts";
import { worldWith } from "./world-with.ts";

export interface UpdatedWorld {
  readonly world: World;
  readonly delta: Delta;
  readonly touched: Touched;
}

export function updateWorld(before: World, { changes, documentFindings }: ObjectChanges): UpdatedWorld {
  const { objects, refused, doubles, grants, namespaces } = updateObjects(before, changes);
  const rulebook = relocatedRules(before, changes);
  const populated = worldWith(before, { objects, refused, doubles, grants, documentFindings, rulebook });
  const links = updateLinks(populated, changes);
  const linked = worldWith(populated, links);
  const { relinked, answeredAnew } = links;
  const implied = new Set([...links.named, ...namespaceIds(namespaces)]);
  const policies = updatePolicies(linked, changes, implied);
  const { judgedAnew, edited } = policies;
  const untallied = worldWith(linked, policies, tanglesOf(before, linked, relinked));
  const worlds: Worlds = { before, after: untallied };

  const structural = structurallyDirty(worlds, changes, relinked);
  const tallyChanges: TallyChanges = new Map();
  const effective: EffectiveChange[] = [];
  for (const kind of before.rulebook.kinds) {
    const sets = edited[kind.index];
    if (sets === undefined || !hasPolicies(worlds, kind)) continue;
    const scope = scopeOf(worlds, kind, structural, changes, sets.targets);
    for (const change of walkBoth(worlds, kind, scope, tallyChanges)) effective.push(change);
  }
  const after = worldWith(untallied, { tallies: tallied(before, tallyChanges) });
  const judged = new Set([...judgedAnew, ...tallyChanges.keys()]);
  const delta: Delta = { effective, verdicts: compareVerdicts({ before, after }, judged) };
  return { world: after, delta, touched: { objects: changes.filter(({ isQuiet }) => !isQuiet), links: answeredAnew } };
}

const hasPolicies = ({ before, after }: Worlds, { index }: CompiledKind): boolean =>
  (before.attached[index]?.size ?? 0) > 0 || (after.attached[index]?.size ?? 0) > 0;

/** A definition that only moved within its file still means the same; what is said about it has moved along. */
function relocatedRules({ rulebook }: World, changes: readonly ObjectChange[]): World["rulebook"] {
  if (rulebook.findings.length === 0) return rulebook;
  const moved = new Map(changes.map(({ id, after }) => [id, after?.source]));
  const findings = rulebook.findings.map((finding) => {
    const source = finding.object === undefined ? undefined : moved.get(finding.object);
    return source === undefined ? finding : { ...finding, source };
  });
  return { ...rulebook, findings };
}

function tanglesOf(before: World, linked: World, relinked: ReadonlySet<ObjectId>): World["tangles"] {
  const isForeign = (id: ObjectId): boolean => linked.rulebook.isForeign(kindId(parseObjectId(id)));
  return [...relinked].some(isForeign) ? findTangles(linked) : before.tangles;
}

/** Paths in scope, one end at a time: taken off the tallies as they were, added as they are, and compared. */
function* walkBoth(
  worlds: Worlds,
  kind: CompiledKind,
  scope: PathScope,
  tallies: TallyChanges,
): Iterable<EffectiveChange> {
  const finders = {
    before: new PathFinder(worlds.before, kind, scope),
    after: new PathFinder(worlds.after, kind, scope),
  };
  for (const id of [...scope.touched].sort()) {
    const old = pathsTo(worlds.before, kind, finders.before, id);
    const now = pathsTo(worlds.after, kind, finders.after, id);
    countEffectivePaths(tallies, kind, old, "Go");
    countEffectivePaths(tallies, kind, now, "Come");
    yield* comparePaths(old, now);
  }
}

const NO_PATHS: readonly EffectivePath[] = [];

/** The paths that end at an object, if paths of the kind may end there. */
export function pathsTo(world: World, kind: CompiledKind, finder: PathFinder, id: ObjectId): readonly EffectivePath[] {
  if (!isEndObject(world, kind, id)) return NO_PATHS;
  return effectivePathsTo(finder, kind, { id, ref: parseObjectId(id) });
}

function tallied({ tallies }: World, changes: TallyChanges): World["tallies"] {
  let result = tallies;
  for (const policy of changes.keys()) {
    const before = result.get(policy);
    const after = changedTally(changes, policy, before);
    if (after === before) continue;
    result = after === undefined ? result.without(policy) : result.with(policy, after);
  }
  return result;
}

/** Of those that may have changed. */
export function compareVerdicts({ before, after }: Worlds, policies: Iterable<PolicyId>): readonly VerdictChange[] {
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

/** By far the most common: accepted, as it was, and counted as it was. */
function faresAsBefore(
  { before, after }: Worlds,
  policy: PolicyId,
  old: PolicyRecord | undefined,
  now: PolicyRecord | undefined,
): boolean {
  if (old?.policy === undefined || now?.policy === undefined || now.kind.definition.merge.none) return false;
  if (old.targets.attachments.length === 0 || now.targets.attachments.length === 0) return false;
  return before.tallies.get(policy) === after.tallies.get(policy);
}

// Verdicts are plain data, so they compare as such.
const isSameVerdict = (a: Verdict | undefined, b: Verdict | undefined): boolean =>
  a !== undefined && b !== undefined && jsonIdentical(a as unknown as Json, b as unknown as Json);
