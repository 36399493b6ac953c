import { formatRef } from "../../core/model/refs.ts";
import { formatPosition } from "../print/format-position.ts";
import { renderSvg as renderXml, type SvgElement as XmlElement, svg as xml } from "../print/xml-element.ts";
import { type FindingReport, isAboutPath, type ReportedFinding } from "./finding-report.ts";

/** JUnit XML for CI servers: one suite for each file, one test case for each finding. Findings of severity info do not fail. */
export function findingsJunit(report: FindingReport): string {
  const suites = new Map<string, ReportedFinding[]>();
  for (const finding of report.findings) {
    const file = finding.position?.file ?? report.origin;
    suites.set(file, [...(suites.get(file) ?? []), finding]);
  }
  // CI servers treat a report without tests as an error.
  const cases = [...suites].map(([file, findings]) => suite(file, findings.map(testCase), findings));
  const all =
    cases.length === 0
      ? [suite(report.origin, [xml("testcase", { name: "check", classname: report.origin })], [])]
      : cases;
  const attributes = {
    name: "prevail check",
    tests: Math.max(1, report.findings.length),
    failures: report.findings.filter(isFailure).length,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${renderXml(xml("testsuites", attributes, ...all))}`;
}

const isFailure = ({ severity }: ReportedFinding): boolean => severity !== "info";

const suite = (file: string, cases: readonly XmlElement[], findings: readonly ReportedFinding[]): XmlElement =>
  xml(
    "testsuite",
    { name: file, tests: cases.length, failures: findings.filter(isFailure).length, errors: 0, skipped: 0 },
    ...cases,
  );

function testCase(finding: ReportedFinding): XmlElement {
  const { code, severity, object, position, message } = finding;
  const name = object === undefined ? code : `${code}: ${formatRef(object)}`;
  const lines = position === undefined || isAboutPath(finding) ? {} : { line: position.line };
  const attributes = {
    name,
    classname: position?.file ?? "prevail",
    ...(position === undefined ? {} : { file: position.file }),
    ...lines,
  };
  return isFailure(finding)
    ? xml("testcase", attributes, xml("failure", { type: severity, message }, textOf(finding)))
    : xml("testcase", attributes, xml("system-out", {}, textOf(finding)));
}

const textOf = (finding: ReportedFinding): string =>
  [
    `${finding.position === undefined ? "" : `${isAboutPath(finding) ? finding.position.file : formatPosition(finding.position)}: `}${finding.severity} ${finding.code}`,
    finding.message,
    ...finding.related.map(
      ({ message, position }) => `see: ${message}${position === undefined ? "" : ` (${formatPosition(position)})`}`,
    ),
    ...(finding.fix === undefined ? [] : [`fix: ${finding.fix}`]),
  ].join("\n");
