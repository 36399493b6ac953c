/** Finds the object and the JSON pointer where a value of an effective policy is written. */

import type { MappedField } from "../effective/fold/effective-policy.ts";
import type { PathNode } from "../effective/paths/path-node.ts";
import type { CompiledMapping } from "../effective/world/compile-mapping.ts";
import type { PolicyRecord, World } from "../effective/world/world.ts";
import { ownPointerOf } from "../merge/accumulated-pointer.ts";
import type { Source } from "../merge/provenance.ts";
import { wordsOf } from "../model/block-names.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../model/json.ts";
import { escapePointer } from "../model/json-pointer.ts";
import { sameKind } from "../model/levels.ts";
import { writtenPointer } from "../model/merged-lists.ts";
import type { BlockName } from "../model/policy.ts";
import { type GroupKind, kindId, type ObjectId, objectId, type PolicyId } from "../model/refs.ts";
import { entryName } from "../model/words/entry-name.ts";
import { sectionsOf } from "../topology/sections-of.ts";

/** A JSON pointer in an object. */
export interface ValuePointer {
  readonly object: ObjectId;
  readonly pointer: string;
}

const spellingsOf = (record: PolicyRecord | undefined, block: BlockName): readonly string[] =>
  block === "bare" ? [] : wordsOf(record?.kind.definition.merge ?? {})[block];

/** The pointer of a value in a block of a policy. The policy attachment reference spells block names in the singular. */
export function blockPointer(world: World, policy: ObjectId, block: BlockName | null, pointer: string): ValuePointer {
  const record = world.policies.get(policy as PolicyId);
  const own = record === undefined ? pointer : ownPointerOf(record.kind.definition, record.object, pointer);
  if (own !== pointer)
    return { object: policy, pointer: `${record?.kind.definition.settings === "Root" ? "" : "/spec"}${own}` };
  const raw = world.objects.get(policy)?.raw;
  const spec = raw === undefined ? undefined : ownValue(raw, "spec");
  const key =
    block === null || !isJsonObject(spec)
      ? undefined
      : spellingsOf(record, block).find((spelling) => isJsonObject(ownValue(spec, spelling)));
  const start = `/spec${key === undefined ? "" : `/${key}`}`;
  const definition = record?.kind.definition;
  const lists = [definition?.merge, ...(definition?.parts ?? []).map(({ merge }) => merge)].flatMap(
    (merge) => merge?.lists ?? [],
  );
  if (record === undefined || definition === undefined || lists.length === 0)
    return { object: policy, pointer: `${start}${pointer}` };
  const written = key === undefined || !isJsonObject(spec) ? spec : ownValue(spec, key);
  const entry = entryName(record.object, definition);
  return { object: policy, pointer: `${start}${writtenPointer(written, lists, entry, pointer)}` };
}

/** The pointer of a value in the object's own field that the policy kind maps onto. */
export function ownPointer(
  world: World,
  policyKind: GroupKind,
  object: ObjectId,
  pointer: string,
  path: readonly PathNode[],
): ValuePointer | undefined {
  const kind = world.rulebook.byPolicyKind.get(kindId(policyKind));
  const node = path.findLast((one) => objectId(one) === object);
  if (kind === undefined || node === undefined) return undefined;
  for (const mapping of kind.mappings) {
    const rest = below(mapping, pointer);
    if (rest === undefined || mapping.isList || !sameKind(mapping.level, node)) continue;
    const base = mapping.level.section === undefined ? "" : pointerOnPath(world, mapping, object, path);
    const keys = mapping.steps.flatMap((step) => ("key" in step ? [`/${escapePointer(step.key)}`] : []));
    return { object, pointer: `${base}${keys.join("")}${rest}` };
  }
  return undefined;
}

/** The pointer of a value in one item of an object's own list: the pointer of the item, then the rest below the mapping. */
export function mappedPointer(world: World, policyKind: GroupKind, field: MappedField, pointer: string): ValuePointer {
  const kind = world.rulebook.byPolicyKind.get(kindId(policyKind));
  const rests = (kind?.mappings ?? []).map((mapping) => below(mapping, pointer));
  return { object: field.object, pointer: `${field.pointer}${rests.find((rest) => rest !== undefined) ?? ""}` };
}

/** The rest of a pointer below the mapped part of the spec. */
function below({ from: { pointer: prefix } }: CompiledMapping, pointer: string): string | undefined {
  return pointer === prefix || pointer.startsWith(`${prefix}/`) ? pointer.slice(prefix.length) : undefined;
}

function pointerOnPath(world: World, { level }: CompiledMapping, id: ObjectId, path: readonly PathNode[]): string {
  const name = path.findLast((one) => objectId(one) === id && one.sectionName !== undefined)?.sectionName;
  return (name === undefined ? undefined : sectionPointer(world, id, name, level.section)?.pointer) ?? "";
}

/** The pointer of a section in its object. */
export function sectionPointer(world: World, id: ObjectId, name: string, section?: string): ValuePointer | undefined {
  const object = world.objects.get(id);
  const facts = object === undefined ? undefined : world.rulebook.factsOf(object.family.kindId);
  if (object === undefined || facts === undefined) return undefined;
  const found = sectionsOf(object, facts).find((one) => one.name === name && (section ?? one.section) === one.section);
  const list = facts.sections.find((one) => one.section === found?.section)?.path;
  if (found === undefined || list === undefined) return undefined;
  return { object: id, pointer: `/${list.replaceAll(".", "/")}/${found.index}` };
}

/** The pointer of the value that takes effect. Undefined: no value is set, or a custom strategy computed it. */
export function sourcePointer(
  world: World,
  policyKind: GroupKind,
  source: Source,
  path: readonly PathNode[],
): ValuePointer | undefined {
  if (source.computed) return undefined;
  if (source.policy !== null) return blockPointer(world, source.policy, source.block, source.pointer);
  return source.object === undefined ? undefined : ownPointer(world, policyKind, source.object, source.pointer, path);
}

/** True if the object does not have the value at its own pointer: the default of its CRD is filled in. */
export function isCrdDefault({ objects }: World, location: ValuePointer | undefined): boolean {
  let found: Json | undefined = location === undefined ? undefined : objects.get(location.object)?.raw;
  if (found === undefined || location === undefined) return false;
  for (const token of location.pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isJsonList(found) ? found[Number(key)] : isJsonObject(found) ? ownValue(found, key) : undefined;
  }
  return (found ?? null) === null;
}
