/** Contradictions in the parts of a definition. */

import { hasNoBlocks } from "../../block-names.ts";
import type { DefinitionPart, LevelKind, PolicyDefinition } from "../../definition.ts";
import { attachableLevels, formatLevel, isAbove, joinedEnds, sameLevel } from "../../levels.ts";
import { error, type Problem } from "./definition-problem.ts";

export function* checkParts(definition: PolicyDefinition): Generator<Problem> {
  const { parts = [] } = definition;
  if (parts.length === 0) return;
  yield* checkKindOfParts(definition);
  const names = parts.map(({ name }) => name);
  for (const [i, part] of parts.entries()) {
    const field = `spec.parts[${i}]`;
    if (names.indexOf(part.name) < i)
      yield error(
        "DefinitionDuplicate",
        `${field}.name`,
        `${field}.name repeats "${part.name}". Give each part a name of its own.`,
      );
    if (part.targets === undefined && part.effectiveTargets === undefined && part.merge === undefined)
      yield error(
        "DefinitionMissingField",
        field,
        `${field} has no rules of its own: give it targets, effectiveTargets or merge, or leave it out.`,
      );
    yield* checkPaths(part, field, parts.slice(0, i), definition);
    yield* checkPartLevels(part, field, definition);
  }
  yield* checkJoinedEnds(definition);
}

/** The kinds that cannot have parts. */
function* checkKindOfParts({ class: policyClass, merge, mapsTo, parts = [] }: PolicyDefinition): Generator<Problem> {
  const why =
    policyClass === "Direct"
      ? "class Direct, whose policies are never merged and take effect on their targets"
      : mapsTo.length > 0
        ? "mapsTo, because the fields of an object have one set of rules"
        : merge.bare === "Direct"
          ? "bare: Direct, because such a policy replaces all others as a whole"
          : undefined;
  if (why !== undefined)
    yield error("DefinitionMisplaced", "spec.parts", `spec.parts has no meaning with ${why}. Leave one of them out.`);
  const strategy = merge.none ? "None" : "Accumulate";
  for (const [i, part] of parts.entries())
    if (part.merge !== undefined && hasNoBlocks(merge))
      yield error(
        "DefinitionMisplaced",
        `spec.parts[${i}].merge`,
        `spec.parts[${i}].merge has no meaning with strategy ${strategy} in spec.merge, which is about whole policies. Leave it out, or choose DefaultsAndOverrides.`,
      );
}

/** No setting is in two parts, and no value that is compared as a whole is divided. */
function* checkPaths(
  { paths }: DefinitionPart,
  field: string,
  before: readonly DefinitionPart[],
  { merge }: PolicyDefinition,
): Generator<Problem> {
  const isInside = (path: string, above: string): boolean => path === above || path.startsWith(`${above}.`);
  const wholes = [...merge.atomicPaths, ...(merge.lists ?? []).map((one) => one.path)];
  const strategy = Object.keys(merge.granularity.values).length === 0 ? undefined : merge.granularity.field;
  for (const [at, path] of paths.entries()) {
    const other = [...before.flatMap((part) => part.paths), ...paths.slice(0, at)].find(
      (one) => isInside(path, one) || isInside(one, path),
    );
    if (other !== undefined)
      yield error(
        "DefinitionDuplicate",
        `${field}.paths[${at}]`,
        `${field}.paths[${at}] is "${path}", which overlaps with the path "${other}" above it. A setting is in one part only.`,
      );
    const whole = wholes.find((one) => path !== one && isInside(path, one));
    if (whole !== undefined)
      yield error(
        "DefinitionMisplaced",
        `${field}.paths[${at}]`,
        `${field}.paths[${at}] is "${path}", which is in ${whole}, one value by spec.merge: it cannot be divided into parts. Name ${whole}, or take it out of spec.merge.`,
      );
    if (strategy !== undefined && isInside(strategy, path))
      yield error(
        "DefinitionMisplaced",
        `${field}.paths[${at}]`,
        `${field}.paths[${at}] is "${path}", which contains ${strategy}, the field that selects a strategy for all parts. Name the settings beside it.`,
      );
  }
}

function* checkPartLevels(part: DefinitionPart, field: string, definition: PolicyDefinition): Generator<Problem> {
  const { targeting, hierarchy } = definition;
  const attachable = attachableLevels(targeting);
  const known = (levels: readonly LevelKind[], level: LevelKind): boolean =>
    levels.some((one) => sameLevel(one, level));
  for (const [at, level] of (part.targets ?? []).entries())
    if (!known(attachable, level))
      yield error(
        "DefinitionMisplaced",
        `${field}.targets[${at}]`,
        `${field}.targets[${at}] is ${formatLevel(level)}, which no policy of the kind may target; allowed: ${attachable.map(formatLevel).join(", ")}. Add it to spec.targeting.kinds, or leave it out.`,
      );
  for (const [at, level] of (part.effectiveTargets ?? []).entries())
    if (!known(hierarchy.effectiveTargets, level))
      yield error(
        "DefinitionMisplaced",
        `${field}.effectiveTargets[${at}]`,
        `${field}.effectiveTargets[${at}] is ${formatLevel(level)}, where no path of the kind ends; allowed: ${hierarchy.effectiveTargets.map(formatLevel).join(", ")}. Add it to spec.hierarchy.effectiveTargets, or leave it out.`,
      );
  const ends = part.effectiveTargets ?? hierarchy.effectiveTargets;
  for (const [at, level] of (part.targets ?? []).entries())
    if (!ends.some((end) => sameLevel(level, end) || isAbove(level, end, hierarchy)))
      yield error(
        "DefinitionTargetBelowEffective",
        `${field}.targets[${at}]`,
        `${field}.targets[${at}] is ${formatLevel(level)}, which is not above any of the levels at which the part takes effect (${ends.map(formatLevel).join(", ")}): there its settings would never take effect. Leave it out, or add it to effectiveTargets.`,
      );
}

/**
 * Parts that share a level at which paths end also share what is above and below it, else a path would end there for one of them and go on
 * for another.
 */
function* checkJoinedEnds({ parts = [], hierarchy }: PolicyDefinition): Generator<Problem> {
  for (const levels of joinedEnds(parts)) {
    for (const [i, { effectiveTargets = [] }] of parts.entries()) {
      const has = (level: LevelKind): boolean => effectiveTargets.some((one) => sameLevel(one, level));
      for (const level of levels) {
        const rival = levels.find(
          (one) => has(one) !== has(level) && (isAbove(level, one, hierarchy) || isAbove(one, level, hierarchy)),
        );
        if (!has(level) || rival === undefined) continue;
        yield error(
          "DefinitionMisplaced",
          `spec.parts[${i}].effectiveTargets`,
          `spec.parts[${i}].effectiveTargets has ${formatLevel(level)} without ${formatLevel(rival)}, and another part has both or shares a level with one that has: a path would end at ${formatLevel(level)} for one part and go on for another. Give the parts the same of these levels.`,
        );
        break;
      }
    }
  }
}
