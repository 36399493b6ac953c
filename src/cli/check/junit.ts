import { formatRef } from "../../core/model/refs.ts";
import { formatPosition } from "../print/format-position.ts";
import { renderSvg as renderXml, type SvgElement as XmlElement, svg as xml } from "../print/xml-element.ts";
import { type FindingReport, isAboutPath, type ReportedFinding } from "./finding-report.ts";

/** JUnit XML for CI servers: one suite for each file, one test case for each finding. Findings of severity info do not fail. */
export function findingsJunit(report: FindingReport): string {
  const suites = new Map<string, ReportedFinding[]>();
  for (const finding of report.findings) {
    const file = finding.place?.file ?? report.origin;
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
  const { code, severity, object, place, message } = finding;
  const name = object === undefined ? code : `${code}: ${formatRef(object)}`;
  const lines = place === undefined || isAboutPath(finding) ? {} : { line: place.line };
  const attributes = {
    name,
    classname: place?.file ?? "prevail",
    ...(place === undefined ? {} : { file: place.file }),
    ...lines,
  };
  return isFailure(finding)
    ? xml("testcase", attributes, xml("failure", { type: severity, message }, textOf(finding)))
    : xml("testcase", attributes, xml("system-out", {}, textOf(finding)));
}

const textOf = (finding: ReportedFinding): string =>
  [
    `${finding.place === undefined ? "" : `${isAboutPath(finding) ? finding.place.file : formatPosition(finding.place)}: `}${finding.severity} ${finding.code}`,
    finding.message,
    ...finding.related.map(
      ({ message, place }) => `see: ${message}${place === undefined ? "" : ` (${formatPosition(place)})`}`,
    ),
    ...(finding.fix === undefined ? [] : [`fix: ${finding.fix}`]),
  ].join("\n");
