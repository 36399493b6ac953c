import type { NamespaceChange, Plan } from "../../core/explain/plan/result.ts";
import type { ChangedTraffic } from "../../core/explain/worth/traffic-changed.ts";
import type { Finding } from "../../core/model/finding.ts";
import { printCaveats } from "../caveats/text.ts";
import {
  codeBlock,
  codeCell,
  codeSpan,
  htmlOrCode,
  textOrCode,
  textOrCodeCell,
} from "../print/markup/markdown-text.ts";
import { countTargets, countWord } from "../print/print-targets.ts";
import { printUnreadable } from "../print/print-unreadable.ts";
import { createPrinter, type Printer } from "../print/terminal/create-printer.ts";
import { textOf, unglued } from "../print/terminal/styled-text.ts";
import { changedTrafficSentences } from "../worth/text.ts";
import { summarizePlan } from "./summarize-plan.ts";
import { printFindings, printObjects, printPolicies } from "./text.ts";
import type { PlanSide, PlanTextContext } from "./text-context.ts";
import { printChangedValues } from "./values-text.ts";

/** GitHub takes comments of at most 65,536 characters. */
const MAX_BYTES = 60_000;
/** Kept free for the note about what is left out. */
const RESERVED_BYTES = 2_000;
const MAX_LINE = 600;
const MOST_NAMESPACES = 40;

export interface MarkdownContext extends Omit<PlanTextContext, "print" | "wide"> {
  /** The commit that the working tree is compared with, as people name it. */
  readonly revision: string | undefined;
  /** The worth of retries where they change. Undefined: not asked for, or not known. */
  readonly retries?: ChangedTraffic | undefined;
  /** Input that could not be used, on either side. */
  readonly problems: readonly Finding[];
  /** The command that prints everything. */
  readonly wholeCommand: string;
}

/** Folded details: a title, and the lines of a code block. */
interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  /** Lines with `-` and `+` get colours. */
  readonly language: "diff" | "text";
}

/** A plan as the comment of a pull request: the summary, a table by namespace, and folded details; at most 60 KB. */
export function planMarkdown(plan: Plan, context: MarkdownContext): string {
  const { caveats, revision, wholeCommand, retries } = context;
  const head = [
    `### Prevail: what this changes${revision === undefined ? "" : ` since ${codeSpan(shortened(revision))}`}`,
    summarizePlan(plan, caveats)
      .map((pieces) => textOrCode(unglued(pieces.map(textOf).join(""))))
      .join("\n"),
    ...(retries === undefined
      ? []
      : [
          changedTrafficSentences(retries)
            .map((line) => textOrCode(unglued(line)))
            .join("\n"),
        ]),
    ...(context.problems.length === 0
      ? []
      : [`**${countOf(context.problems.length, "error")} in the input**, see below: this is not everything.`]),
    ...(caveats.length === 0
      ? []
      : [`**${countOf(caveats.length, "caveat")}**: the answer leaves something out of account, see below.`]),
    ...namespaceTable(plan.namespaces),
  ].join("\n\n");
  const { parts, leftOut } = fitSections(sectionsOf(plan, context), MAX_BYTES - RESERVED_BYTES - sizeOf(head));
  const note =
    leftOut.length === 0
      ? ""
      : `**Left out**, because a comment has at most 60 KB: ${leftOut.map(textOrCode).join("; ")}.\n\n`;
  return `${[head, ...parts].join("\n\n")}\n\n${note}To see everything: ${codeSpan(wholeCommand, 1000)}\n`;
}

/** Object names of commits are shown by their beginning. */
const shortened = (revision: string): string =>
  revision.replaceAll(/\b[0-9a-f]{40,64}\b/g, (name) => name.slice(0, 12));

const countOf = (count: number, what: string): string => unglued(countWord(count, what));

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

