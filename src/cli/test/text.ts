import type { CaseResult, CheckReason, ExpectationCheck } from "../../core/explain/expect/policy-test.ts";
import type { TraceRequest } from "../../core/explain/trace/result.ts";
import type { Json } from "../../core/model/json.ts";
import { liesBelow } from "../../core/model/json-pointer.ts";
import { kindId } from "../../core/model/refs.ts";
import { formatPosition } from "../../core/model/words/format-position.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { hideNothing } from "../args/redaction.ts";
import { printValues } from "../explain/values-text.ts";
import { formatValue } from "../print/format/format-value.ts";
import { countWord } from "../print/print-targets.ts";
import { createPrinter } from "../print/terminal/create-printer.ts";
import { indentPrinter } from "../print/terminal/indent-printer.ts";
import { styled } from "../print/terminal/styled-text.ts";
import type { TextContext } from "../print/text-context.ts";
import { printWay } from "../trace/text.ts";
import { type CaseReport, countCases, type LocatedMistake, type TestReport } from "./report.ts";

const INDENT = 8;
const REQUEST_WIDTH = 200;

/** Prints each case with its result; of a case that fails, each expectation that is not met, and the reason. */
export function printReport(report: TestReport, context: TextContext): void {
  const { print } = context;
  for (const { test, position, cases } of report.tests) {
    print.line(styled(test.name, "bold"), position === undefined ? "" : styled(`  ${position.file}`, "dim"));
    for (const own of cases) printCase(own, context);
    print.line();
  }
  for (const mistake of report.mistakes) printMistake(mistake, context);
  if (report.mistakes.length > 0) print.line();
  print.paragraph({}, ...summaryOf(report));
}

function summaryOf(report: TestReport): readonly (string | ReturnType<typeof styled>)[] {
  const { cases, passed, failed, qualified, mistakes } = countCases(report);
  const parts = [
    ...(passed > 0 ? [styled(`${passed} passed`, "green")] : []),
    ...(failed > 0 ? [styled(`${failed} failed`, "red")] : []),
    ...(mistakes > 0 ? [styled(`${countWord(mistakes, "mistake")} in tests, which were not run`, "red")] : []),
  ];
  const listed = parts.flatMap((part, index) => (index === 0 ? [part] : [", ", part]));
  const caveats =
    qualified === 0
      ? ""
      : ` ${qualified === passed ? "All" : `${qualified}`} that passed did so with caveats, see below.`;
  return [`${countWord(cases, "case")}: `, ...listed, `.${caveats}`];
}

function printMistake({ position, message }: LocatedMistake, { print }: TextContext): void {
  const at = position === undefined ? "" : ` ${formatPosition(position)}:`;
  print.paragraph({ hanging: 7 }, styled("error:", "red"), `${at} ${message}`);
}

function printCase({ result, state, caveats, failedAt }: CaseReport, context: TextContext): void {
  const { print } = context;
  const { testCase, notes } = result;
  const count = caveats.length === 0 ? "" : styled(` (with ${countWord(caveats.length, "caveat")})`, "yellow");
  const at = failedAt === undefined ? "" : styled(`  ${formatPosition(failedAt)}`, "dim");
  const word = state === "Passed" ? styled("ok", "green") : styled("FAIL", "red");
  print.line("  ", word, state === "Passed" ? "    " : "  ", testCase.name, state === "Passed" ? count : at);
  for (const note of notes) print.paragraph({ indent: INDENT, hanging: 2 }, styled(`note: ${note}`, "dim"));
  if (state === "Failed") printFailure(result, { ...context, print: indentPrinter(print, INDENT) });
}

/** Prints the request, the expectations that are not met, and why: the way of the request, and the sources of values. */
function printFailure({ testCase, problem, ways }: CaseResult, context: TextContext): void {
  const { print } = context;
  print.paragraph({ hanging: 2 }, styled(formatRequest(testCase.request, testCase.from), "dim"));
  if (problem !== undefined) print.paragraph({ hanging: 2 }, `${problem}.`);
  for (const { trace, checks } of ways) {
    const failed = checks.filter(({ isMet }) => !isMet);
    for (const check of failed) printCheck(check, context);
    if (failed.some(({ reason }) => reason.about === "Routing")) printWay(trace, testCase.request, context);
    for (const reason of distinctReasons(failed)) printReason(reason, context);
  }
}

/** The lines about a case that fails, for formats that are not text. */
export function failureLines({ result, caveats }: CaseReport, source: LoadedSource): readonly string[] {
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  const print = createPrinter({ write, columns: undefined, colour: false, headers: true });
  printFailure(result, { print, source, redaction: hideNothing, caveats, wide: false, allPaths: false });
  return text.trimEnd().split("\n");
}

/** `GET http://baker.example:8080/menu`. */
function formatRequest({ method, scheme, host, port, path }: TraceRequest, from: string | undefined): string {
  const shown = port === (scheme === "https" ? 443 : 80) ? "" : `:${port}`;
  const text = `${method} ${scheme}://${host}${shown}${path}`;
  return `${text.slice(0, REQUEST_WIDTH)}${from === undefined ? "" : ` from namespace ${from}`}`;
}

function printCheck({ what, expected, actual }: ExpectationCheck, { print }: TextContext): void {
  print.paragraph(
    { hanging: 4 },
    styled(what, "bold"),
    `: expected ${formatFound(expected)}, got `,
    styled(formatFound(actual), "red"),
  );
}

/** Names are printed as they are, lists and maps as YAML on one line. */
export const formatFound = (value: Json): string =>
  value === null ? "nothing" : typeof value === "string" ? value : formatValue(value);

type SettingsReason = Extract<CheckReason, { readonly about: "Settings" }>;

/** The reasons about one policy kind, together: each value is printed once. */
function distinctReasons(failed: readonly ExpectationCheck[]): readonly SettingsReason[] {
  const reasons = new Map<string, SettingsReason>();
  for (const { reason } of failed) {
    if (reason.about !== "Settings") continue;
    const key = kindId(reason.policyKind);
    const known = reasons.get(key);
    const pointers = [...new Set([...(known?.pointers ?? []), ...reason.pointers])];
    const outcomes = [...new Set([...(known?.outcomes ?? []), ...reason.outcomes])];
    reasons.set(key, { ...reason, pointers, outcomes });
  }
  return [...reasons.values()];
}

/** The values that matter, with their sources, as `explain` prints them. */
function printReason({ policyKind, pointers, outcomes }: SettingsReason, context: TextContext): void {
  const isMeant = (pointer: string): boolean =>
    pointers.some((own) => own === pointer || liesBelow(pointer, own) || liesBelow(own, pointer));
  const shown = outcomes.map((outcome) => ({
    ...outcome,
    fields: [],
    sources: outcome.sources.filter(({ pointer }) => isMeant(pointer)),
  }));
  if (shown.every(({ sources }) => sources.length === 0)) {
    context.print.paragraph({ indent: 2 }, `No ${policyKind.kind} sets it on this path.`);
    return;
  }
  printValues(shown, policyKind, context);
}
