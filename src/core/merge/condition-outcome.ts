import type { EvaluateCondition } from "../model/cel.ts";
import type { MergeStrategy } from "../model/definition.ts";
import { isJsonObject, type JsonObject, ownValue } from "../model/json.ts";
import { BOOKKEEPING } from "../model/managed-fields.ts";
import type { Block, Policy } from "../model/policy.ts";
import type { FoldResult } from "./fold-result.ts";

/** The decision whether a block is merged, and the error of its condition, if it has one. */
export interface WhenOutcome {
  readonly isMerged: boolean;
  readonly error?: string;
}

const MERGED: WhenOutcome = { isMerged: true };
const GATED: WhenOutcome = { isMerged: false };

/**
 * `when` fails closed
 *
 * A condition gates its block. A missing key means that it is not met; with any other error defaults are not merged and
 * overrides are, so that no policy escapes a constraint by provoking an error. `spec` and `self.spec` are the result so far,
 * `self.metadata` is the metadata of the policy that has the condition.
 * RFC 9, "Merging a generic block of policy rules (defaults or overrides) into a policy with conditions"
 */
export function conditionOutcome(
  policy: Policy,
  { when }: Block,
  { base }: MergeStrategy,
  result: FoldResult,
  evaluateCondition: EvaluateCondition,
): WhenOutcome {
  if (when === undefined) return MERGED;
  const spec: JsonObject = result.toSpec();
  const outcome = evaluateCondition(when, { spec, self: { metadata: metadataOf(policy), spec } });
  switch (outcome.state) {
    case "value":
      return outcome.value ? MERGED : GATED;
    case "missing":
      return GATED;
    case "error":
      return { isMerged: base === "Overrides", error: outcome.message };
  }
}

function metadataOf({ object }: Policy): JsonObject {
  const metadata = ownValue(object.raw, "metadata");
  if (!isJsonObject(metadata)) return {};
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !BOOKKEEPING.has(key)));
}
