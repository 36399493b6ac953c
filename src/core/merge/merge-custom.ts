import { isJsonObject, type JsonObject, jsonEqual } from "../model/json.ts";
import { liesBelow, valueAtPointer } from "../model/json-pointer.ts";
import type { Policy, Unit } from "../model/policy.ts";
import { buildSpec, unitsOf } from "../model/units.ts";
import type { BlockMerge } from "./block-merge.ts";
import { byPointer, Contenders } from "./contenders.ts";
import type { PolicyMetadata } from "./custom-strategy.ts";
import { type Candidate, type FoldResult, lossAgainst, policiesOf } from "./fold-result.ts";

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
  // A map of the object is one value: it is the object's own as long as all of it is unchanged.
  const kept = holders.filter(({ policy: owner, unit }) => owner === undefined && isKept(spec, unit));
  const isInKept = ({ pointer }: Unit): boolean => kept.some(({ unit }) => liesBelow(pointer, unit.pointer));
  const units = unitsOf(spec, merge.custom.unitRules).filter((unit) => !isInKept(unit));
  const { policy, block } = merge;
  const writers = byPointer(
    merge.strategy.base === "Defaults" ? [...holders, ...merge.candidates] : [...merge.candidates, ...holders],
  );
  const credited = units.map(
    (unit): Candidate =>
      writers.get(unit.pointer)?.find((one) => jsonEqual(one.unit.value, unit.value)) ?? {
        policy,
        block,
        unit,
        computed: true,
      },
  );
  settle(result, merge, new Set([...kept, ...credited]));
}

const isKept = (spec: JsonObject, { pointer, value }: Unit): boolean => {
  const returned = isJsonObject(value) ? valueAtPointer(spec, pointer) : undefined;
  return returned !== undefined && jsonEqual(returned, value);
};

/** Whatever was held and is not credited goes, what is newly credited comes, and the rest of the block has lost. */
function settle(
  result: FoldResult,
  { candidates, policy, decision }: BlockMerge,
  credited: ReadonlySet<Candidate>,
): void {
  const holders = new Set(result.holders());
  const arriving = [...credited].filter((one) => !holders.has(one));
  const contenders = new Contenders(arriving);
  for (const old of holders) {
    if (credited.has(old)) continue;
    result.evict(old, lossAgainst(old, contenders.overlapping(old), "overridden"), [policy]);
    result.decide(old.unit.pointer, decision);
  }
  for (const one of arriving) {
    result.hold(one);
    result.decide(one.unit.pointer, decision);
  }
  const others = new Contenders(result.holders());
  for (const candidate of candidates) {
    const { pointer } = candidate.unit;
    result.decide(pointer, decision);
    if (credited.has(candidate)) continue;
    const conflicting = result.conflicting(pointer);
    const by = conflicting.length === 0 ? others.policies() : policiesOf(conflicting);
    result.lose(candidate, lossAgainst(candidate, conflicting, "replaced"), by);
  }
}

function metadataOf({ id, object }: Policy): PolicyMetadata {
  const metadata = object.raw["metadata"];
  return {
    id,
    namespace: object.family.namespace,
    name: object.name,
    metadata: isJsonObject(metadata) ? metadata : {},
  };
}
