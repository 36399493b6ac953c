/** Nodes of the hierarchy: objects, and the items of their lists that are nodes of their own (sections). */
import type { PathNode } from "../../src/core/effective/fold/effective-policy.ts";
import type { LevelKind, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { TargetId } from "../../src/core/model/refs.ts";
import { fieldAt, isList, isMap, textField } from "./json-value.ts";
import { factsOf, isSameKind } from "./kind-table.ts";
import type { WorldObject } from "./read-world.ts";

export interface Section {
  readonly type: string;
  /** As shown: the declared name (`one~2`: the second of that name), or `rule-N`. */
  readonly name: string;
  /** Whether a target may name it: "declared, unique names". */
  readonly isDeclared: boolean;
  readonly value: JsonObject;
  /** Where it is in the object: `["spec", "rules", "0"]`. */
  readonly place: readonly string[];
}

export interface TargetNode {
  readonly id: TargetId;
  readonly object: WorldObject;
  readonly section?: Section;
}

export function objectNode(object: WorldObject): TargetNode {
  return { id: object.id as string as TargetId, object };
}

export function sectionNodes(object: WorldObject, definition: PolicyDefinition): readonly TargetNode[] {
  return factsOf(object.ref, definition).sections.flatMap(({ section: type, path, byDefault }) => {
    const items = fieldAt(object.raw, path) ?? byDefault;
    if (!isList(items)) return [];
    return items.flatMap((value, i) => {
      if (!isMap(value)) return [];
      const names = items.map((item) => textField(item, "name") || undefined);
      const isDeclared = names[i] !== undefined && names.filter((name) => name === names[i]).length === 1;
      const shown = shownName(names, i, type);
      const section = { type, name: shown, isDeclared, value, place: [...path.split("."), String(i)] };
      return [{ id: `${object.id}#${shown}` as TargetId, object, section }];
    });
  });
}

/** Names must be distinct to be shown; a made-up one gives way to one that is written. */
function shownName(names: readonly (string | undefined)[], i: number, type: string): string {
  const name = names[i];
  const nth = names.slice(0, i + 1).filter((other) => other === name).length;
  if (name !== undefined && nth === 1) return name;
  const shown = name === undefined ? `${type.toLowerCase()}-${i + 1}` : `${name}~${nth}`;
  return names.includes(shown) ? `${shown}~` : shown;
}

export function isOfLevel({ object, section }: TargetNode, level: LevelKind): boolean {
  return isSameKind(object.ref, level) && section?.type === level.section;
}

export function pathNode({ object: { ref }, section }: TargetNode): PathNode {
  const { group, kind, namespace, name } = ref;
  return section === undefined
    ? { group, kind, namespace, name }
    : { group, kind, namespace, name, sectionName: section.name };
}
