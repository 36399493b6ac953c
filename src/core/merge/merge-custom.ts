import { isJsonObject, jsonEqual } from "../model/json.ts";
import type { Policy, Unit } from "../model/policy.ts";
import { buildSpec, unitsOf } from "../model/units.ts";
import type { BlockMerge } from "./block-merge.ts";
import type { PolicyMetadata } from "./custom-strategy.ts";
import { type Candidate, type FoldResult, policiesOf } from "./fold-result.ts";

/** Lets a registered function merge the block's spec with the result's, and credits each value of what it returns. */
export function mergeCustom(result: FoldResult, merge: BlockMerge, name: string): void {
  const strategy = Object.hasOwn(merge.custom.strategies, name) ? merge.custom.strategies[name] : undefined;
  if (strategy === undefined) throw new Error(`custom strategy '${name}' is not registered`);
  const holders = result.holders();
  const spec = strategy({
    base: merge.strategy.base,
    established: { spec: buildSpec(merge.candidates.map(({ unit }) => unit)), policy: metadataOf(merge.policy) },
    challenger: { spec: result.toSpec(), policies: policiesOf(holders).map(metadataOf) },
  });
  const outcome = new Map(unitsOf(spec, merge.custom.unitRules).map((unit) => [unit.pointer, unit]));
  for (const old of holders) {
    const kept = outcome.get(old.unit.pointer);
    if (kept !== undefined && jsonEqual(kept.value, old.unit.value)) {
      outcome.delete(old.unit.pointer);
    } else {
      result.evict(old, "replaced", [merge.policy]);
      result.decide(old.unit.pointer, merge.decision);
    }
  }
  for (const candidate of merge.candidates) settle(result, merge, candidate, outcome);
  for (const unit of outcome.values()) {
    result.hold({ policy: merge.policy, block: merge.block, unit, computed: true });
    result.decide(unit.pointer, merge.decision);
  }
}

/** What becomes of a unit of the established spec: it is in the outcome, or somebody else's value is, or nothing is. */
function settle(result: FoldResult, merge: BlockMerge, candidate: Candidate, outcome: Map<string, Unit>): void {
  const { pointer, value } = candidate.unit;
  const wanted = outcome.get(pointer);
  if (wanted !== undefined && jsonEqual(wanted.value, value)) {
    result.hold(candidate);
    outcome.delete(pointer);
  } else {
    const holder = result.holder(pointer);
    const equal = holder !== undefined && jsonEqual(holder.unit.value, value);
    const by = policiesOf(holder === undefined ? result.holders() : [holder]);
    result.lose(candidate, equal ? "equal" : "beaten", by, equal ? holder : undefined);
  }
  result.decide(pointer, merge.decision);
}

function metadataOf({ id, object }: Policy): PolicyMetadata {
  const metadata = object.raw["metadata"];
  return {
    id,
    namespace: object.ref.namespace,
    name: object.ref.name,
    metadata: isJsonObject(metadata) ? metadata : {},
  };
}
