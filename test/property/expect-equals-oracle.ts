/** Compares an evaluation with what the oracle says about the same objects. */
import { expect } from "vitest";
import { createCel } from "../../src/core/model/cel/create-cel.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { PolicyId } from "../../src/core/model/refs.ts";
import { affected, buildStatus, effectivePolicies, verdicts } from "../../src/index.ts";
import { type OracleResult, oracle } from "../oracle/oracle.ts";
import type { Evaluation } from "./evaluate-cluster.ts";
import { normalizeAffected, normalizeEffective, normalizeStatus, normalizeVerdict } from "./normalize-results.ts";
import { customStrategies } from "./random/policy-kinds.ts";

const cel = createCel();

/** `objects`: those that the API server accepts. */
export function expectEqualsOracle(
  evaluation: Evaluation,
  objects: readonly JsonObject[],
  definitions: readonly PolicyDefinition[],
): void {
  const expected = oracle(objects, { definitions, cel, strategies: customStrategies });
  expect(normalizeEffective(effectivePolicies(evaluation))).toEqual(normalizeEffective(expected.effective));
  expect(
    Object.fromEntries([...verdicts(evaluation)].map(({ policy, verdict }) => [policy, normalizeVerdict(verdict)])),
  ).toEqual(Object.fromEntries([...expected.verdicts].map(([policy, verdict]) => [policy, normalizeVerdict(verdict)])));
  expectSameStatus(evaluation, expected.statuses);
  expect(normalizeAffected(affected(evaluation))).toEqual(
    Object.fromEntries([
      ...[...expected.affected].map(([target, policies]) => [target, [...policies].sort()] as const),
      ...[...expected.possiblyAffected].flatMap(([target, policies]) =>
        policies.size === 0 ? [] : [[`${target} possibly`, [...policies].sort()] as const],
      ),
    ]),
  );
}

/** A status has at most 16 entries, so a longer one is not compared. */
function expectSameStatus(evaluation: Evaluation, expected: OracleResult["statuses"]): void {
  const { policies } = buildStatus(evaluation, { controllerName: "example.com/controller" });
  const isWhole = (policy: PolicyId): boolean => (expected.get(policy)?.size ?? 0) <= 16;
  const shown = policies.filter(({ policy }) => isWhole(policy)).map((one) => [one.policy, normalizeStatus(one)]);
  const wanted = [...expected].filter(([policy]) => isWhole(policy));
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(wanted.map(([policy, status]) => [policy, Object.fromEntries(status)])),
  );
}
