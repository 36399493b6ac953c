import type { EffectiveField, EffectiveSpec } from "../../merge/effective-spec.ts";
import type { Source } from "../../merge/provenance.ts";
import type { SpecProvenance } from "../../merge/provenance-of.ts";
import { type ObjectId, targetId } from "../../model/refs.ts";
import type { Section } from "../../topology/sections-of.ts";
import { type Path, type PathData, pathData, plainPath, plainSection } from "../paths/path.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { EffectivePolicy, MappedField } from "./effective-policy.ts";
import { foldPath, ownValuesOn } from "./fold-path.ts";
import type { EffectivePath } from "./for-each-effective.ts";
import type { OwnValues } from "./own-values.ts";

/** The effective policy of one path as plain data. */
export function effectivePolicyAt(path: Path, kind: CompiledKind): EffectivePolicy {
  const own = ownValuesOn(path, kind);
  return effectivePolicyOf({ kind, path, own, effective: foldPath(path, kind, own) }, pathData(path));
}

/** The effective policy of a path that has been folded. `at`: the path as plain data. */
export function effectivePolicyOf({ kind, path, own, effective }: EffectivePath, at: PathData): EffectivePolicy {
  const sources = sourcesOf(effective, (pointer) => ownerOf(pointer, own));
  return plainPolicy(path, kind, effective, sources, at);
}

/** The effective policies of paths to one object that go on to each of its sections with the same stack, section by section. */
export function effectivePoliciesBelow(
  paths: readonly EffectivePath[],
  sections: readonly Section[],
): readonly EffectivePolicy[] {
  const [first] = paths;
  if (first === undefined) return NO_POLICIES;
  const { id, ref } = first.path.node;
  const found: EffectivePolicy[] = [];
  for (const { name } of sections) {
    const [target, last] = [targetId(id, name), plainSection(ref, name)];
    for (const { kind, path, effective } of paths) {
      found.push(plainPolicy(path, kind, effective, effective.sources, { target, nodes: plainPath(path, last) }));
    }
  }
  return found;
}

const NO_POLICIES: readonly EffectivePolicy[] = [];

function plainPolicy(
  path: Path,
  { policyKind }: CompiledKind,
  { spec, fields, removals, order }: EffectiveSpec,
  sources: readonly Source[],
  { target, nodes }: PathData,
): EffectivePolicy {
  const { from, incomplete } = path;
  // Most results have no optional field. The literal is faster than a spread, and there may be a million results.
  if (from === undefined && !incomplete && fields.length === 0 && removals.length === 0 && order === undefined)
    return { policyKind, target, path: nodes, spec, sources };
  return {
    policyKind,
    target,
    path: nodes,
    spec,
    sources,
    ...(from === undefined ? {} : { from }),
    ...(incomplete ? { incomplete: true as const } : {}),
    ...(fields.length === 0 ? {} : { fields: fields.map(mappedField) }),
    ...(removals.length === 0 ? {} : { removals }),
    ...(order === undefined ? {} : { order }),
  };
}

/** The sources, with the object named where a value is an object's own. */
function sourcesOf(
  { sources, ownSources }: SpecProvenance,
  ownerAt: (pointer: string) => ObjectId | undefined,
): readonly Source[] {
  if (ownSources.length === 0) return sources;
  return sources.map((source, at) => {
    const { pointer, policy, block, ...rest } = source;
    const object = ownSources.includes(at) ? ownerAt(pointer) : undefined;
    return object === undefined ? source : { pointer, policy, block, object, ...rest };
  });
}

/** The object whose own value is at the pointer: the most specific one. */
const ownerOf = (pointer: string, { units, objects }: OwnValues): ObjectId | undefined =>
  objects[units.findIndex((unit) => unit.pointer === pointer)];

const mappedField = (field: EffectiveField): MappedField => ({
  object: field.object,
  pointer: field.pointer,
  spec: field.spec,
  sources: sourcesOf(field, () => field.object),
});
