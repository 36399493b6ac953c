import type { Severity } from "../../core/model/finding.ts";
import { formatLine, formatPosition } from "../../core/model/words/format-position.ts";
import { printCaveats, qualification } from "../caveats/text.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { type Piece, type Style, styled } from "../print/terminal/styled-text.ts";
import { type FindingReport, isAboutPath, type ReportedFinding, severities } from "./finding-report.ts";
import { formatIgnored } from "./ignore/format-ignored.ts";

const styles: Readonly<Record<Severity, Style>> = { error: "red", warning: "yellow", info: "cyan" };

export interface TextOptions {
  readonly program: string;
  readonly isQuiet: boolean;
  /** True if only findings that are not shown make the check fail. */
  readonly hiddenFail: boolean;
}

/** Prints each finding with position, severity, message and fix, then, unless `isQuiet`, the number of findings and of ignored ones. */
export function printFindings(
  report: FindingReport,
  print: Printer,
  { program, isQuiet, hiddenFail }: TextOptions,
): void {
  report.findings.forEach((finding, index) => {
    if (index > 0) print.line();
    printFinding(finding, print);
  });
  if (!isQuiet) {
    if (report.findings.length > 0) print.line();
    print.paragraph({}, ...summary(report));
    if (hiddenFail) print.paragraph({}, "The findings that are not shown make the check fail, by --fail-on.");
    for (const sentence of formatIgnored(report)) print.paragraph({}, sentence);
    if (report.findings.length > 0)
      print.paragraph({}, styled(`'${program} check --explain CODE' explains a code.`, "dim"));
  }
  printCaveats(report.otherCaveats, print);
}

/** The first line is `file:line:col: error CODE message` and never wrapped, so that editors and scripts can read it. */
function printFinding(finding: ReportedFinding, print: Printer): void {
  const { code, severity, name = "", message, fix, related } = finding;
  const word = styled(severity, styles[severity]);
  const subject: readonly Piece[] = name === "" || message.includes(name) ? [] : [styled(name, "bold"), ": "];
  print.line(...positionPieces(finding), word, ` ${code} `, ...subject, message);
  for (const { message: other, position } of related) {
    const where = position === undefined ? "" : ` (${formatLine(position)})`;
    print.paragraph({ indent: 2, hanging: 2 }, styled(`see: ${other}${where}`, "dim"));
  }
  if (fix !== undefined) print.paragraph({ indent: 2, hanging: 2 }, styled("fix: ", "green"), fix);
}

function positionPieces(finding: ReportedFinding): readonly Piece[] {
  const { position } = finding;
  if (position === undefined) return [];
  return [styled(isAboutPath(finding) ? position.file : formatPosition(position), "bold"), ": "];
}

function summary({ findings, hidden, objects, policies, origin, otherCaveats }: FindingReport): readonly Piece[] {
  const counts = severities
    .map((severity) => ({ severity, found: findings.filter((finding) => finding.severity === severity).length }))
    .filter(({ found }) => found > 0);
  const looked = `${count(objects, "object")} (${count(policies, "policy", "policies")}) in ${origin}`;
  const more =
    hidden === 0
      ? ""
      : ` ${count(hidden, "finding")} of lower severity ${hidden === 1 ? "is" : "are"} not shown; see --severity.`;
  if (counts.length === 0)
    return [styled("No findings", "green"), ` in ${looked}${qualification(otherCaveats)}.${more}`];
  const parts = counts.flatMap(({ severity, found }, index): readonly Piece[] => [
    index === 0 ? "" : index === counts.length - 1 ? " and " : ", ",
    styled(count(found, nouns[severity]), styles[severity]),
  ]);
  return [...parts, ` in ${looked}.${more}`];
}

const nouns: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;
