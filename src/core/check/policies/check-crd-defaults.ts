/** Findings about defaults of CRDs that replace defaults of policies. */
import { effectivePolicyAt } from "../../effective/fold/effective-policy-at.ts";
import { fieldOfPointer } from "../../effective/fold/field-of-pointer.ts";
import { forEachEffective } from "../../effective/fold/for-each-effective.ts";
import { specAndFields } from "../../effective/fold/spec-and-fields.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { World } from "../../effective/world/world.ts";
import {
  blockPointer,
  isCrdDefault,
  mappedPointer,
  ownPointer,
  type ValuePointer,
} from "../../explain/value-pointer.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { Lost } from "../../merge/provenance.ts";
import type { SpecProvenance } from "../../merge/provenance-of.ts";
import { formatRef, parseObjectId } from "../../model/refs.ts";
import { type CheckFinding, findingAt, type RelatedField } from "../check-finding.ts";
import { listNames } from "../list-names.ts";
import type { DistinctFold } from "./distinct-folds.ts";

/** A field that the CRD of an object fills in, and the defaults of policies that it replaces on some path. */
interface FilledField {
  readonly location: ValuePointer;
  readonly replaced: Map<string, ReplacedDefault>;
}

type ReplacedDefault = Lost & Required<Pick<Lost, "policy" | "block">> & { readonly pointer: string };

/**
 * A value that the API server fills in is the object's own value and replaces defaults of policies. The author of the object did not
 * write it, so there is a finding for each such field.
 */
export function checkCrdDefaults(
  world: World,
  kind: CompiledKind,
  folds: readonly DistinctFold[],
): readonly CheckFinding[] {
  // Paths to several objects share a fold, so the objects are known only on the second visit.
  const affected = new Set(folds.map(({ effective }) => effective).filter(hasReplacedDefault));
  if (affected.size === 0) return [];
  const filled = new Map<string, FilledField>();
  forEachEffective(world, kind, (path, effective) => {
    if (!affected.has(effective)) return;
    const policy = effectivePolicyAt(path, kind);
    for (const { sources, field } of specAndFields(policy))
      for (const { object, pointer, lost } of sources) {
        const replaced = object === undefined ? [] : lost.filter(isReplacedDefault);
        if (object === undefined || replaced.length === 0) continue;
        const location =
          field === undefined
            ? ownPointer(world, kind.policyKind, object, pointer, policy.path)
            : mappedPointer(world, kind.policyKind, field, pointer);
        if (location === undefined || !isCrdDefault(world, location)) continue;
        const key = `${location.object} ${location.pointer}`;
        const found = filled.get(key) ?? { location, replaced: new Map<string, ReplacedDefault>() };
        for (const one of replaced) found.replaced.set(`${one.policy} ${one.block}`, { ...one, pointer });
        filled.set(key, found);
      }
  });
  return [...filled.values()].map((field) => replacesDefaults(world, field));
}

const hasReplacedDefault = (effective: EffectiveSpec): boolean =>
  [effective, ...effective.fields].some(({ sources, ownSources }: SpecProvenance) =>
    ownSources.some((at) => sources[at]?.lost.some(isReplacedDefault)),
  );

/** True for the default of a policy that the object's own value replaces. */
const isReplacedDefault = (lost: Lost): lost is Lost & Required<Pick<Lost, "policy" | "block">> =>
  lost.reason === "replaced" && lost.policy !== undefined && lost.block !== undefined && lost.by.length === 0;

function replacesDefaults(world: World, { location, replaced }: FilledField): CheckFinding {
  const object = world.objects.get(location.object);
  const field = fieldOfPointer(location.pointer);
  const all = [...replaced.values()];
  const defaults = listNames(
    all.map(({ policy, value }) => `${JSON.stringify(value)} of ${formatRef(parseObjectId(policy))}`),
  );
  const name = formatRef(parseObjectId(location.object));
  return findingAt(object, {
    code: "CrdDefaultReplacesDefault",
    severity: "warning",
    field,
    message: `${name} does not set ${field}; the default of its CRD is filled in, and replaces the default ${defaults}`,
    fix: `Set ${field} to the value that should take effect, or set it in the overrides of the policy.`,
    related: all.map((one) => relatedDefault(world, one)),
  });
}

function relatedDefault(world: World, { policy, block, pointer }: ReplacedDefault): RelatedField {
  const location = blockPointer(world, policy, block, pointer);
  return { object: policy, field: fieldOfPointer(location.pointer), message: "this default is replaced" };
}
