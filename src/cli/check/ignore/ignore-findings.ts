import { ignoredCodes } from "../../../core/check/objects/check-ignored-codes.ts";
import type { World } from "../../../core/effective/world/world.ts";
import type { Finding } from "../../../core/model/finding.ts";
import { type Baseline, type BaselineEntry, entryOf, keyOf } from "./baseline.ts";
import type { Ignore } from "./parse-ignores.ts";

/** Why a finding is ignored. */
export type IgnoredBy = "annotation" | "option" | "baseline";

export interface IgnoreRules {
  readonly ignores: readonly Ignore[];
  readonly baseline: Baseline | undefined;
}

export interface IgnoredFindings<T> {
  readonly kept: readonly T[];
  readonly ignored: ReadonlyArray<{ readonly item: T; readonly by: IgnoredBy }>;
  /** The values of `--ignore` that match no finding. */
  readonly unused: readonly string[];
  /** Entries of the baseline that match fewer findings than they count. */
  readonly stale: readonly BaselineEntry[];
}

/** Splits findings into those that count and those that are ignored. A baseline entry covers as many findings as it counts. */
export function ignoreFindings<T extends { readonly finding: Finding }>(
  items: readonly T[],
  { objects, refused }: Pick<World, "objects" | "refused">,
  { ignores, baseline }: IgnoreRules,
): IgnoredFindings<T> {
  const left = new Map((baseline?.findings ?? []).map((entry) => [keyOf(entry), entry.count]));
  const used = new Set<Ignore>();
  const isAnnotated = ({ code, object: id }: Finding): boolean => {
    const object = id === undefined ? undefined : (objects.get(id) ?? refused.get(id)?.object);
    return object !== undefined && ignoredCodes(object).includes(code);
  };
  const isInBaseline = (finding: Finding): boolean => {
    const key = keyOf(entryOf(finding));
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count > 0;
  };
  const byOf = (finding: Finding): IgnoredBy | undefined => {
    const matching = ignores.filter(({ matches }) => matches(finding));
    for (const ignore of matching) used.add(ignore);
    if (isAnnotated(finding)) return "annotation";
    if (matching.length > 0) return "option";
    return isInBaseline(finding) ? "baseline" : undefined;
  };
  const kept: T[] = [];
  const ignored: { item: T; by: IgnoredBy }[] = [];
  for (const item of items) {
    const by = byOf(item.finding);
    if (by === undefined) kept.push(item);
    else ignored.push({ item, by });
  }
  return {
    kept,
    ignored,
    unused: ignores.filter((ignore) => !used.has(ignore)).map(({ text }) => text),
    stale: (baseline?.findings ?? []).filter((entry) => (left.get(keyOf(entry)) ?? 0) > 0),
  };
}