function namespaceTable(namespaces: readonly NamespaceChange[]): readonly string[] {
  if (namespaces.length === 0) return [];
  const sorted = namespaces.toSorted((a, b) => b.values.changed - a.values.changed);
  const rows = sorted.slice(0, MOST_NAMESPACES).map((change) => {
    const { namespace, contacts, objects, values, targets, policies, findings } = change;
    const { created, changed, deleted } = objects;
    const [more, fewer] = [findings.added, findings.removed];
    const cells = [
      namespace === "" ? "(cluster-scoped)" : codeCell(namespace),
      contacts.map(({ contact }) => codeCell(contact)).join(", "),
      values.changed === 0 ? "" : `${values.changed}, for ${textOrCodeCell(unglued(countTargets(targets)))}`,
      counted([created, "created"], [changed, "changed"], [deleted, "deleted"]),
      policies === 0 ? "" : String(policies),
      counted([more, "new"], [fewer, "resolved"]),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const rest = sorted.length - rows.length;
  return [
    [
      "| namespace | whom to ask | changed values | objects | changed policies | findings |",
      "| --- | --- | --- | --- | --- | --- |",
      ...rows,
    ].join("\n"),
    ...(rest > 0 ? [`… and ${countOf(rest, "more namespace")}.`] : []),
  ];
}

const counted = (...counts: readonly (readonly [number, string])[]): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(", ");

function sectionsOf(plan: Plan, context: MarkdownContext): readonly Section[] {
  const { sides, caveats, problems } = context;
  /** The first line that is printed is the title. */
  const section = (language: Section["language"], count: number, print: (own: PlanTextContext) => void): Section => {
    const [title = "", ...lines] = collectLines((printer) => print({ ...context, print: printer, wide: false }));
    const shown = language === "diff" ? withSigns(lines) : lines;
    return { title: count === 0 ? title : `${title} (${count})`, language, lines: shown };
  };
  const findings = (title: string, found: readonly Finding[], side: PlanSide): Section =>
    section("text", found.length, (own) => printFindings(title, found, side, own));
  const isConflict = ({ code }: Finding): boolean => code === "Conflicted";
  const isOther = (finding: Finding): boolean => !isConflict(finding);
  const { added, removed } = plan.findings;
  const { kinds, policies, objects } = plan;
  const changed = objects.filter(({ change }) => change !== "same").length;
  return [
    section("text", problems.length, ({ print }) => {
      print.line("Errors in the input");
      printUnreadable(print, problems);
    }),
    ...kinds.flatMap((kind) =>
      (["changed", "added", "removed"] as const).map((how) => {
        const changes = kind.changes.filter(({ change }) => change === how);
        return section("diff", 0, (own) => printChangedValues({ ...kind, changes }, own));
      }),
    ),
    section("text", policies.length, (own) => printPolicies(policies, own)),
    findings("New conflicts", added.filter(isConflict), sides.after),
    findings("Resolved conflicts", removed.filter(isConflict), sides.before),
    findings("New findings", added.filter(isOther), sides.after),
    findings("Resolved findings", removed.filter(isOther), sides.before),
    section("diff", changed, (own) => {
      own.print.line("Objects");
      if (changed > 0) printObjects(plan, own);
    }),
    section("text", caveats.length, ({ print }) => printCaveats(caveats, print)),
  ].filter(({ lines }) => lines.length > 0);
}

/** The lines that are printed, without empty ones at the beginning and at the end. */
function collectLines(print: (printer: Printer) => void): readonly string[] {
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  print(createPrinter({ write, columns: undefined, colour: false, headers: true }));
  const lines = text.replace(/^\n+/, "").trimEnd().split("\n");
  return lines.map((line) => (line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`));
}

/**
 * Moves the sign of a changed value to the beginning of its line, where it gives the line its colour; the lines that continue a value get its sign, too. Values are
 * indented by four, and continued with eight.
 */
function withSigns(lines: readonly string[]): readonly string[] {
  let sign = "";
  return lines.map((line) => {
    const value = /^ {4}([-+])(?: (.*))?$/.exec(line);
    sign = value?.[1] ?? (line.startsWith("        ") ? sign : "");
    if (value !== null) return `${sign}   ${value[2] ?? ""}`.trimEnd();
    return sign === "" ? line : `${sign}${line.slice(1)}`;
  });
}

interface Fitted {
  readonly parts: readonly string[];
  /** The parts that are left out, such as `12 lines of Policies`. */
  readonly leftOut: readonly string[];
}

/** The sections that fit, in their order. A section that does not fit is cut at a line; if a few lines remain, it is left out. */
function fitSections(sections: readonly Section[], maxBytes: number): Fitted {
  const parts: string[] = [];
  const leftOut: string[] = [];
  let free = maxBytes;
  for (const { title, lines, language } of sections) {
    const count = fittingLines(lines, free - sizeOf(folded(title, [""], language)) - 2);
    const kept = count === lines.length || count > FEWEST_LINES ? lines.slice(0, count) : [];
    if (kept.length < lines.length) {
      const left = countOf(lines.length - kept.length, "line");
      leftOut.push(kept.length === 0 ? `the section ${title}` : `${left} of the section ${title}`);
    }
    if (kept.length === 0) continue;
    const part = folded(title, kept, language);
    parts.push(part);
    free -= sizeOf(part) + 2;
  }
  return { parts, leftOut };
}

const FEWEST_LINES = 5;

function fittingLines(lines: readonly string[], maxBytes: number): number {
  let used = 0;
  // The fence of a block is at most as long as its longest line.
  let fences = 0;
  for (const [index, line] of lines.entries()) {
    used += sizeOf(line) + 1;
    fences = Math.max(fences, 2 * line.length);
    if (used + (line.includes("```") ? fences : 0) > maxBytes) return index;
  }
  return lines.length;
}

const folded = (title: string, lines: readonly string[], language: Section["language"]): string =>
  `<details><summary>${htmlOrCode(title)}</summary>\n\n${codeBlock(lines, language)}\n\n</details>`;
