import type { PathNode } from "../../core/effective/paths/path-node.ts";
import type { Reach, ReachedPath, ReachedValue, ReachLoss } from "../../core/explain/reach/result.ts";
import { blockPointer } from "../../core/explain/value-pointer.ts";
import { addsUp } from "../../core/merge/accumulated-pointer.ts";
import { formatRef, type ObjectId, type PolicyId, parseObjectId } from "../../core/model/refs.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { createDifference, type FormatDifference, formatPath, listWords } from "../print/format/format-paths.ts";
import { formatRemoved } from "../print/format/format-removed.ts";
import { formatSource, positionOf } from "../print/format/format-source.ts";
import { formatPointer, formatValue } from "../print/format/format-value.ts";
import { allPaths, countWord } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/terminal/styled-text.ts";
import type { TextContext } from "../print/text-context.ts";

const MOST_LOSSES = 8;
const VALUE_IN_TEXT_WIDTH = 60;
const VALUE_WIDTH = 300;
/** Beyond this number of comparisons the paths are listed instead of described in words. */
const MOST_COMPARED = 500_000;

/** Prints each value: where it takes effect, where it is overridden or replaced and by which policy, and where its condition is false. */
export function printReachedValues(reach: Reach, context: TextContext): void {
  const { print } = context;
  printRemovals(reach, context);
  if (reach.values.length === 0) return;
  print.line();
  print.line(styled("Values", "bold"));
  const difference = createDifference(reach.paths);
  for (const value of reach.values) printValue(value, reach, difference, context);
}

/** Prints each entry of `remove`: where it removes what, where an override sets that all the same, and where there is nothing to remove. */
function printRemovals({ removals, paths, policy }: Reach, context: TextContext): void {
  const { print } = context;
  if (removals.length === 0) return;
  print.line();
  print.line(styled("Removes", "bold"));
  const layout = { indent: 4, hanging: 2 };
  for (const { block, entry, inEffect, overridden, neutral, gated, removes, by } of removals) {
    print.paragraph({ indent: 2, hanging: 4 }, styled(entry, "bold"), block === "bare" ? "" : `, ${block}`);
    const on = (count: number): string => onPaths(count, paths.length);
    if (inEffect > 0)
      print.paragraph(layout, styled("takes effect", "green"), ` ${on(inEffect)}: removes ${formatRemoved(removes)}`);
    if (overridden > 0)
      print.paragraph(
        layout,
        styled("is overridden", "red"),
        ` ${on(overridden)} by ${winnerNames(by, policy, context)}`,
      );
    if (neutral > 0)
      print.paragraph(layout, styled("has no effect", "dim"), ` ${on(neutral)}: no policy above sets it as a default`);
    if (gated > 0)
      print.paragraph(layout, styled("has no effect", "dim"), ` ${on(gated)}: its condition is false there`);
  }
}

function printValue(value: ReachedValue, reach: Reach, difference: FormatDifference, context: TextContext): void {
  const { print, source, wide } = context;
  const { block, pointer, inEffect, equal, overridden, gated, when, losses } = value;
  const { object, pointer: at } = blockPointer(source.world, reach.policy, block, pointer);
  const position = source.locate(object, at);
  const suffix = position === undefined ? "" : styled(` (${formatLine(position)})`, "dim");
  const words = block === "bare" ? "" : `, ${block}`;
  // Where all policies take effect, the pointer begins with the name of the policy, and the pointer in the object does not.
  const definition = source.world.policies.get(reach.policy)?.kind.definition;
  const isAccumulated = definition !== undefined && addsUp(definition, at.split("/").slice(2));
  const name = isAccumulated ? formatPointer(at.slice("/spec".length)) || "spec" : formatPointer(pointer);
  print.paragraph(
    { indent: 2, hanging: 4 },
    styled(name, "bold"),
    `: ${context.redaction.hidesValue(reach.policy, pointer) ? "hidden" : formatValue(value.value, wide ? undefined : VALUE_WIDTH)}${words}`,
    suffix,
  );
  const total = reach.paths.length;
  const layout = { indent: 4, hanging: 2 };
  if (inEffect > 0) print.paragraph(layout, styled("takes effect", "green"), ` ${onPaths(inEffect, total)}`);
  const shownLosses = wide ? losses : losses.slice(0, MOST_LOSSES);
  const isComparable = shownLosses.length * total <= MOST_COMPARED;
  for (const loss of shownLosses) printLoss(loss, reach, isComparable ? difference : undefined, context);
  const rest = losses.slice(shownLosses.length).reduce((sum, { paths }) => sum + paths.length, 0);
  if (rest > 0) print.paragraph(layout, `… and ${countWord(rest, "path")} with other reasons (-o wide lists all)`);
  if (gated > 0) {
    const condition = when === undefined ? "its condition" : `its condition ${when}`;
    print.paragraph(layout, styled("has no effect", "dim"), ` ${onPaths(gated, total)}: ${condition} is false there`);
  }
  if (inEffect + equal + overridden + gated === 0) print.paragraph(layout, styled("takes effect nowhere", "dim"));
}

