/** The paths to one object before and after a change: which effective policies differ. */
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { Json } from "../../model/json.ts";
import { compareText } from "../../model/refs.ts";
import type { EffectivePolicy } from "../fold/effective-policy.ts";
import { effectivePolicyOf } from "../fold/effective-policy-at.ts";
import type { EffectivePath } from "../fold/for-each-effective.ts";
import { type Path, type PathData, pathData } from "../paths/path.ts";
import type { EffectiveChange } from "./delta.ts";
import { jsonIdentical } from "./has-same-meaning.ts";

/** The changes, in the order of their paths. */
export function comparePaths(
  before: readonly EffectivePath[],
  after: readonly EffectivePath[],
): readonly EffectiveChange[] {
  const isSame = specComparison();
  const changes: EffectiveChange[] = [];
  const compare = (old: EffectivePath | undefined, now: EffectivePath | undefined): void => {
    const change = changeBetween(old, now, isSame);
    if (change !== undefined) changes.push(change);
  };
  // In most changes the same paths are found in the same order.
  if (before.length === after.length && before.every(({ path }, i) => isSamePath(path, after[i]?.path))) {
    before.forEach((old, i) => compare(old, after[i]));
    return changes;
  }
  const pairs = new Map<string, { before?: EffectivePath; after?: EffectivePath }>();
  const unchanged = unchangedAtFirst(before, after);
  for (const old of before.slice(unchanged)) pairs.set(pathKey(old.path), { before: old });
  for (const now of after.slice(unchanged)) {
    const key = pathKey(now.path);
    pairs.set(key, { ...pairs.get(key), after: now });
  }
  for (const [, pair] of [...pairs].sort(([a], [b]) => compareText(a, b))) compare(pair.before, pair.after);
  return changes;
}

/** The number of unchanged paths at the beginning: if a rule is added, the paths of the rules before it. */
function unchangedAtFirst(before: readonly EffectivePath[], after: readonly EffectivePath[]): number {
  const isUnchanged = (old: EffectivePath, now: EffectivePath | undefined): boolean =>
    now !== undefined &&
    old.effective === now.effective &&
    old.path.incomplete === now.path.incomplete &&
    isSamePath(old.path, now.path);
  const differs = before.findIndex((old, i) => !isUnchanged(old, after[i]));
  return differs === -1 ? before.length : differs;
}

type IsSameSpec = (before: EffectiveSpec, after: EffectiveSpec) => boolean;

/** Compares specs and their provenance as plain data. The paths to one object mostly have the same two, so the last result is kept. */
function specComparison(): IsSameSpec {
  let last: { readonly before: EffectiveSpec; readonly after: EffectiveSpec; readonly isSame: boolean } | undefined;
  return (before, after) => {
    if (last?.before !== before || last.after !== after) {
      const isSame =
        jsonIdentical(before.spec, after.spec) &&
        jsonIdentical(before.sources as unknown as Json, after.sources as unknown as Json) &&
        jsonIdentical(before.removals as unknown as Json, after.removals as unknown as Json) &&
        isSameOrder(before.order, after.order);
      last = { before, after, isSame };
    }
    return last.isSame;
  };
}

const isSameOrder = (before: EffectiveSpec["order"], after: EffectiveSpec["order"]): boolean =>
  before === after || jsonIdentical((before ?? []) as unknown as Json, (after ?? []) as unknown as Json);

function isSamePath(a: Path, b: Path | undefined): boolean {
  let [left, right]: [Path | undefined, Path | undefined] = [a, b];
  if (left.from !== right?.from) return false;
  while (left !== undefined && right !== undefined) {
    if (left === right) return true;
    if (left.node.id !== right.node.id || left.node.section?.name !== right.node.section?.name) return false;
    [left, right] = [left.up, right.up];
  }
  return left === right;
}

/** Changes are listed in the order of these keys. */
function pathKey(path: Path): string {
  let key = ` ${path.from ?? ""}`;
  for (let at: Path | undefined = path; at !== undefined; at = at.up)
    key = `${at.node.id}#${at.node.section?.name ?? ""}>${key}`;
  return key;
}

function changeBetween(
  before: EffectivePath | undefined,
  after: EffectivePath | undefined,
  isSameSpec: IsSameSpec,
): EffectiveChange | undefined {
  const isAsComplete = before?.path.incomplete === after?.path.incomplete;
  if (isAsComplete && before?.effective === after?.effective) return undefined;
  const both = before === undefined || after === undefined ? undefined : { before, after };
  const isPlain = both !== undefined && areFromSameObjects(both);
  if (isPlain && isAsComplete && isSameSpec(both.before.effective, both.after.effective)) return undefined;
  const path = (after ?? before)?.path;
  if (path === undefined) return undefined;
  // Before and after it is the same path, so both share it as plain data.
  const at = pathData(path);
  const now = policyOf(after, at);
  const old = policyOf(before, at);
  if (!isPlain && old !== undefined && now !== undefined && isSamePolicy(old, now)) return undefined;
  const one = now ?? old;
  return one === undefined ? undefined : changeOf(one, old, now);
}

function changeOf(
  { policyKind, target, path, from }: EffectivePolicy,
  before: EffectivePolicy | undefined,
  after: EffectivePolicy | undefined,
): EffectiveChange {
  // Most changes are of this form. The literal takes half the memory of a spread, and a change may reach many paths.
  if (from === undefined && before !== undefined && after !== undefined)
    return { policyKind, target, path, before, after };
  return {
    policyKind,
    target,
    path,
    ...(from === undefined ? {} : { from }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

interface Pair {
  readonly before: EffectivePath;
  readonly after: EffectivePath;
}

/**
 * True if the own values on both paths are those of the same objects, so that equal specs with equal sources are equal effective policies. Else
 * the effective policies are compared as a whole: paths share specs by value, and the objects of own values and of items are not part of them.
 */
const areFromSameObjects = ({ before, after }: Pair): boolean =>
  before.own === after.own && after.own.items.length === 0;

const policyOf = (found: EffectivePath | undefined, at: PathData): EffectivePolicy | undefined =>
  found === undefined ? undefined : effectivePolicyOf(found, at);

const isSamePolicy = (a: EffectivePolicy, b: EffectivePolicy): boolean =>
  jsonIdentical(a as unknown as Json, b as unknown as Json);
