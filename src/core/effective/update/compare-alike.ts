/** Paths to one object that go on to each of its sections alike, before and after a change: which effective policies differ. */
import { isSameList } from "../../model/collections/is-same-list.ts";
import { compareText, type ObjectRef, type TargetId, targetId } from "../../model/refs.ts";
import { shownPolicy } from "../fold/effective-at.ts";
import type { PathNode } from "../fold/effective-policy.ts";
import { coreBelow } from "../paths/count-paths.ts";
import { type Path, shownSection } from "../paths/path.ts";
import type { PathsAlike } from "../paths/path-finder.ts";
import { type ShownBases, withTwoMore } from "../paths/shown-bases.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import { chainKey, changeOf, FoldComparison, isSamePath } from "./compare-paths.ts";
import type { EffectiveChange } from "./delta.ts";

/** Whether they are reached by the same ways, found in the same order: others are compared path by path. */
export const haveSameBases = ({ bases }: PathsAlike, after: PathsAlike): boolean =>
  bases === after.bases ||
  (bases.length === after.bases.length && bases.every((base, at) => isSamePath(base, after.bases[at] as Path)));

/** The changes in the order of their paths. `shown`: how the bases of the last objects are shown. */
export function compareAlike(
  before: PathsAlike,
  after: PathsAlike,
  kind: CompiledKind,
  shown: ShownBases,
): readonly EffectiveChange[] {
  const isUnchanged = isSameList(before.sections, after.sections);
  const folds = new FoldComparison();
  const comparison: Comparison = { before, after, kind, shown, folds, changes: [], keys: isUnchanged ? undefined : [] };
  if (isUnchanged) {
    for (const section of after.sections) compareSection(comparison, section, "Stays");
    return comparison.changes;
  }
  for (const section of before.sections)
    compareSection(comparison, section, after.sections.includes(section) ? "Stays" : "Goes");
  for (const section of after.sections)
    if (!before.sections.includes(section)) compareSection(comparison, section, "Comes");
  return inOrder(comparison);
}

interface Comparison {
  readonly before: PathsAlike;
  readonly after: PathsAlike;
  readonly kind: CompiledKind;
  readonly shown: ShownBases;
  readonly folds: FoldComparison;
  readonly changes: EffectiveChange[];
  /** Of each change, as `pathKey` of its path would be; where they need to be put in order. */
  readonly keys: string[] | undefined;
}

/** Where sections came or went, paths are told in the order of their names. */
function inOrder({ changes, keys }: Comparison): readonly EffectiveChange[] {
  const keyed = changes.map((change, at) => ({ change, key: keys?.[at] ?? "" }));
  return keyed.sort((a, b) => compareText(a.key, b.key)).map(({ change }) => change);
}

/** The paths to one section, by every base. Many paths may change at once, so what they have in common is made once. */
function compareSection(comparison: Comparison, section: string, does: "Stays" | "Comes" | "Goes"): void {
  const { before, after, kind, shown, folds, changes, keys } = comparison;
  const { object, bases } = after;
  let end: PathNode | undefined;
  let ref: ObjectRef | undefined;
  let target: TargetId | undefined;
  for (let at = 0; at < bases.length; at++) {
    const base = bases[at] as Path;
    const old = does === "Comes" ? undefined : coreBelow(before.bases[at] as Path, before, kind);
    const now = does === "Goes" ? undefined : coreBelow(base, after, kind);
    if (old === now || (old !== undefined && now !== undefined && folds.isSame(old, now))) continue;
    ref ??= object.ref;
    end ??= shownSection(ref, section);
    target ??= targetId(object.id, section);
    const path = withTwoMore(shown.of(bases)[at] as readonly PathNode[], ref, end);
    const was = old === undefined ? undefined : shownPolicy(kind, target, path, base, old, old.sources);
    const is = now === undefined ? undefined : shownPolicy(kind, target, path, base, now, now.sources);
    const change = changeOf(was, is);
    if (change !== undefined) changes.push(change);
    keys?.push(endKey(base, section, after));
  }
}

const endKey = (base: Path, section: string, { object }: PathsAlike): string =>
  `${chainKey(base)}${object.id}#>${object.id}#${section}> ${base.from ?? ""}`;
