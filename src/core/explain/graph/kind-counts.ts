import { compareText, type KindId, parseKindId, parseTargetId, splitId, type TargetId } from "../../model/refs.ts";
import type { KindCount } from "./result.ts";

/** Sorted by kind. Kinds of the same name in several groups are one. */
export function kindCounts(counts: ReadonlyMap<KindId, number>): readonly KindCount[] {
  const byKind = new Map<string, number>();
  for (const [id, count] of counts) {
    const { kind } = parseKindId(id);
    byKind.set(kind, (byKind.get(kind) ?? 0) + count);
  }
  return [...byKind].sort(([a], [b]) => compareText(a, b)).map(([kind, count]) => ({ kind, count }));
}

/** Counts the objects among some targets. Sections are not counted. */
export function countKinds(targets: Iterable<TargetId>): readonly KindCount[] {
  const counts = new Map<KindId, number>();
  for (const target of targets) {
    const { object, sectionName } = parseTargetId(target);
    const { kind } = splitId(object);
    if (sectionName === undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return kindCounts(counts);
}