const onPaths = (count: number, total: number): string =>
  count === total ? `on ${allPaths(total)}` : `on ${count} of ${total} paths`;

function printLoss(
  loss: ReachLoss,
  reach: Reach,
  difference: FormatDifference | undefined,
  context: TextContext,
): void {
  const { print } = context;
  const { reason, paths, field } = loss;
  const item =
    field === undefined
      ? ""
      : ` in ${formatPointer(field.pointer)} of ${glued(formatRef(parseObjectId(field.object)))}`;
  const layout = { indent: 4, hanging: 2 };
  const isEqual = reason === "equal";
  const head = styled(isEqual ? "has the same value" : `is ${reason}`, isEqual ? "green" : "red");
  print.paragraph(
    layout,
    head,
    ` ${whereWords(paths, reach.paths, difference)}${item} `,
    ...lossWords(loss, reach, context),
  );
}

/** Describes some of the paths: in words if a few words single them out, else by their number and the first of them. */
function whereWords(
  some: readonly ReachedPath[],
  all: readonly ReachedPath[],
  difference: FormatDifference | undefined,
): string {
  if (some.length === all.length) return onPaths(some.length, all.length);
  const apart = difference?.(some);
  if (apart !== undefined) return `on ${apart} (${countWord(some.length, "path")})`;
  const [first] = some;
  const example = first === undefined ? "" : `, such as ${formatPath(first)}`;
  return `${onPaths(some.length, all.length)}${example}`;
}

function lossWords(loss: ReachLoss, reach: Reach, context: TextContext): readonly Piece[] {
  const { reason, by, object, effectiveValue, source: value, paths, field } = loss;
  const { redaction, source } = context;
  const path: readonly PathNode[] = paths[0]?.nodes ?? [];
  const isHidden = redaction.hidesValue(value.policy, value.pointer);
  const origin = formatSource({ policyKind: reach.policyKind, value, path, field }, source, { redaction });
  const shown = isHidden
    ? "another value"
    : effectiveValue === undefined
      ? ""
      : formatValue(effectiveValue, VALUE_IN_TEXT_WIDTH);
  const isFinal = takesEffect(loss);
  const isUnset = effectiveValue === undefined;
  const end: readonly Piece[] = isUnset
    ? ["; nothing is set there"]
    : isFinal || origin.length === 0
      ? []
      : [`; ${shown} takes effect there, from `, ...origin];
  const winner: readonly Piece[] = isFinal
    ? [`${shown} from `, ...origin]
    : object === undefined
      ? [winnerNames(by, reach.policy, context)]
      : formatOwnValue(loss, object, reach, context);
  switch (reason) {
    case "equal":
      return isFinal ? ["as ", ...origin, ", which takes effect"] : ["as ", ...winner];
    case "overridden":
      return ["by ", ...winner, isUnset ? ", which overrides everything below it" : "", ...end];
    case "replaced":
      return ["by ", ...winner, isUnset ? ", which replaces the whole block" : "", ...end];
    case "removed":
      return ["by ", winnerNames(by, reach.policy, context), ...end];
    case "deleted":
      return ["(null) by ", winnerNames(by, reach.policy, context), ...end];
  }
}

/** The value of the object itself, and its position. */
function formatOwnValue(
  { source: value, field, paths }: ReachLoss,
  object: ObjectId,
  { policyKind }: Reach,
  { source }: TextContext,
): readonly Piece[] {
  const own = value.lost.find(({ policy }) => policy === undefined);
  const decided = { ...value, policy: null, object };
  const at = positionOf({ policyKind, value: decided, path: paths[0]?.nodes ?? [], field }, source);
  return [
    own === undefined ? "" : `${formatValue(own.value, VALUE_IN_TEXT_WIDTH)} from `,
    `${glued(formatRef(parseObjectId(object)))} itself`,
    at === undefined ? "" : styled(` (${formatLine(at)})`, "dim"),
  ];
}

/** True if the value that it lost to is the one that takes effect in the end. */
function takesEffect({ by, object, source, effectiveValue }: ReachLoss): boolean {
  if (effectiveValue === undefined) return false;
  if (object !== undefined) return source.policy === null && source.object === object;
  return by.length === 1 && by[0] === source.policy;
}

function winnerNames(by: readonly PolicyId[], own: PolicyId, { redaction }: TextContext): string {
  const names = by.map((winner) =>
    winner === own ? "another block of the same policy" : glued(redaction.name(winner)),
  );
  return names.length === 0 ? "the value of the object itself" : listWords([...new Set(names)]);
}
