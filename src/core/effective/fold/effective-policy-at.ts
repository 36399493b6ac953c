import type { EffectiveField, EffectiveSpec } from "../../merge/effective-spec.ts";
import type { Source } from "../../merge/provenance.ts";
import type { SpecProvenance } from "../../merge/provenance-of.ts";
import type { ObjectId, TargetId } from "../../model/refs.ts";
import { endOf, type Node, type Path, pathBelow, plainNode, plainPath, targetOf } from "../paths/path.ts";
import type { PathNode } from "../paths/path-node.ts";
import type { CompiledKind } from "../world/compiled-kind.ts";
import type { EffectivePolicy, MappedField } from "./effective-policy.ts";
import { foldPath, ownValuesOn } from "./fold-path.ts";
import type { OwnValues } from "./own-values.ts";

/** The effective policy of one path as plain data. */
export function effectivePolicyAt(path: Path, kind: CompiledKind): EffectivePolicy {
  const own = ownValuesOn(path, kind);
  const effective = foldPath(path, kind, own);
  const sources = sourcesOf(effective, (pointer) => ownerOf(pointer, own));
  return plainPolicy(path, kind, effective, sources);
}

/** The effective policies of paths that go on to the same ends and have the stack of the path above, end by end. */
export function effectivePoliciesBelow(
  paths: readonly Path[],
  ends: readonly Node[],
  kind: CompiledKind,
): readonly EffectivePolicy[] {
  const above = paths.map((path) => effectivePolicyAt(path, kind));
  const found: EffectivePolicy[] = [];
  for (const end of ends) {
    const [target, last] = [targetOf(end), plainNode(end)];
    for (const one of above) found.push(policyBelow(one, target, last));
  }
  return found;
}

function policyBelow(above: EffectivePolicy, target: TargetId, last: PathNode): EffectivePolicy {
  const { policyKind, spec, sources } = above;
  const path = pathBelow(above.path, last);
  // Most results have no optional field. The literal is faster than a spread, and there may be a million results.
  if (above.from === undefined && above.incomplete === undefined && above.removals === undefined)
    return { policyKind, target, path, spec, sources };
  return { ...above, target, path };
}

function plainPolicy(
  path: Path,
  { policyKind }: CompiledKind,
  { spec, fields, removals }: EffectiveSpec,
  sources: readonly Source[],
): EffectivePolicy {
  const { from, incomplete } = path;
  const target = endOf(path);
  const nodes = plainPath(path);
  // Most results have no optional field. The literal is faster than a spread, and there may be a million results.
  if (from === undefined && !incomplete && fields.length === 0 && removals.length === 0)
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
