import type { ExpectationCheck } from "../../core/explain/expect/policy-test.ts";
import { objectId } from "../../core/model/refs.ts";
import { caveatsJson } from "../caveats/json.ts";
import { API_VERSION, openRef } from "../print/data/effective-json.ts";
import { type CaseReport, countCases, type TestReport } from "./report.ts";

/** `test -o json`; `docs/schemas/test-report.json` describes it. */
export function reportJson(report: TestReport): object {
  const { qualified, ...counts } = countCases(report);
  return {
    apiVersion: API_VERSION,
    kind: "TestReport",
    counts: { ...counts, passedWithCaveats: qualified },
    tests: report.tests.map(({ test, position, cases }) => ({
      test: openRef(objectId(test)),
      ...(position === undefined ? {} : { at: position }),
      cases: cases.map(caseJson),
    })),
    mistakes: report.mistakes.map(({ object, field, message, position }) => ({
      test: openRef(objectId(object)),
      field,
      message,
      ...(position === undefined ? {} : { at: position }),
    })),
    caveats: caveatsJson(report.caveats),
  };
}

const caseJson = ({ result, state, position, caveats }: CaseReport): object => ({
  name: result.testCase.name,
  state,
  ...(position === undefined ? {} : { at: position }),
  ...(result.problem === undefined ? {} : { problem: result.problem }),
  checks: result.ways.flatMap(({ trace, checks }) =>
    checks.map((check) => checkJson(check, "gateway" in trace ? openRef(objectId(trace.gateway)) : undefined)),
  ),
  notes: result.notes,
  caveats: caveatsJson(caveats),
});

const checkJson = (
  { field, what, expected, actual, isMet }: ExpectationCheck,
  gateway: object | undefined,
): object => ({
  what,
  field,
  ...(gateway === undefined ? {} : { gateway }),
  expected,
  actual,
  isMet,
});
