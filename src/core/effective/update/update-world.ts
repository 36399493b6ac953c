/**
 * The next world after a change, and what differs. Only what the change touches is worked out again; everything else is
 * shared with the world before, which stays as it was. A change of the rules themselves starts anew.
 */
import type { Json } from "../../model/json.ts";
import { compareText, kindId, type ObjectId, type PolicyId, parseObjectId } from "../../model/refs.ts";
import { jsonIdentical } from "../../model/same-meaning.ts";
import { effectiveAt } from "../fold/effective-at.ts";
import { countAlike, countPath, isEndObject, KnownAncestors } from "../paths/count-paths.ts";
import type { Path } from "../paths/path.ts";
import { PathFinder, type PathScope, type PathsAlike } from "../paths/path-finder.ts";
import { ShownBases } from "../paths/shown-bases.ts";
import { TallyChanges } from "../verdicts/tally.ts";
import type { Verdict } from "../verdicts/verdict.ts";
import { verdictOf } from "../verdicts/verdict-of.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { findTangles } from "../world/find-tangles.ts";
import type { PolicyRecord, World } from "../world/world.ts";
import { compareAlike, haveSameBases } from "./compare-alike.ts";
import { comparePaths, type FoundPath } from "./compare-paths.ts";
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
  const tallyChanges = new TallyChanges();
  const effective: EffectiveChange[] = [];
  for (const kind of before.rulebook.kinds) {
    const sets = edited[kind.index];
    if (sets === undefined || !hasPolicies(worlds, kind)) continue;
    const scope = scopeOf(worlds, kind, structural, changes, sets.targets);
    for (const change of walkBoth(worlds, kind, scope, tallyChanges)) effective.push(change);
    for (const set of sets.gone) kind.stacks.forget(set);
  }
  const after = worldWith(untallied, { tallies: tallied(before, tallyChanges) });
  const judged = new Set([...judgedAnew, ...tallyChanges.policies()]);
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
  const ancestors = { before: new KnownAncestors(kind), after: new KnownAncestors(kind) };
  const shown = new ShownBases();
  for (const end of [...scope.touched].sort()) {
    if (!isEndObject(worlds.before, kind, end) && !isEndObject(worlds.after, kind, end)) continue;
    const was = alikeIn(worlds.before, finders.before, end);
    // Where it alone has changed, it is below what it was below.
    const same = scope.dirty.size === 1 && scope.dirty.has(end) ? was : undefined;
    const is = was === undefined ? undefined : alikeIn(worlds.after, finders.after, end, same);
    if (was !== undefined && is !== undefined && haveSameBases(was, is)) {
      countAlike(tallies, kind, was, ancestors.before, "Go");
      countAlike(tallies, kind, is, ancestors.after, "Come");
      yield* compareAlike(was, is, kind, shown);
      continue;
    }
    const old = pathsTo(worlds.before, kind, finders.before, end);
    const now = pathsTo(worlds.after, kind, finders.after, end);
    countFound(tallies, kind, old, -1);
    countFound(tallies, kind, now, 1);
    yield* comparePaths(old, now);
  }
}

function alikeIn({ objects }: World, finder: PathFinder, end: ObjectId, before?: PathsAlike): PathsAlike | undefined {
  const object = objects.byId.get(end);
  return object === undefined ? undefined : finder.findAlike(object, before);
}

/** Paths to one end with one fold stand side by side (the listeners of a Gateway): they are counted together. */
function countFound(tallies: TallyChanges, kind: CompiledKind, found: readonly FoundPath[], sign: 1 | -1): void {
  for (let start = 0, end = 0; start < found.length; start = end) {
    const { path, core } = found[start] as FoundPath;
    const ancestor = ancestorPath(path);
    for (end = start + 1; end < found.length; end++) {
      const next = found[end] as FoundPath;
      if (next.core !== core || next.path.node !== path.node || ancestorPath(next.path) !== ancestor) break;
    }
    countPath(tallies, kind, path, core, sign * (end - start));
  }
}

/** The part of a path that leads to its ancestor: what is above decides whose paths they are. */
function ancestorPath(path: Path): Path {
  let at = path;
  while (at.up !== undefined && (at.node.id !== path.ancestor || at.node.section !== undefined)) at = at.up;
  return at;
}

export function pathsTo(world: World, kind: CompiledKind, finder: PathFinder, end: ObjectId): readonly FoundPath[] {
  if (!isEndObject(world, kind, end)) return [];
  const found: FoundPath[] = [];
  finder.forEachEnd(parseObjectId(end), end, (path) => {
    if (path.stack === kind.stacks.empty) return;
    const core = effectiveAt(path, kind);
    if (!core.isEmpty) found.push({ path, core, kind });
  });
  return found;
}

function tallied({ tallies }: World, changes: TallyChanges): World["tallies"] {
  let result = tallies;
  for (const policy of changes.policies()) {
    const before = result.get(policy);
    const after = changes.applyTo(policy, before);
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
