/** Conditions (`when`) that hold nowhere, that ask for what is nowhere, or that nobody can evaluate. */

import { fieldOfPointer } from "../effective/fold/field-of-pointer.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import { Stacks } from "../effective/world/stack.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import { blockPointer } from "../explain/value-pointer.ts";
import type { ConditionOutcome, EvaluateCondition } from "../model/cel.ts";
import { isJsonList, isJsonObject, type Json } from "../model/json.ts";
import type { Block, Policy } from "../model/policy.ts";
import { displayRef } from "../model/refs.ts";
import { clipText } from "../model/words/clip-text.ts";
import { type CheckFinding, findingAt } from "./check-finding.ts";
import type { PolicyFate } from "./policy-fates.ts";
import { surveyFolds } from "./survey-folds.ts";

/** What an expression came to wherever it was evaluated. */
interface Heard {
  /** The keys that were missing. */
  readonly missing: Set<string>;
  /** It came to something else as well. */
  otherwise: boolean;
}

/** By expression. */
export type ConditionOutcomes = ReadonlyMap<string, Heard>;

export interface ConditionContext {
  readonly cel: EvaluateCondition;
  /** Asked only where a condition never holds. */
  readonly outcomes: () => ConditionOutcomes;
  /** Every key that policies of the kind use. */
  readonly words: () => ReadonlySet<string>;
}

export function checkConditions(
  world: World,
  { object, policy }: PolicyRecord,
  fate: PolicyFate | undefined,
  { cel, outcomes, words }: ConditionContext,
): readonly CheckFinding[] {
  if (policy === undefined) return [];
  const findings: CheckFinding[] = [];
  for (const block of policy.blocks) {
    const { when, name } = block;
    if (when === undefined) continue;
    const at = { object, field: whenField(world, policy, block) };
    if (fate === undefined) findings.push(...neverTried(when, at, cel));
    else if (fate.gated.has(name) && !fate.acted.has(name))
      findings.push(neverHolds(block, at, fate, misspeltKey(outcomes().get(when), words)));
  }
  return findings;
}

interface Place {
  readonly object: PolicyRecord["object"];
  readonly field: string;
}

const whenField = (world: World, policy: Policy, block: Block): string =>
  fieldOfPointer(blockPointer(world, policy.id, block.name, "/when").pointer);

/** Without a path nothing evaluates it; a mistake in its syntax shows all the same. */
function neverTried(when: string, { object, field }: Place, cel: EvaluateCondition): readonly CheckFinding[] {
  const outcome = cel(when, { spec: {}, self: { spec: {} } });
  if (outcome.state !== "error") return [];
  const message = `the condition cannot be evaluated: ${clipText(outcome.message)}`;
  return [findingAt(object, { code: "ConditionError", severity: "error", field, message })];
}

/** A key that is missing wherever the condition was evaluated, and that no policy of the kind uses at all. */
function misspeltKey(heard: Heard | undefined, words: () => ReadonlySet<string>): string | undefined {
  if (heard === undefined || heard.otherwise || heard.missing.size !== 1) return undefined;
  const [key] = heard.missing;
  return key === undefined || words().has(key.split(".").at(-1) ?? "") ? undefined : key;
}

function neverHolds(
  { name }: Block,
  { object, field }: Place,
  fate: PolicyFate,
  key: string | undefined,
): CheckFinding {
  const where = fate.paths === 1 ? "its only path" : `all of its ${fate.paths} paths`;
  const whose = `the ${name} of ${displayRef(object.ref)}`;
  if (key !== undefined) {
    return findingAt(object, {
      code: "ConditionReadsMissingKey",
      severity: "warning",
      field,
      message: `the condition of ${whose} asks for ${key}, which is not there on ${where} and which no ${object.family.kind} sets, so it never holds`,
      fix: "Correct the name; or ask with has(…) first if it may be missing.",
    });
  }
  return findingAt(object, {
    code: "ConditionNeverHolds",
    severity: "info",
    field,
    message: `the condition of ${whose} does not hold on ${where}, so the block does nothing`,
    fix: "Nothing, if it is there to step in when somebody asks for too much: so far nobody does.",
  });
}

/** Folds the kind once more and listens; only where a condition never holds. */
export function listenToConditions(world: World, kind: CompiledKind): ConditionOutcomes {
  const all = new Map<string, Heard>();
  const evaluateCondition: EvaluateCondition = (expression, bindings) => {
    const outcome = kind.tools.evaluateCondition(expression, bindings);
    const heard = all.get(expression) ?? { missing: new Set<string>(), otherwise: false };
    all.set(expression, heard);
    const key = missingKey(outcome);
    if (key === undefined) heard.otherwise = true;
    else heard.missing.add(key);
    return outcome;
  };
  // With stacks of its own: those of the evaluation remember what they fold into.
  surveyFolds(world, { ...kind, tools: { ...kind.tools, evaluateCondition }, stacks: new Stacks() });
  return all;
}

const missingKey = (outcome: ConditionOutcome): string | undefined =>
  outcome.state === "missing" ? /no such key: ([\w.-]+)/.exec(outcome.message)?.[1] : undefined;

/** Keys in the values of policies, as far as anyone would look. */
export function wordsOf(policies: Iterable<Policy>): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { blocks } of policies) {
    for (const { units } of blocks) {
      for (const { path, value } of units) {
        for (const key of path) words.add(key);
        addKeys(value, words, MAX_DEPTH);
      }
    }
  }
  return words;
}

const MAX_DEPTH = 8;

function addKeys(value: Json, words: Set<string>, depth: number): void {
  if (depth === 0 || typeof value !== "object" || value === null) return;
  if (isJsonList(value)) for (const item of value) addKeys(item, words, depth - 1);
  else if (isJsonObject(value))
    for (const [key, own] of Object.entries(value)) {
      words.add(key);
      addKeys(own, words, depth - 1);
    }
}
