/** Paths to one object that go on to each of its sections alike, before and after a change: which effective policies differ. */
import { compareText, type TargetId, targetId } from "../model/refs.ts";
import { chainKey, FoldComparison, isSamePath } from "./compare-paths.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import { coreBelow } from "./count-paths.ts";
import type { EffectiveChange } from "./delta.ts";
import { shownPolicy } from "./effective-at.ts";
import type { EffectiveCore } from "./effective-core.ts";
import type { EffectivePolicy, PathNode } from "./effective-policy.ts";
import { type Path, shownSection } from "./path.ts";
import type { PathsAlike } from "./path-finder.ts";
import { type ShownBases, withTwoMore } from "./shown-bases.ts";

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
  const folds = new FoldComparison();
  const found: Found[] = [];
  const { object, bases } = after;
  const ref = object.ref;
  const isSameList = areSame(before.sections, after.sections);
  const sections = isSameList ? after.sections : [...new Set([...before.sections, ...after.sections])];
  for (const section of sections) {
    const [was, is] = isSameList ? [true, true] : [before.sections.includes(section), after.sections.includes(section)];
    let end: PathNode | undefined;
    for (let at = 0; at < bases.length; at++) {
      const base = bases[at] as Path;
      const old = was ? coreBelow(before.bases[at] as Path, before, kind) : undefined;
      const now = is ? coreBelow(base, after, kind) : undefined;
      if (old === now || (old !== undefined && now !== undefined && folds.isSame(old, now))) continue;
      end ??= shownSection(ref, section);
      const path = withTwoMore(shown.of(bases)[at] as readonly PathNode[], ref, end);
      const where = { kind, target: targetId(object.id, section), path, base };
      found.push({ base, section, change: changeBetween(where, old, now) });
    }
  }
  // Where sections came or went, paths are told in the order of their names.
  if (!isSameList) found.sort((a, b) => compareText(endKey(a, after), endKey(b, after)));
  return found.map(({ change }) => change);
}

interface Found {
  readonly base: Path;
  readonly section: string;
  readonly change: EffectiveChange;
}

const areSame = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((section, at) => section === b[at]));

/** As `pathKey` of the whole path would be. */
const endKey = ({ base, section }: Found, { object }: PathsAlike): string =>
  `${chainKey(base)}${object.id}#>${object.id}#${section}> ${base.from ?? ""}`;

/** Of one path; `path` is how it is shown. */
interface Where {
  readonly kind: CompiledKind;
  readonly target: TargetId;
  readonly path: readonly PathNode[];
  readonly base: Path;
}

function changeBetween(
  { kind, target, path, base }: Where,
  old: EffectiveCore | undefined,
  now: EffectiveCore | undefined,
): EffectiveChange {
  const { policyKind } = kind;
  const told = (core: EffectiveCore): EffectivePolicy => shownPolicy(kind, target, path, base, core, core.sources);
  if (base.from === undefined && old !== undefined && now !== undefined)
    return { policyKind, target, path, before: told(old), after: told(now) };
  return {
    policyKind,
    target,
    path,
    ...(base.from === undefined ? {} : { from: base.from }),
    ...(old === undefined ? {} : { before: told(old) }),
    ...(now === undefined ? {} : { after: told(now) }),
  };
}
