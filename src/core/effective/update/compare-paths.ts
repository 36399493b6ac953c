/** Two sets of paths to one end, before and after a change: which effective policies differ. */
import type { Json } from "../../model/json.ts";
import { compareText } from "../../model/refs.ts";
import { jsonIdentical } from "../../model/same-meaning.ts";
import { effectivePolicy } from "../fold/effective-at.ts";
import type { EffectiveCore } from "../fold/effective-core.ts";
import type { EffectivePolicy } from "../fold/effective-policy.ts";
import type { Path } from "../paths/path.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { EffectiveChange } from "./delta.ts";

/** A path with what its stack folds into. */
export interface FoundPath {
  readonly path: Path;
  readonly core: EffectiveCore;
  readonly kind: CompiledKind;
}

/** The changes in the order of their paths. */
export function comparePaths(before: readonly FoundPath[], after: readonly FoundPath[]): readonly EffectiveChange[] {
  const folds = new FoldComparison();
  if (before.length === after.length && before.every((old, i) => isSamePath(old.path, (after[i] as FoundPath).path))) {
    // By far the most common: the same paths, found in the same order.
    return before.flatMap((old, i) => changeBetween(old, after[i], folds));
  }
  const pairs = new Map<string, { before?: FoundPath; after?: FoundPath }>();
  const same = sameAtFirst(before, after);
  for (const old of before.slice(same)) pairs.set(pathKey(old.path), { before: old });
  for (const now of after.slice(same)) {
    const key = pathKey(now.path);
    pairs.set(key, { ...pairs.get(key), after: now });
  }
  return [...pairs]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, pair]) => changeBetween(pair.before, pair.after, folds));
}

/** How many of the first paths are as they were: where a rule is added, those of the rules before it. */
function sameAtFirst(before: readonly FoundPath[], after: readonly FoundPath[]): number {
  const isSame = (old: FoundPath, now: FoundPath | undefined): boolean =>
    now !== undefined &&
    old.core === now.core &&
    old.path.incomplete === now.path.incomplete &&
    isSamePath(old.path, now.path);
  const differs = before.findIndex((old, i) => !isSame(old, after[i]));
  return differs === -1 ? before.length : differs;
}

/** Whether two folds say the same, word for word. The paths to one end mostly have the same two, so the last answer is kept. */
export class FoldComparison {
  #last: { readonly before: EffectiveCore; readonly after: EffectiveCore; readonly isSame: boolean } | undefined;

  isSame(before: EffectiveCore, after: EffectiveCore): boolean {
    if (this.#last?.before !== before || this.#last.after !== after) {
      // Specs and sources are plain data, so they compare as such.
      const isSame =
        before.isLike(after) ||
        (jsonIdentical(before.spec, after.spec) &&
          jsonIdentical(before.sources as unknown as Json, after.sources as unknown as Json));
      this.#last = { before, after, isSame };
    }
    return this.#last.isSame;
  }
}

export function isSamePath(a: Path, b: Path): boolean {
  let [left, right]: [Path | undefined, Path | undefined] = [a, b];
  if (left.from !== right.from) return false;
  while (left !== undefined && right !== undefined) {
    if (left.node.id !== right.node.id || left.node.section?.name !== right.node.section?.name) return false;
    [left, right] = [left.up, right.up];
  }
  return left === right;
}

/** Paths are told in the order of these. */
function pathKey(path: Path): string {
  return `${chainKey(path)} ${path.from ?? ""}`;
}

/** The same of a part of a path. */
export function chainKey(path: Path): string {
  let key = "";
  for (let at: Path | undefined = path; at !== undefined; at = at.up) {
    key = `${at.node.id}#${at.node.section?.name ?? ""}>${key}`;
  }
  return key;
}

function changeBetween(
  before: FoundPath | undefined,
  after: FoundPath | undefined,
  folds: FoldComparison,
): readonly EffectiveChange[] {
  const isAsComplete = before?.path.incomplete === after?.path.incomplete;
  // The same fold at the end of the same path says the same.
  if (isAsComplete && before?.core === after?.core) return [];
  const hasOwnWords = isMapped(before) || isMapped(after);
  if (before !== undefined && after !== undefined && isAsComplete && !hasOwnWords) {
    if (folds.isSame(before.core, after.core)) return [];
  }
  const now = shown(after);
  const old = shown(before, now);
  if (hasOwnWords && old !== undefined && now !== undefined && isSamePolicy(old, now)) return [];
  const change = changeOf(old, now);
  return change === undefined ? [] : [change];
}

/** Undefined: it is on neither side. */
export function changeOf(
  before: EffectivePolicy | undefined,
  after: EffectivePolicy | undefined,
): EffectiveChange | undefined {
  const one = after ?? before;
  if (one === undefined) return undefined;
  const { policyKind, target, path, from } = one;
  // By far the most: nothing came or went, and it differs.
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

/** What fields of an object say is told for each object anew, whatever paths share a fold. */
const isMapped = (found: FoundPath | undefined): boolean => found !== undefined && found.kind.mappings.length > 0;

/** `same`: the same path as it is shown on the other side. */
const shown = (found: FoundPath | undefined, same?: EffectivePolicy): EffectivePolicy | undefined =>
  found === undefined ? undefined : effectivePolicy(found.path, found.kind, same?.target, same?.path);

// Effective policies are plain data, so they compare as such.
const isSamePolicy = (a: EffectivePolicy, b: EffectivePolicy): boolean =>
  jsonIdentical(a as unknown as Json, b as unknown as Json);
