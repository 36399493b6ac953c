/** The engine, asked everything it can tell. */
import { createCel } from "../../src/adapters/cel/create-cel.ts";
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
import { customStrategies } from "./policy-kinds.ts";

export type Evaluation = ReturnType<typeof evaluate>;

const cel = createCel();

export function evaluateDocuments(values: Iterable<unknown>, definitions: readonly PolicyDefinition[]): Evaluation {
  return evaluate(buildSnapshot(values), { definitions, cel, strategies: customStrategies });
}

type Lines = readonly string[];

/** Everything that is decided, one line of JSON for each; findings aside. */
export const decided = (evaluation: Evaluation): { effective: Lines; verdicts: Lines; affected: Lines } => ({
  effective: [...effectivePolicies(evaluation)].map((one) => JSON.stringify(one)),
  verdicts: [...verdicts(evaluation)].map((one) => JSON.stringify(one)),
  affected: affected(evaluation).map((one) => JSON.stringify(one)),
});

/** Everything that is told. */
export const told = (evaluation: Evaluation): ReturnType<typeof decided> & { findings: Lines; status: Lines } => ({
  ...decided(evaluation),
  findings: findings(evaluation).map((one) => JSON.stringify(one)),
  status: buildStatus(evaluation, { controllerName: "example.com/controller" }).policies.map((one) =>
    JSON.stringify(one),
  ),
});
