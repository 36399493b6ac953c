import type { EffectiveValue, KindChange, PathChange, ValueChange } from "../../core/explain/plan/result.ts";
import { keepsValue } from "../../core/explain/plan/value-changes.ts";
import { formatRef, type GroupKind, parseObjectId } from "../../core/model/refs.ts";
import { redactPointer } from "../args/redaction.ts";
import {
  createDifference,
  type FormatDifference,
  formatPath,
  formatPathsTogether,
} from "../print/format/format-paths.ts";
import { formatSource } from "../print/format/format-source.ts";
import { formatPointer, formatValue } from "../print/format/format-value.ts";
import { allPaths, countWord } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/terminal/styled-text.ts";
import type { PlanSide, PlanTextContext } from "./text-context.ts";

/** One change of one value, and the paths that it happens on. */
interface Transition {
  readonly change: ValueChange;
  readonly paths: readonly PathChange[];
}

const MOST_TRANSITIONS = 40;
const MOST_PATHS = 4;
const MOST_COMPARED = 500_000;
const VALUE_WIDTH = 300;

/** Prints the changes of one policy kind: on paths that stay, then with paths that are added, then with paths that are removed. */
export function printChangedValues(kind: KindChange, context: PlanTextContext): void {
  const { print, wide } = context;
  for (const how of ["changed", "added", "removed"] as const) {
    const paths = kind.changes.filter(({ change }) => change === how);
    if (paths.length === 0) continue;
    print.line();
    print.paragraph(
      {},
      styled(context.redaction.kindName(kind.policyKind), "bold"),
      `: ${titleWords(how, paths, kind.paths)}`,
    );
    print.paragraph({ indent: 2, hanging: 2 }, styled(formatPathsTogether(paths), "dim"));
    print.line();
    const transitions = transitionsIn(paths);
    const shown = wide ? transitions : transitions.slice(0, MOST_TRANSITIONS);
    // Describing paths in words compares all of them. Where that takes too long, the paths are listed.
    const difference = shown.length * paths.length <= MOST_COMPARED ? createDifference(paths) : undefined;
    for (const transition of shown) printTransition(transition, { all: paths, difference }, kind.policyKind, context);
    if (shown.length < transitions.length)
      print.line(`  … and ${transitions.length - shown.length} more changes (-o wide lists them all)`);
  }
}

function titleWords(how: PathChange["change"], paths: readonly PathChange[], total: number): string {
  const count = paths.length;
  const verb = (one: string, many: string): string => (count === 1 ? one : many);
  switch (how) {
    case "changed": {
      const what = paths.some(({ values }) => values.some(keepsValue)) ? "values or their sources" : "values";
      return `${what} change on ${count < total ? `${count} of ${total} paths` : allPaths(count)}`;
    }
    case "added":
      return `${countWord(count, "path")} ${verb("is", "are")} added, with these values`;
    case "removed":
      return `${countWord(count, "path")} ${verb("is", "are")} removed, with these values`;
  }
}

/** By pointer, and of one pointer those with most paths first. */
function transitionsIn(paths: readonly PathChange[]): readonly Transition[] {
  const byKey = new Map<string, { readonly change: ValueChange; readonly paths: PathChange[] }>();
  for (const path of paths) {
    for (const change of path.values) {
      const key = JSON.stringify([change.pointer, sideKey(change.before), sideKey(change.after)]);
      const transition = byKey.get(key) ?? { change, paths: [] };
      byKey.set(key, transition);
      transition.paths.push(path);
    }
  }
  const pointers = [...new Set([...byKey.values()].map(({ change }) => change.pointer))].sort();
  return pointers.flatMap((pointer) =>
    [...byKey.values()]
      .filter(({ change }) => change.pointer === pointer)
      .sort((a, b) => b.paths.length - a.paths.length),
  );
}

const sideKey = (side: EffectiveValue | undefined): unknown =>
  side === undefined
    ? null
    : [side.value, side.source.policy, side.source.block, side.source.object, side.field?.object, side.field?.pointer];

function printTransition(
  { change, paths }: Transition,
  { all, difference }: { readonly all: readonly PathChange[]; readonly difference: FormatDifference | undefined },
  policyKind: GroupKind,
  context: PlanTextContext,
): void {
  const { print, sides, redaction } = context;
  const { before, after } = change;
  const one = after ?? before;
  const pointer = one === undefined ? change.pointer : redactPointer(one.source, redaction);
  const field = one?.field;
  const item =
    field === undefined
      ? ""
      : ` in ${formatPointer(field.pointer)} of ${glued(formatRef(parseObjectId(field.object)))}`;
  const apart = paths.length === all.length ? undefined : difference?.(paths);
  const where =
    paths.length === all.length
      ? all.length === 1
        ? ""
        : ` on ${allPaths(all.length)}`
      : ` on ${apart === undefined ? `${paths.length} of them` : `${apart} (${countWord(paths.length, "path")})`}`;
  print.paragraph({ indent: 2, hanging: 4 }, styled(formatPointer(pointer), "bold"), `${item}${where}`);
  if (apart === undefined && paths.length < all.length) printPaths(paths, context);
  const [path] = paths;
  if (path === undefined) return;
  if (before !== undefined && after !== undefined && keepsValue(change)) {
    const old = formatSourceOf(before, path, policyKind, sides.before, context);
    const now = formatSourceOf(after, path, policyKind, sides.after, context);
    print.paragraph(
      { indent: 4, hanging: 4 },
      `= ${formatEffectiveValue(after, context)}, now from `,
      ...now,
      "; before from ",
      ...old,
    );
    return;
  }
  const isChange = path.change === "changed";
  if (before !== undefined || isChange) printSide("-", before, path, policyKind, context);
  if (after !== undefined || isChange) printSide("+", after, path, policyKind, context);
}

function printPaths(paths: readonly PathChange[], { print, wide }: PlanTextContext): void {
  const shown = wide ? paths : paths.slice(0, MOST_PATHS);
  for (const path of shown) print.paragraph({ indent: 6, hanging: 2 }, styled(formatPath(path), "dim"));
  if (shown.length < paths.length) print.line(`      … and ${paths.length - shown.length} more`);
}

function printSide(
  sign: "-" | "+",
  side: EffectiveValue | undefined,
  path: PathChange,
  policyKind: GroupKind,
  context: PlanTextContext,
): void {
  const { print, sides } = context;
  const style = sign === "-" ? "red" : "green";
  const layout = { indent: 4, hanging: 4 };
  if (side === undefined) {
    print.paragraph(layout, styled(`${sign} not set`, style));
    return;
  }
  const origin = formatSourceOf(side, path, policyKind, sign === "-" ? sides.before : sides.after, context);
  const link = isHidden(side, context) ? ", by " : " from ";
  print.paragraph(layout, styled(`${sign} ${formatEffectiveValue(side, context)}`, style), link, ...origin);
}

const formatEffectiveValue = (side: EffectiveValue, context: PlanTextContext): string =>
  context.redaction.hidesValue(side.source.policy, side.source.pointer)
    ? "hidden"
    : formatValue(side.value, context.wide ? undefined : VALUE_WIDTH);

const isHidden = ({ source: { policy } }: EffectiveValue, { redaction }: PlanTextContext): boolean =>
  policy !== null && redaction.isHidden(policy);

const formatSourceOf = (
  { source, field }: EffectiveValue,
  { nodes }: PathChange,
  policyKind: GroupKind,
  side: PlanSide,
  { redaction }: PlanTextContext,
): readonly Piece[] => formatSource({ policyKind, value: source, path: nodes, field }, side, { redaction });
