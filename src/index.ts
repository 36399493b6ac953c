/** The library: build a snapshot, evaluate it, read what prevails and why, apply changes. */
import { type EvaluateOptions, type Evaluation, evaluate as evaluateSnapshot } from "./core/evaluate.ts";
import type { Snapshot } from "./core/model/snapshot.ts";
import { builtInDefinitions } from "./definitions/built-in-definitions.ts";

/** Evaluates a snapshot. Without `definitions`, the built-in ones; those in the snapshot count always. */
export function evaluate(snapshot: Snapshot, options: EvaluateOptions = {}): Evaluation {
  return evaluateSnapshot(snapshot, { ...options, definitions: options.definitions ?? builtInDefinitions() });
}

export { affected, effectivePolicies, findings, verdicts } from "./core/evaluate.ts";
export { buildSnapshot } from "./core/model/snapshot.ts";
export { builtInDefinitions };
