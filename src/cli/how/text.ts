import type { Caveat } from "../../core/caveats/caveat.ts";
import type { NamespaceContact } from "../../core/explain/contacts.ts";
import type {
  ChangedObject,
  CurrentValue,
  ForbiddingPolicy,
  HowChange,
  Rights,
} from "../../core/explain/how/result.ts";
import { sectionPointer } from "../../core/explain/value-pointer.ts";
import { type GroupKind, isNamespace, objectId } from "../../core/model/refs.ts";
import { capital } from "../../core/model/words/capital.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import { qualification } from "../caveats/text.ts";
import { formatNode, listWords } from "../print/format/format-paths.ts";
import { formatSource } from "../print/format/format-source.ts";
import { formatPointer, formatValue } from "../print/format/format-value.ts";
import { formatYaml } from "../print/markup/format-yaml.ts";
import { countWord } from "../print/print-targets.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { type Piece, styled } from "../print/terminal/styled-text.ts";
import { formatReach } from "./format-reach.ts";
import { deletion, hiddenChanges } from "./manifest.ts";
import type { ShownAnswer, ShownHow } from "./redact-how.ts";

export interface HowTextContext {
  readonly print: Printer;
  readonly source: LoadedSource;
  readonly redaction: Redaction;
  readonly caveats: readonly Caveat[];
  /** How many changes are printed for each policy kind. */
  readonly limit: number;
  readonly program: string;
}

/** Prints the target, and for each policy kind what takes effect now and the changes. */
export function printHow(how: ShownHow, context: HowTextContext): void {
  const { print, source } = context;
  const { target, wanted, kinds } = how;
  const id = objectId(target);
  const section = target.sectionName === undefined ? undefined : sectionPointer(source.world, id, target.sectionName);
  const position = source.locate(id, section?.pointer);
  const suffix = position === undefined ? "" : ` (${formatLine(position)})`;
  print.paragraph({ hanging: 2 }, styled(capital(formatNode(target)), "bold"), styled(suffix, "dim"));
  for (const { path, value } of wanted) {
    const what =
      value === undefined || value === null ? `${path} should not be set` : `${path} should be ${formatValue(value)}`;
    print.paragraph({ indent: 2, hanging: 2 }, what);
  }
  for (const kind of kinds) printKind(kind, how, context);
}

function printKind(answer: ShownAnswer, how: ShownHow, context: HowTextContext): void {
  const { print } = context;
  print.line();
  print.paragraph({}, styled(context.redaction.kindName(answer.policyKind), "bold"), `: ${verdict(answer, context)}`);
  for (const value of answer.now) printCurrent(value, answer.policyKind, context);
  if (answer.state === "AlreadySo") return;
  printForbidden(answer.forbiddenBy, how, context);
  const shown = answer.changes.slice(0, context.limit);
  shown.forEach((change, index) => {
    printChange(change, index + 1, context);
  });
  printRest(answer, shown.length, context);
}

function verdict({ state, changes, hidden, paths }: ShownAnswer, { caveats }: HowTextContext): string {
  const on = paths === 1 ? "its only path" : `its ${paths} paths`;
  switch (state) {
    case "AlreadySo":
      return `it is so already, on ${on}${qualification(caveats)}.`;
    case "Nothing":
      return `no change that was examined achieves this on ${on}${qualification(caveats)}.`;
    case "Changes": {
      const count = changes.length + hidden;
      const order = count > 1 ? ", the smallest reach first" : "";
      return `${countWord(count, "change")} would achieve this on ${on}${order}${qualification(caveats)}.`;
    }
  }
}

function printCurrent(
  current: CurrentValue,
  policyKind: GroupKind,
  { print, source, redaction }: HowTextContext,
): void {
  const { pointer, value, source: from, paths } = current;
  const [first] = paths;
  const isHidden = redaction.hidesValue(from?.policy, pointer);
  const now = isHidden ? "set" : value === undefined ? "not set" : formatValue(value);
  const origin =
    from === undefined || first === undefined
      ? []
      : formatSource({ policyKind, value: from, path: first.nodes }, source, { redaction, style: "cyan" });
  print.paragraph(
    { indent: 2, hanging: 2 },
    `now ${formatPointer(pointer)} is `,
    styled(now, current.isWanted ? "green" : "yellow"),
    ` on ${countWord(paths.length, "path")}`,
    ...(origin.length === 0 ? [] : [", from ", ...origin]),
  );
}

