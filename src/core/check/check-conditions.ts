/** Conditions (`when`) that hold nowhere, that ask for what is nowhere, or that nobody can evaluate. */
import type { CompiledKind } from "../effective/compiled-kind.ts";
import { Stacks } from "../effective/stack.ts";
import type { PolicyRecord, World } from "../effective/world.ts";
import { blockPlace } from "../explain/value-place.ts";
import type { ConditionOutcome, EvaluateCondition } from "../model/cel.ts";
import { clipText } from "../model/clip-text.ts";
import type { Block, Policy } from "../model/policy.ts";
import { displayRef } from "../model/refs.ts";
import { type CheckFinding, findingAt } from "./check-finding.ts";
import { fieldOfPointer } from "./field-of-pointer.ts";
import type { PolicyFate } from "./policy-fates.ts";
import { surveyFolds } from "./survey-folds.ts";

/** What the conditions of a kind came to, by expression. */
export type ConditionOutcomes = ReadonlyMap<string, readonly ConditionOutcome[]>;

export function checkConditions(
  world: World,
  { object, policy }: PolicyRecord,
  fate: PolicyFate | undefined,
  { cel, outcomes }: { readonly cel: EvaluateCondition; readonly outcomes: () => ConditionOutcomes },
): readonly CheckFinding[] {
  if (policy === undefined) return [];
  const findings: CheckFinding[] = [];
  for (const block of policy.blocks) {
    const { when, name } = block;
    if (when === undefined) continue;
    const at = { object, field: whenField(world, policy, block) };
    if (fate === undefined) findings.push(...neverTried(when, at, cel));
    else if (fate.gated.has(name) && !fate.acted.has(name))
      findings.push(neverHolds(block, at, fate, outcomes().get(when) ?? []));
  }
  return findings;
}

interface Place {
  readonly object: PolicyRecord["object"];
  readonly field: string;
}

const whenField = (world: World, policy: Policy, block: Block): string =>
  fieldOfPointer(blockPlace(world, policy.id, block.name, "/when").pointer);

/** Without a path nothing evaluates it; a mistake in its syntax shows all the same. */
function neverTried(when: string, { object, field }: Place, cel: EvaluateCondition): readonly CheckFinding[] {
  const outcome = cel(when, { spec: {}, self: { spec: {} } });
  if (outcome.state !== "error") return [];
  const message = `the condition cannot be evaluated: ${clipText(outcome.message)}`;
  return [findingAt(object, { code: "ConditionError", severity: "error", field, message })];
}

function neverHolds(
  { name }: Block,
  { object, field }: Place,
  fate: PolicyFate,
  outcomes: readonly ConditionOutcome[],
): CheckFinding {
  const where = fate.paths === 1 ? "its only path" : `all of its ${fate.paths} paths`;
  const whose = `the ${name} of ${displayRef(object.ref)}`;
  const [first] = outcomes;
  if (first?.state === "missing" && outcomes.every(({ state }) => state === "missing")) {
    return findingAt(object, {
      code: "ConditionReadsMissingKey",
      severity: "warning",
      field,
      message: `the condition of ${whose} asks for something that is not there on ${where} (${clipText(first.message)}), so it never holds`,
      mend: "Correct the name; or ask with has(…) first if it may be missing.",
    });
  }
  return findingAt(object, {
    code: "ConditionNeverHolds",
    severity: "info",
    field,
    message: `the condition of ${whose} does not hold on ${where}, so the block does nothing`,
    mend: "Nothing, if it is there to step in when somebody asks for too much: so far nobody does.",
  });
}

/** Folds the kind once more and listens; only where a condition never holds. */
export function listenToConditions(world: World, kind: CompiledKind): ConditionOutcomes {
  const heard = new Map<string, ConditionOutcome[]>();
  const evaluateCondition: EvaluateCondition = (expression, bindings) => {
    const outcome = kind.tools.evaluateCondition(expression, bindings);
    heard.set(expression, [...(heard.get(expression) ?? []), outcome]);
    return outcome;
  };
  // With stacks of its own: those of the evaluation remember what they fold into.
  surveyFolds(world, { ...kind, tools: { ...kind.tools, evaluateCondition }, stacks: new Stacks() });
  return heard;
}
