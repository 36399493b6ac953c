/** The levels of a stack that are merged, and the order in which they are. */
import type { MergeRules } from "../model/definition.ts";
import { kindId } from "../model/refs.ts";
import type { FoldLevel } from "./fold-level.ts";

/**
 * Some levels come before those below them
 *
 * A definition may name levels whose policies are more specific than those on all other levels, also than those on levels below them: in
 * some implementations a route's settings for connections to its backends take effect over those of the backend.
 * GEP-713, "Conflict resolution"
 */
export function mostSpecificFirst(levels: readonly FoldLevel[], { mostSpecific }: MergeRules): readonly FoldLevel[] {
  if (mostSpecific === undefined) return levels;
  const isFirst = ({ level }: FoldLevel): boolean =>
    level !== undefined &&
    mostSpecific.some((one) => kindId(one) === level.kind && (one.section !== undefined) === level.isSection);
  const first = levels.filter(isFirst);
  return first.length === 0 ? levels : [...first, ...levels.filter((level) => !isFirst(level))];
}

/**
 * Some levels are not merged
 *
 * A definition may say that a policy is merged with the closest policy above it only, and that the policies on some levels are never
 * merged with those on a lower level. Policies that are not merged are replaced as a whole by the most specific ones.
 * GEP-713, "Conflict resolution"
 *
 * `levels`: the most specific first. Returns indexes of levels, because a policy at two levels may make them the same. Undefined: all.
 */
export function takingPart(levels: readonly FoldLevel[], { parents, skip }: MergeRules): readonly number[] | undefined {
  if (parents !== "Closest" && skip === undefined) return undefined;
  const merged = [...levels.keys()].filter((depth) => depth === 0 || levels[depth]?.isSkipped !== true);
  return parents === "Closest" ? merged.slice(0, 2) : merged;
}

/**
 * An annotation between objects
 *
 * Where an annotation decides between objects only, the policy on a section takes effect over the policy on its object, also if the
 * annotation makes both override what is below them: then the one on the section is merged last.
 * GEP-713, "Conflict resolution"
 */
export function sectionsLast(levels: readonly FoldLevel[], { annotation }: MergeRules): readonly FoldLevel[] {
  if (annotation?.between !== "Objects") return levels;
  const ordered: FoldLevel[] = [];
  for (const level of levels) {
    const at = ordered.findIndex(({ object }) => object === level.object);
    if (at === -1 || level.annotated?.base !== "Overrides") ordered.push(level);
    else ordered.splice(at, 0, level);
  }
  return ordered;
}
