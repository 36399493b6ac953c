import type { PathNode } from "../../core/effective/paths/path-node.ts";
import type { Reach, ReachedPath, ReachedValue, ReachLoss } from "../../core/explain/reach/result.ts";
import { blockPointer } from "../../core/explain/value-pointer.ts";
import { displayRef, type ObjectId, type PolicyId, parseObjectId } from "../../core/model/refs.ts";
import { listWords, showPath, tellApart } from "../print/format-paths.ts";
import { showLine } from "../print/format-position.ts";
import { positionOf, showDecider } from "../print/format-source.ts";
import { showPointer, showValue } from "../print/format-value.ts";
import { allPaths, countWord } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/styled-text.ts";
import type { Telling } from "../print/text-context.ts";

const MOST_LOSSES = 8;
const HELD_WIDTH = 60;
const VALUE_WIDTH = 300;
/** Words for a place are sought among all paths: beyond this it takes too long. */
const MOST_COMPARED = 500_000;

/** Value by value: where it holds, where it is overridden and by whom, and where its condition keeps it out. */
export function tellReachedValues(reach: Reach, telling: Telling): void {
  const { print } = telling;
  if (reach.values.length === 0) return;
  print.line();
  print.line(styled("What it says", "bold"));
  for (const value of reach.values) tellValue(value, reach, telling);
}

function tellValue(value: ReachedValue, reach: Reach, telling: Telling): void {
  const { print, source, wide } = telling;
  const { block, pointer, decides, equal, overridden, gated, when, losses } = value;
  const { object, pointer: at } = blockPointer(source.world, reach.policy, block, pointer);
  const position = source.locate(object, at);
  const place = position === undefined ? "" : styled(` (${showLine(position)})`, "dim");
  const words = block === "bare" ? "" : `, ${block}`;
  print.paragraph(
    { indent: 2, hanging: 4 },
    styled(showPointer(pointer), "bold"),
    `: ${showValue(value.value, wide ? undefined : VALUE_WIDTH)}${words}`,
    place,
  );
  const total = reach.paths.length;
  const layout = { indent: 4, hanging: 2 };
  if (decides > 0) print.paragraph(layout, styled("decides", "green"), ` ${onPaths(decides, total)}`);
  const told = wide ? losses : losses.slice(0, MOST_LOSSES);
  const isComparable = told.length * total <= MOST_COMPARED;
  for (const loss of told) tellLoss(loss, reach, isComparable, telling);
  const rest = losses.slice(told.length).reduce((sum, { paths }) => sum + paths.length, 0);
  if (rest > 0) print.paragraph(layout, `… and ${countWord(rest, "path")} more in other ways (-o wide tells all)`);
  if (gated > 0) {
    const condition = when === undefined ? "its condition" : `its condition ${when}`;
    print.paragraph(layout, styled("waits", "dim"), ` ${onPaths(gated, total)}: ${condition} does not hold there`);
  }
  if (decides + equal + overridden + gated === 0) print.paragraph(layout, styled("acts nowhere", "dim"));
}

const onPaths = (count: number, total: number): string =>
  count === total ? `on ${allPaths(total)}` : `on ${count} of ${total} paths`;

function tellLoss(loss: ReachLoss, reach: Reach, isComparable: boolean, telling: Telling): void {
  const { print } = telling;
  const { reason, paths, field } = loss;
  const item =
    field === undefined ? "" : ` in ${showPointer(field.pointer)} of ${glued(displayRef(parseObjectId(field.object)))}`;
  const layout = { indent: 4, hanging: 2 };
  const isEqual = reason === "equal";
  const head = styled(isEqual ? "says the same" : "is overridden", isEqual ? "green" : "red");
  print.paragraph(
    layout,
    head,
    ` ${whereWords(paths, reach.paths, isComparable)}${item}: `,
    ...lossWords(loss, reach, telling),
  );
}

/** In words where the paths can be told apart by some, else by their number and the first of them. */
function whereWords(some: readonly ReachedPath[], all: readonly ReachedPath[], isComparable: boolean): string {
  if (some.length === all.length) return onPaths(some.length, all.length);
  const apart = isComparable ? tellApart(some, all) : undefined;
  if (apart !== undefined) return `on ${apart} (${countWord(some.length, "path")})`;
  const [first] = some;
  const example = first === undefined ? "" : `, such as ${showPath(first)}`;
  return `${onPaths(some.length, all.length)}${example}`;
}

function lossWords(loss: ReachLoss, reach: Reach, telling: Telling): readonly Piece[] {
  const { reason, by, object, held, source: value, paths, field } = loss;
  const { redaction, source } = telling;
  const path: readonly PathNode[] = paths[0]?.nodes ?? [];
  const isHidden = value.policy !== null && redaction.isHidden(value.policy);
  const decider = showDecider({ policyKind: reach.policyKind, value, path, field }, source, { redaction });
  const shown = isHidden ? "another value" : held === undefined ? "" : showValue(held, HELD_WIDTH);
  const isHolder = isWinner(loss);
  const isUnset = held === undefined;
  const end: readonly Piece[] = isUnset
    ? ["; nothing is set there"]
    : isHolder || decider.length === 0
      ? []
      : [`; in the end ${shown} holds, from `, ...decider];
  const who: readonly Piece[] = isHolder
    ? [`${shown} of `, ...decider]
    : object === undefined
      ? [winnerNames(by, reach.policy, telling)]
      : showOwner(loss, object, reach, telling);
  switch (reason) {
    case "equal":
      return isHolder ? ["as ", ...decider, ", which decides"] : ["as ", ...who];
    case "overridden":
      return [`a default gives way ${isUnset ? "whole " : ""}to `, ...who, ...end];
    case "replaced":
      return ["overridden by ", ...who, isUnset ? ", which replaces all below it" : "", ...end];
    case "removed":
      return ["removed by ", winnerNames(by, reach.policy, telling), ...end];
    case "deleted":
      return ["deleted (null) by ", winnerNames(by, reach.policy, telling), ...end];
  }
}

/** What the object itself says at that place, and in which line. */
function showOwner(
  { source: value, field, paths }: ReachLoss,
  object: ObjectId,
  { policyKind }: Reach,
  { source }: Telling,
): readonly Piece[] {
  const own = value.lost.find(({ policy }) => policy === undefined);
  const decided = { ...value, policy: null, object };
  const at = positionOf({ policyKind, value: decided, path: paths[0]?.nodes ?? [], field }, source);
  return [
    own === undefined ? "" : `${showValue(own.value, HELD_WIDTH)} of `,
    `${glued(displayRef(parseObjectId(object)))} itself`,
    at === undefined ? "" : styled(` (${showLine(at)})`, "dim"),
  ];
}

/** Whether those that it lost to are also who holds the place in the end. */
function isWinner({ by, object, source, held }: ReachLoss): boolean {
  if (held === undefined) return false;
  if (object !== undefined) return source.policy === null && source.object === object;
  return by.length === 1 && by[0] === source.policy;
}

function winnerNames(by: readonly PolicyId[], own: PolicyId, { redaction }: Telling): string {
  const names = by.map((winner) => (winner === own ? "another block of its own" : glued(redaction.name(winner))));
  return names.length === 0 ? "what the object itself says" : listWords([...new Set(names)]);
}
