/** Findings about conditions (`when`) that are never true, that read a missing key, or that cannot be evaluated. */

import { fieldOfPointer } from "../../effective/fold/field-of-pointer.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { Stacks } from "../../effective/world/stack.ts";
import type { PolicyRecord, World } from "../../effective/world/world.ts";
import { blockPointer } from "../../explain/value-pointer.ts";
import type { ConditionOutcome, EvaluateCondition } from "../../model/cel.ts";
import { isJsonList, isJsonObject, type Json } from "../../model/json.ts";
import type { Block, Policy } from "../../model/policy.ts";
import { formatRef } from "../../model/refs.ts";
import { clipText } from "../../model/words/clip-text.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";
import { distinctFolds } from "./distinct-folds.ts";
import type { PolicyEffect } from "./policy-effects.ts";

/** The outcomes of one expression over all its evaluations. */
interface ExpressionOutcomes {
  /** The keys that were missing. */
  readonly missing: Set<string>;
  /** True if an evaluation had another outcome than a missing key. */
  otherwise: boolean;
}

/** By expression. */
export type ConditionOutcomes = ReadonlyMap<string, ExpressionOutcomes>;

export interface ConditionContext {
  readonly cel: EvaluateCondition;
  /** Computed only if a condition is never true. */
  readonly outcomes: () => ConditionOutcomes;
  /** Every key that policies of the kind use. */
  readonly keys: () => ReadonlySet<string>;
}

export function checkConditions(
  world: World,
  { object, policy }: PolicyRecord,
  effect: PolicyEffect | undefined,
  { cel, outcomes, keys }: ConditionContext,
): readonly CheckFinding[] {
  if (policy === undefined) return [];
  const findings: CheckFinding[] = [];
  for (const block of policy.blocks) {
    const { when, name } = block;
    if (when === undefined) continue;
    const at = { object, field: whenField(world, policy, block) };
    if (effect === undefined) findings.push(...syntaxError(when, at, cel));
    else if (effect.gated.has(name) && !effect.acted.has(name))
      findings.push(neverHolds(block, at, effect, misspeltKey(outcomes().get(when), keys)));
  }
  return findings;
}

interface ConditionField {
  readonly object: PolicyRecord["object"];
  readonly field: string;
}

const whenField = (world: World, policy: Policy, block: Block): string =>
  fieldOfPointer(blockPointer(world, policy.id, block.name, "/when").pointer);

/** A policy without a path never evaluates its condition; a syntax error is reported nevertheless. */
function syntaxError(when: string, { object, field }: ConditionField, cel: EvaluateCondition): readonly CheckFinding[] {
  const outcome = cel(when, { spec: {}, self: { spec: {} } });
  if (outcome.state !== "error") return [];
  const message = `the condition cannot be evaluated: ${clipText(outcome.message)}`;
  return [findingAt(object, { code: "ConditionError", severity: "error", field, message })];
}

/** A key that is missing wherever the condition was evaluated, and that no policy of the kind uses at all. */
function misspeltKey(recorded: ExpressionOutcomes | undefined, keys: () => ReadonlySet<string>): string | undefined {
  if (recorded === undefined || recorded.otherwise || recorded.missing.size !== 1) return undefined;
  const [key] = recorded.missing;
  return key === undefined || keys().has(key.split(".").at(-1) ?? "") ? undefined : key;
}

function neverHolds(
  { name }: Block,
  { object, field }: ConditionField,
  effect: PolicyEffect,
  key: string | undefined,
): CheckFinding {
  const where = effect.paths === 1 ? "its only path" : `all of its ${effect.paths} paths`;
  const whose = `the ${name} of ${formatRef(object.ref)}`;
  if (key !== undefined) {
    return findingAt(object, {
      code: "ConditionReadsMissingKey",
      severity: "warning",
      field,
      message: `the condition of ${whose} reads ${key}, which is missing on ${where} and which no ${object.family.kind} sets, so it is never true`,
      fix: "Correct the name of the key; if the key may be missing, test it with has(…) first.",
    });
  }
  return findingAt(object, {
    code: "ConditionNeverHolds",
    severity: "info",
    field,
    message: `the condition of ${whose} is false on ${where}, so the block has no effect`,
    fix: "None needed if the block is a limit: no policy exceeds it at present. Otherwise correct the condition.",
  });
}

/** Folds the kind again and records the outcome of each condition. Called only if a condition is never true. */
export function recordConditions(world: World, kind: CompiledKind): ConditionOutcomes {
  const all = new Map<string, ExpressionOutcomes>();
  const evaluateCondition: EvaluateCondition = (expression, bindings) => {
    const outcome = kind.tools.evaluateCondition(expression, bindings);
    const recorded = all.get(expression) ?? { missing: new Set<string>(), otherwise: false };
    all.set(expression, recorded);
    const key = missingKey(outcome);
    if (key === undefined) recorded.otherwise = true;
    else recorded.missing.add(key);
    return outcome;
  };
  // With new stacks: the stacks of the evaluation keep their folds.
  distinctFolds(world, { ...kind, tools: { ...kind.tools, evaluateCondition }, stacks: new Stacks() });
  return all;
}

const missingKey = (outcome: ConditionOutcome): string | undefined =>
  outcome.state === "missing" ? /no such key: ([\w.-]+)/.exec(outcome.message)?.[1] : undefined;

/** The keys in the values of policies, down to a limited depth. */
export function keysOf(policies: Iterable<Policy>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { blocks } of policies) {
    for (const { units } of blocks) {
      for (const { path, value } of units) {
        for (const key of path) keys.add(key);
        addKeys(value, keys, MAX_DEPTH);
      }
    }
  }
  return keys;
}

const MAX_DEPTH = 8;

function addKeys(value: Json, keys: Set<string>, depth: number): void {
  if (depth === 0 || typeof value !== "object" || value === null) return;
  if (isJsonList(value)) for (const item of value) addKeys(item, keys, depth - 1);
  else if (isJsonObject(value))
    for (const [key, own] of Object.entries(value)) {
      keys.add(key);
      addKeys(own, keys, depth - 1);
    }
}