function printForbidden(
  forbidden: readonly ForbiddingPolicy[],
  { target }: ShownHow,
  { print, redaction }: HowTextContext,
): void {
  if (forbidden.length === 0) return;
  const home = isNamespace(target) ? target.name : target.namespace;
  const where = home === "" ? "No change of cluster-scoped objects alone" : `Nothing in namespace ${home} alone`;
  print.line();
  print.paragraph({}, styled(`${where} achieves it.`, "yellow"));
  for (const { policy, block, pointer, contacts } of forbidden) {
    const at = block === null || block === "bare" || redaction.isHidden(policy) ? "" : `, ${block},`;
    print.paragraph(
      { indent: 2, hanging: 2 },
      styled(redaction.name(policy), "cyan"),
      `${at} takes effect on ${formatPointer(pointer)}`,
      ...ask(redaction.isHidden(policy) ? [] : contacts),
    );
  }
}

const ask = (contacts: readonly NamespaceContact[]): readonly Piece[] =>
  contacts.length === 0 ? [] : ["; ask ", styled(listWords(contacts.map(({ contact }) => contact)), "cyan")];

function printChange(change: HowChange, number: number, context: HowTextContext): void {
  const { print } = context;
  const head = `${number}. `;
  const indent = head.length;
  print.line();
  change.steps.forEach(({ summary }, index) => {
    const text = index === 0 ? summary : `and ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
    print.paragraph(
      { indent: index === 0 ? 0 : indent, hanging: index === 0 ? indent : 2 },
      index === 0 ? head : "",
      styled(text, "bold"),
    );
  });
  print.paragraph({ indent, hanging: 2 }, `${capital(formatReach(change.reach))}.`);
  for (const rights of change.needsRights) print.paragraph({ indent, hanging: 2 }, ...rightsWords(rights));
  if (change.incompletePaths > 0)
    print.paragraph(
      { indent, hanging: 2 },
      styled("Incomplete:", "yellow"),
      ` a parent is not in the input, so a policy above it may override this on ${countWord(change.incompletePaths, "path")}.`,
    );
  change.objects.forEach((object, index) => {
    printObject(object, index, indent, print);
  });
}

function rightsWords({ namespace, contacts }: Rights): readonly Piece[] {
  const where = namespace === "" ? "for cluster-scoped objects" : `in namespace ${namespace}`;
  return [styled("Needs rights", "yellow"), ` ${where}`, ...ask(contacts), "."];
}

function printObject(object: ChangedObject, index: number, indent: number, print: Printer): void {
  const margin = " ".repeat(indent + 2);
  print.line(index === 0 ? "" : `${margin}---`);
  const lines = object.change === "deleted" ? [deletion(object)] : formatYaml(object.manifest).trimEnd().split("\n");
  for (const line of lines) print.line(`${margin}${line}`);
}

function printRest({ changes, hidden, leftOut, refused }: ShownAnswer, shown: number, { print }: HowTextContext): void {
  const rest = changes.length - shown;
  if (rest + hidden + leftOut.length + refused.length > 0) print.line();
  if (rest > 0)
    print.paragraph(
      {},
      `${countWord(rest, "more change")} with a larger reach ${rest === 1 ? "is" : "are"} not shown; see --all.`,
    );
  if (hidden > 0) print.paragraph({}, `${hiddenChanges(hidden)}.`);
  for (const what of leftOut) print.paragraph({ hanging: 2 }, styled("Left out: ", "dim"), `${what}.`);
  for (const why of refused) print.paragraph({ hanging: 2 }, styled("Refused: ", "dim"), `${why}.`);
}
