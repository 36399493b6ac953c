import { formatPosition } from "../../core/model/words/format-position.ts";
import { renderSvg as renderXml, type SvgElement as XmlElement, svg as xml } from "../print/markup/xml-element.ts";
import { type FindingReport, isAboutPath, type ReportedFinding } from "./finding-report.ts";

/** JUnit XML for CI servers: one suite for each file, one test case for each finding. Findings of severity info do not fail, and ignored ones are skipped. */
export function findingsJunit(report: FindingReport): string {
  const suites = new Map<string, ReportedFinding[]>();
  const skipped = new Set(report.ignored.map(({ finding }) => finding));
  for (const finding of [...report.findings, ...skipped]) {
    const file = finding.position?.file ?? report.origin;
    suites.set(file, [...(suites.get(file) ?? []), finding]);
  }
  // CI servers treat a report without tests as an error.
  const cases = [...suites].map(([file, findings]) => {
    const isSkipped = (finding: ReportedFinding): boolean => skipped.has(finding);
    const counts = {
      failures: findings.filter((finding) => isFailure(finding) && !isSkipped(finding)).length,
      skipped: findings.filter(isSkipped).length,
    };
    return suite(
      file,
      findings.map((finding) => testCase(finding, isSkipped(finding))),
      counts,
    );
  });
  const all =
    cases.length === 0
      ? [
          suite(report.origin, [xml("testcase", { name: "check", classname: report.origin })], {
            failures: 0,
            skipped: 0,
          }),
        ]
      : cases;
  const attributes = {
    name: "prevail check",
    tests: Math.max(1, report.findings.length + skipped.size),
    failures: report.findings.filter(isFailure).length,
    skipped: skipped.size,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${renderXml(xml("testsuites", attributes, ...all))}`;
}

const isFailure = ({ severity }: ReportedFinding): boolean => severity !== "info";

interface Counts {
  readonly failures: number;
  readonly skipped: number;
}

const suite = (file: string, cases: readonly XmlElement[], { failures, skipped }: Counts): XmlElement =>
  xml("testsuite", { name: file, tests: cases.length, failures, errors: 0, skipped }, ...cases);

function testCase(finding: ReportedFinding, isSkipped: boolean): XmlElement {
  const { code, severity, name: object, position, message } = finding;
  const name = object === undefined ? code : `${code}: ${object}`;
  const lines = position === undefined || isAboutPath(finding) ? {} : { line: position.line };
  const attributes = {
    name,
    classname: position?.file ?? "prevail",
    ...(position === undefined ? {} : { file: position.file }),
    ...lines,
  };
  if (isSkipped) return xml("testcase", attributes, xml("skipped", { message: `ignored: ${message}` }));
  return isFailure(finding)
    ? xml("testcase", attributes, xml("failure", { type: severity, message }, textOf(finding)))
    : xml("testcase", attributes, xml("system-out", {}, textOf(finding)));
}

const textOf = (finding: ReportedFinding): string =>
  [
    `${finding.position === undefined ? "" : `${isAboutPath(finding) ? finding.position.file : formatPosition(finding.position)}: `}${finding.severity} ${finding.code} ${finding.message}`,
    ...finding.related.map(
      ({ message, position }) => `see: ${message}${position === undefined ? "" : ` (${formatPosition(position)})`}`,
    ),
    ...(finding.fix === undefined ? [] : [`fix: ${finding.fix}`]),
  ].join("\n");
