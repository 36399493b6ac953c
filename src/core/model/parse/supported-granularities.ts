import type { Granularity, MergeRules } from "../definition.ts";

/** Every granularity that a policy of the kind may come to be merged with. */
export function supportedGranularities(merge: MergeRules): readonly Granularity[] {
  if (merge.none) return [];
  const byAnnotation = Object.values(merge.annotation?.values ?? {}).map((strategy) => strategy.granularity);
  return [merge.granularity.default, ...Object.values(merge.granularity.values), ...byAnnotation];
}
