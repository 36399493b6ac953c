/** Evaluates documents with the engine and reads all results as lines of JSON. */
import { createCel } from "../../src/core/model/cel/create-cel.ts";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import {
  affected,
  buildSnapshot,
  buildStatus,
  effectivePolicies,
  evaluate,
  findings,
  verdicts,
} from "../../src/index.ts";
import { customStrategies } from "./random/policy-kinds.ts";

export type Evaluation = ReturnType<typeof evaluate>;

const cel = createCel();

/** Objects as a cluster has stored them: the rules of their schemas are not evaluated. */
export const evaluateDocuments = (values: Iterable<unknown>, definitions: readonly PolicyDefinition[]): Evaluation =>
  evaluate(buildSnapshot(values, { validated: true }), { definitions, cel, strategies: customStrategies });

/** Objects as files have them: those that the API server would refuse are left out. */
export const judgeDocuments = (values: Iterable<unknown>, definitions: readonly PolicyDefinition[]): Evaluation =>
  evaluate(buildSnapshot(values), { definitions, cel, strategies: customStrategies });

type Lines = readonly string[];

/** Effective policies, verdicts and affected targets, one line of JSON each. */
export const resultsOf = (evaluation: Evaluation): { effective: Lines; verdicts: Lines; affected: Lines } => ({
  effective: [...effectivePolicies(evaluation)].map((one) => JSON.stringify(one)),
  verdicts: [...verdicts(evaluation)].map((one) => JSON.stringify(one)),
  affected: affected(evaluation).map((one) => JSON.stringify(one)),
});

/** All output of an evaluation: the results, findings and status. */
export const outputOf = (
  evaluation: Evaluation,
): ReturnType<typeof resultsOf> & { findings: Lines; status: Lines } => ({
  ...resultsOf(evaluation),
  findings: findings(evaluation).map((one) => JSON.stringify(one)),
  status: buildStatus(evaluation, { controllerName: "example.com/controller" }).policies.map((one) =>
    JSON.stringify(one),
  ),
});
