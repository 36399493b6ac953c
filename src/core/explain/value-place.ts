/** From a value of an effective policy back to where somebody wrote it. */

import type { MappedField, PathNode, Source } from "../effective/fold/effective-policy.ts";
import type { CompiledMapping } from "../effective/fold/own-values.ts";
import type { World } from "../effective/world/world.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../model/json.ts";
import type { BlockName } from "../model/policy.ts";
import { type GroupKind, kindId, type ObjectId, objectId } from "../model/refs.ts";
import { escapePointer } from "../model/units.ts";
import { sectionsOf } from "../topology/sections-of.ts";

/** A JSON pointer in an object. */
export interface ValuePlace {
  readonly object: ObjectId;
  readonly pointer: string;
}

const spellings: Readonly<Record<BlockName, readonly string[]>> = {
  defaults: ["defaults", "default"],
  bare: [],
  overrides: ["overrides", "override"],
};

/** Where a policy's block says something about a value; REF spells the blocks in the singular. */
export function blockPlace(world: World, policy: ObjectId, block: BlockName | null, pointer: string): ValuePlace {
  const raw = world.objects.byId.get(policy)?.raw;
  const spec = raw === undefined ? undefined : ownValue(raw, "spec");
  const key =
    block === null || !isJsonObject(spec)
      ? undefined
      : spellings[block].find((spelling) => isJsonObject(ownValue(spec, spelling)));
  return { object: policy, pointer: `/spec${key === undefined ? "" : `/${key}`}${pointer}` };
}

/** Where an object itself says it, in a field that the policy kind maps onto. */
export function ownPlace(
  world: World,
  policyKind: GroupKind,
  object: ObjectId,
  pointer: string,
  path: readonly PathNode[],
): ValuePlace | undefined {
  const kind = world.rulebook.byPolicyKind.get(kindId(policyKind));
  const node = path.findLast((one) => objectId(one) === object);
  if (kind === undefined || node === undefined) return undefined;
  for (const mapping of kind.mappings) {
    const rest = below(mapping, pointer);
    if (rest === undefined || mapping.isList || !sameKind(mapping.level, node)) continue;
    const base = mapping.level.section === undefined ? "" : sectionPointer(world, mapping, object, path);
    const keys = mapping.steps.flatMap((step) => ("key" in step ? [`/${escapePointer(step.key)}`] : []));
    return { object, pointer: `${base}${keys.join("")}${rest}` };
  }
  return undefined;
}

/** Of a value in one item of an object's own field: the item is known, what maps into it is taken off. */
export function fieldPlace(world: World, policyKind: GroupKind, field: MappedField, pointer: string): ValuePlace {
  const kind = world.rulebook.byPolicyKind.get(kindId(policyKind));
  const rests = (kind?.mappings ?? []).map((mapping) => below(mapping, pointer));
  return { object: field.object, pointer: `${field.pointer}${rests.find((rest) => rest !== undefined) ?? ""}` };
}

/** What is left of a pointer below the part of the spec that is mapped. */
function below({ from: { pointer: prefix } }: CompiledMapping, pointer: string): string | undefined {
  return pointer === prefix || pointer.startsWith(`${prefix}/`) ? pointer.slice(prefix.length) : undefined;
}

const sameKind = (a: GroupKind, b: GroupKind): boolean => a.kind === b.kind && a.group === b.group;

function sectionPointer(world: World, { level }: CompiledMapping, id: ObjectId, path: readonly PathNode[]): string {
  const name = path.findLast((one) => objectId(one) === id && one.sectionName !== undefined)?.sectionName;
  return (name === undefined ? undefined : sectionPlace(world, id, name, level.section)?.pointer) ?? "";
}

/** Where a section stands in its object. */
export function sectionPlace(world: World, id: ObjectId, name: string, section?: string): ValuePlace | undefined {
  const object = world.objects.byId.get(id);
  const facts = object === undefined ? undefined : world.rulebook.factsOf(object.family.kindId);
  if (object === undefined || facts === undefined) return undefined;
  const found = sectionsOf(object, facts).find((one) => one.name === name && (section ?? one.section) === one.section);
  const list = facts.sections.find((one) => one.section === found?.section)?.path;
  if (found === undefined || list === undefined) return undefined;
  return { object: id, pointer: `/${list.replaceAll(".", "/")}/${found.index}` };
}

/** Where the value that holds was written; undefined: nobody holds it, or it was computed. */
export function sourcePlace(
  world: World,
  policyKind: GroupKind,
  source: Source,
  path: readonly PathNode[],
): ValuePlace | undefined {
  if (source.computed) return undefined;
  if (source.policy !== null) return blockPlace(world, source.policy, source.block, source.pointer);
  return source.object === undefined ? undefined : ownPlace(world, policyKind, source.object, source.pointer, path);
}

/** The value at a JSON pointer. */
export function valueAt(spec: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = spec;
  for (const token of pointer.split("/").slice(1)) {
    if (!isJsonObject(value)) return undefined;
    value = ownValue(value, token.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return value;
}
