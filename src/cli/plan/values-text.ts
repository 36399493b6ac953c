import type { EffectiveValue, KindChange, PathChange, ValueChange } from "../../core/explain/plan/result.ts";
import { keepsValue } from "../../core/explain/plan/value-changes.ts";
import { displayRef, type GroupKind, parseObjectId } from "../../core/model/refs.ts";
import { showPath, showPathsTogether, tellApart } from "../print/format-paths.ts";
import { showDecider } from "../print/format-source.ts";
import { showPointer, showValue } from "../print/format-value.ts";
import { allPaths, countWord } from "../print/print-targets.ts";
import { glued, type Piece, styled } from "../print/styled-text.ts";
import type { PlanSide, PlanTelling } from "./text-context.ts";

/** The same change of one value, and the paths that it is the same on. */
interface Transition {
  readonly change: ValueChange;
  readonly paths: readonly PathChange[];
}

const MOST_TRANSITIONS = 40;
const MOST_PATHS = 4;
const MOST_COMPARED = 500_000;
const VALUE_WIDTH = 300;

/** Of one policy kind: what changes where traffic goes already, then what comes and what goes together with its path. */
export function tellChangedValues(kind: KindChange, telling: PlanTelling): void {
  const { print, wide } = telling;
  for (const how of ["changed", "came", "went"] as const) {
    const paths = kind.changes.filter(({ change }) => change === how);
    if (paths.length === 0) continue;
    print.line();
    print.paragraph({}, styled(kind.policyKind.kind, "bold"), `: ${titleWords(how, paths, kind.paths)}`);
    print.paragraph({ indent: 2, hanging: 2 }, styled(showPathsTogether(paths), "dim"));
    print.line();
    const transitions = transitionsIn(paths);
    const shown = wide ? transitions : transitions.slice(0, MOST_TRANSITIONS);
    // Words for a place are sought among all paths: where that is too much, the paths themselves are listed.
    const isComparable = shown.length * paths.length <= MOST_COMPARED;
    for (const transition of shown) tellTransition(transition, { all: paths, isComparable }, kind.policyKind, telling);
    if (shown.length < transitions.length)
      print.line(`  … and ${transitions.length - shown.length} more changes (-o wide tells all)`);
  }
}

function titleWords(how: PathChange["change"], paths: readonly PathChange[], total: number): string {
  const count = paths.length;
  const verb = (one: string, many: string): string => (count === 1 ? one : many);
  switch (how) {
    case "changed": {
      const what = paths.some(({ values }) => values.some(keepsValue)) ? "values or who decides them" : "values";
      return `${what} change on ${count < total ? `${count} of ${total} paths` : allPaths(count)}`;
    }
    case "came":
      return `${countWord(count, "path")} ${verb("comes", "come")}, with these values`;
    case "went":
      return `${countWord(count, "path")} ${verb("goes", "go")}, with these values`;
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

const sideKey = (held: EffectiveValue | undefined): unknown =>
  held === undefined
    ? null
    : [held.value, held.source.policy, held.source.block, held.source.object, held.field?.object, held.field?.pointer];

function tellTransition(
  { change, paths }: Transition,
  { all, isComparable }: { readonly all: readonly PathChange[]; readonly isComparable: boolean },
  policyKind: GroupKind,
  telling: PlanTelling,
): void {
  const { print, sides } = telling;
  const { pointer, before, after } = change;
  const field = (after ?? before)?.field;
  const item =
    field === undefined ? "" : ` in ${showPointer(field.pointer)} of ${glued(displayRef(parseObjectId(field.object)))}`;
  const apart = paths.length === all.length || !isComparable ? undefined : tellApart(paths, all);
  const where =
    paths.length === all.length
      ? all.length === 1
        ? ""
        : ` on ${allPaths(all.length)}`
      : ` on ${apart === undefined ? `${paths.length} of them` : `${apart} (${countWord(paths.length, "path")})`}`;
  print.paragraph({ indent: 2, hanging: 4 }, styled(showPointer(pointer), "bold"), `${item}${where}`);
  if (apart === undefined && paths.length < all.length) tellPaths(paths, telling);
  const [path] = paths;
  if (path === undefined) return;
  if (before !== undefined && after !== undefined && keepsValue(change)) {
    const old = deciderOf(before, path, policyKind, sides.before, telling);
    const now = deciderOf(after, path, policyKind, sides.after, telling);
    print.paragraph(
      { indent: 4, hanging: 4 },
      `= ${showHeld(after, telling)}, now from `,
      ...now,
      "; before from ",
      ...old,
    );
    return;
  }
  const isChange = path.change === "changed";
  if (before !== undefined || isChange) tellSide("-", before, path, policyKind, telling);
  if (after !== undefined || isChange) tellSide("+", after, path, policyKind, telling);
}

function tellPaths(paths: readonly PathChange[], { print, wide }: PlanTelling): void {
  const shown = wide ? paths : paths.slice(0, MOST_PATHS);
  for (const path of shown) print.paragraph({ indent: 6, hanging: 2 }, styled(showPath(path), "dim"));
  if (shown.length < paths.length) print.line(`      … and ${paths.length - shown.length} more`);
}

function tellSide(
  sign: "-" | "+",
  held: EffectiveValue | undefined,
  path: PathChange,
  policyKind: GroupKind,
  telling: PlanTelling,
): void {
  const { print, sides } = telling;
  const style = sign === "-" ? "red" : "green";
  const layout = { indent: 4, hanging: 4 };
  if (held === undefined) {
    print.paragraph(layout, styled(`${sign} not set`, style));
    return;
  }
  const decider = deciderOf(held, path, policyKind, sign === "-" ? sides.before : sides.after, telling);
  const link = isHidden(held, telling) ? ", by " : " from ";
  print.paragraph(layout, styled(`${sign} ${showHeld(held, telling)}`, style), link, ...decider);
}

const showHeld = (held: EffectiveValue, telling: PlanTelling): string =>
  isHidden(held, telling) ? "hidden" : showValue(held.value, telling.wide ? undefined : VALUE_WIDTH);

const isHidden = ({ source: { policy } }: EffectiveValue, { redaction }: PlanTelling): boolean =>
  policy !== null && redaction.isHidden(policy);

const deciderOf = (
  { source, field }: EffectiveValue,
  { nodes }: PathChange,
  policyKind: GroupKind,
  side: PlanSide,
  { redaction }: PlanTelling,
): readonly Piece[] => showDecider({ policyKind, value: source, path: nodes, field }, side, { redaction });
