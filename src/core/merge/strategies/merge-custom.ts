import { isJsonObject, type JsonObject, jsonEqual } from "../../model/json.ts";
import { liesBelow, valueAtPointer } from "../../model/json-pointer.ts";
import type { Policy, Unit } from "../../model/policy.ts";
import { buildSpec, unitsOf } from "../../model/units.ts";
import type { BlockMerge } from "../block-merge.ts";
import { byPointer, Contenders } from "../contenders.ts";
import type { PolicyMetadata } from "../custom-strategy.ts";
import { type FoldResult, lossAgainst, policiesOf, type Setting } from "../fold-result.ts";

/** Calls a registered function with the block's spec and the result's, and credits each value that it returns. */
export function mergeCustom(result: FoldResult, merge: BlockMerge, name: string): void {
  const strategy = Object.hasOwn(merge.custom.strategies, name) ? merge.custom.strategies[name] : undefined;
  if (strategy === undefined) throw new Error(`custom strategy '${name}' is not registered`);
  const current = result.settings();
  const spec = strategy({
    base: merge.strategy.base,
    established: { spec: buildSpec(merge.settings.map(({ unit }) => unit)), policy: metadataOf(merge.policy) },
    challenger: { spec: result.toSpec(), policies: policiesOf(current).map(metadataOf) },
  });
  // A map of the object is one value: it is the object's own as long as all of it is unchanged.
  const kept = current.filter(({ policy: owner, unit }) => owner === undefined && isKept(spec, unit));
  const isInKept = ({ pointer }: Unit): boolean => kept.some(({ unit }) => liesBelow(pointer, unit.pointer));
  const units = unitsOf(spec, merge.custom.unitRules).filter((unit) => !isInKept(unit));
  const { policy, block } = merge;
  const writers = byPointer(
    merge.strategy.base === "Defaults" ? [...current, ...merge.settings] : [...merge.settings, ...current],
  );
  const credited = units.map(
    (unit): Setting =>
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

/** Settings of the result that are not credited are taken out, credited settings are added, and the rest of the block is replaced. */
function settle(result: FoldResult, { settings, policy, decision }: BlockMerge, credited: ReadonlySet<Setting>): void {
  const current = new Set(result.settings());
  const arriving = [...credited].filter((one) => !current.has(one));
  const contenders = new Contenders(arriving);
  for (const old of current) {
    if (credited.has(old)) continue;
    result.evict(old, lossAgainst(old, contenders.overlapping(old), "overridden"), [policy]);
    result.decide(old.unit.pointer, decision);
  }
  for (const one of arriving) {
    result.put(one);
    result.decide(one.unit.pointer, decision);
  }
  const others = new Contenders(result.settings());
  for (const setting of settings) {
    const { pointer } = setting.unit;
    result.decide(pointer, decision);
    if (credited.has(setting)) continue;
    const conflicting = result.conflicting(pointer);
    const by = conflicting.length === 0 ? others.policies() : policiesOf(conflicting);
    result.lose(setting, lossAgainst(setting, conflicting, "replaced"), by);
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
