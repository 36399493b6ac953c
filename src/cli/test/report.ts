import { createRegex } from "../../adapters/regex/create-regex.ts";
import { type Caveat, caveatKey } from "../../core/caveats/caveat.ts";
import { parsePolicyTest } from "../../core/explain/expect/parse-policy-test.ts";
import {
  type CaseResult,
  type ExpectationCheck,
  isMet,
  type TestMistake,
} from "../../core/explain/expect/policy-test.ts";
import { runCase } from "../../core/explain/expect/run-case.ts";
import type { KubeObject, SourcePosition } from "../../core/model/kube-object.ts";
import { kindId, type ObjectRef, parseKindId } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import { nearMiss } from "../../core/model/words/near-miss.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";

/** The results of all tests, in the order of their names. */
export interface TestReport {
  readonly tests: readonly TestResult[];
  /** Mistakes in tests. A test with a mistake is not run. */
  readonly mistakes: readonly LocatedMistake[];
  /** The caveats of all cases, each once. */
  readonly caveats: readonly Caveat[];
}

export interface TestResult {
  readonly test: ObjectRef;
  readonly position: SourcePosition | undefined;
  readonly cases: readonly CaseReport[];
}

export interface CaseReport {
  readonly result: CaseResult;
  readonly state: "Passed" | "Failed";
  readonly position: SourcePosition | undefined;
  /** Where a check that is not met is written; undefined if all are met. */
  readonly failedAt: SourcePosition | undefined;
  readonly caveats: readonly Caveat[];
}

export interface LocatedMistake extends TestMistake {
  readonly object: ObjectRef;
  readonly position: SourcePosition | undefined;
}

const GROUP = "prevail.dev";
const KIND = "PolicyTest";
const POLICY_TEST = kindId({ group: GROUP, kind: KIND });

export function buildTestReport(source: LoadedSource): TestReport {
  const { world } = source;
  const mistakes: LocatedMistake[] = misnamedTests(source);
  const caveats = new Map<string, Caveat>();
  const matchRegex = createRegex();
  const tests = world.objects.ofKind(POLICY_TEST).flatMap((object): readonly TestResult[] => {
    const parsed = parsePolicyTest(object, world);
    mistakes.push(...parsed.mistakes.map((mistake) => locatedMistake(object, mistake, source)));
    if (parsed.test === undefined) return [];
    const cases = parsed.test.cases.map((testCase) => reportCase(object, runCase(world, testCase, matchRegex), source));
    for (const caveat of cases.flatMap((one) => one.caveats)) caveats.set(caveatKey(caveat), caveat);
    return [{ test: object.ref, position: source.locate(object.id), cases }];
  });
  return { tests, mistakes, caveats: [...caveats.values()] };
}

const locatedMistake = ({ id, ref }: KubeObject, mistake: TestMistake, { locate }: LoadedSource): LocatedMistake => ({
  ...mistake,
  object: ref,
  position: locate(id, fieldPointer(mistake.field)),
});

function reportCase({ id }: KubeObject, result: CaseResult, source: LoadedSource): CaseReport {
  const failed = failedChecks(result)[0];
  const { field } = result.testCase;
  const at = (own: string): SourcePosition | undefined => source.locate(id, fieldPointer(own));
  const isPassed = isMet(result);
  return {
    result,
    state: isPassed ? "Passed" : "Failed",
    position: at(field),
    failedAt: isPassed ? undefined : at(failed?.field ?? `${field}.request`),
    caveats: answerCaveats(source, { about: "Objects", objects: result.asked }),
  };
}

/** The expectations that are not met. */
export const failedChecks = ({ ways }: CaseResult): readonly ExpectationCheck[] =>
  ways.flatMap(({ checks }) => checks.filter((check) => !check.isMet));

/** Objects that are tests but for a mistyped kind or group. They would be passed over, and so look like a success. */
function misnamedTests({ world, locate }: LoadedSource): LocatedMistake[] {
  const mistakes: LocatedMistake[] = [];
  for (const id of world.objects.kinds()) {
    const { group, kind } = parseKindId(id);
    const isOurs = group === GROUP && kind !== KIND && nearMiss(kind, [KIND]) !== undefined;
    const isElsewhere = kind === KIND && group !== GROUP;
    if (!isOurs && !isElsewhere) continue;
    world.objects.ofKind(id).forEach((object) => {
      const field = isOurs ? "kind" : "apiVersion";
      const message = isOurs
        ? `unknown kind '${kind}' in ${GROUP}${didYouMean(kind, [KIND])}`
        : `apiVersion is "${object.apiVersion}"; a ${KIND} has ${GROUP}/v1alpha1`;
      mistakes.push({ field, message, object: object.ref, position: locate(object.id, `/${field}`) });
    });
  }
  return mistakes;
}

export interface TestCounts {
  readonly cases: number;
  readonly passed: number;
  readonly failed: number;
  /** Passed, with caveats. */
  readonly qualified: number;
  readonly mistakes: number;
}

export function countCases({ tests, mistakes }: TestReport): TestCounts {
  const cases = tests.flatMap((test) => test.cases);
  const passed = cases.filter(({ state }) => state === "Passed");
  return {
    cases: cases.length,
    passed: passed.length,
    failed: cases.length - passed.length,
    qualified: passed.filter(({ caveats }) => caveats.length > 0).length,
    mistakes: mistakes.length,
  };
}
