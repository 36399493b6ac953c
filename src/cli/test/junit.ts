import { formatPosition } from "../../core/model/words/format-position.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { renderSvg as renderXml, type SvgElement as XmlElement, svg as xml } from "../print/markup/xml-element.ts";
import {
  type CaseReport,
  countCases,
  failedChecks,
  type LocatedMistake,
  type TestReport,
  type TestResult,
} from "./report.ts";
import { failureLines, formatFound } from "./text.ts";

/** JUnit XML for CI servers: one suite for each PolicyTest, one test case for each case. A mistake in a test is an error. */
export function reportJunit(report: TestReport, source: LoadedSource): string {
  const { cases, failed, mistakes } = countCases(report);
  const suites = [
    ...report.tests.map((test) => suiteOf(test, source)),
    ...report.mistakes.map((mistake) => mistakeSuite(mistake)),
  ];
  const attributes = { name: "prevail test", tests: cases + mistakes, failures: failed, errors: mistakes };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${renderXml(xml("testsuites", attributes, ...suites))}`;
}

function suiteOf({ test, position, cases }: TestResult, source: LoadedSource): XmlElement {
  const failures = cases.filter(({ state }) => state === "Failed").length;
  const file = position === undefined ? {} : { file: position.file };
  const attributes = { name: test.name, tests: cases.length, failures, errors: 0, skipped: 0, ...file };
  return xml("testsuite", attributes, ...cases.map((own) => caseElement(test.name, own, source)));
}

function caseElement(test: string, own: CaseReport, source: LoadedSource): XmlElement {
  const { result, state, position, caveats } = own;
  const at = position === undefined ? {} : { file: position.file, line: position.line };
  const attributes = { name: result.testCase.name, classname: test, ...at };
  const remarks = [
    ...result.notes.map((note) => `note: ${note}`),
    ...caveats.map((caveat) => `caveat: ${caveat.message}`),
  ];
  const out = remarks.length === 0 ? [] : [xml("system-out", {}, remarks.join("\n"))];
  if (state === "Passed") return xml("testcase", attributes, ...out);
  const message =
    result.problem ??
    failedChecks(result)
      .map(({ what, expected, actual }) => `${what}: expected ${formatFound(expected)}, got ${formatFound(actual)}`)
      .join("; ");
  const failure = xml("failure", { type: "PolicyTest", message }, failureLines(own, source).join("\n"));
  return xml("testcase", attributes, failure, ...out);
}

function mistakeSuite({ object, message, position, field }: LocatedMistake): XmlElement {
  const at = position === undefined ? {} : { file: position.file, line: position.line };
  const text = position === undefined ? message : `${formatPosition(position)}: ${message}`;
  return xml(
    "testsuite",
    { name: object.name, tests: 1, failures: 0, errors: 1, skipped: 0 },
    xml("testcase", { name: field, classname: object.name, ...at }, xml("error", { type: "mistake", message }, text)),
  );
}
