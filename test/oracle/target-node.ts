/** Nodes of the hierarchy: objects and their sections (list items that are nodes of their own). */
import type { PathNode } from "../../src/core/effective/paths/path-node.ts";
import type { LevelKind, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { TargetId } from "../../src/core/model/refs.ts";
import type { ClusterObject } from "./cluster-objects.ts";
import { fieldAt, isList, isMap, textField } from "./json-value.ts";
import { factsOf, isSameKind } from "./kind-table.ts";

export interface Section {
  readonly type: string;
  /** The displayed name: the declared name (`one~2` is the second `one`), or `rule-N`. */
  readonly name: string;
  /** True if a target may name it: the name is declared and unique. */
  readonly isDeclared: boolean;
  readonly value: JsonObject;
  /** The path inside the object: `["spec", "rules", "0"]`. */
  readonly path: readonly string[];
}

export interface TargetNode {
  readonly id: TargetId;
  readonly object: ClusterObject;
  readonly section?: Section;
}

export function objectNode(object: ClusterObject): TargetNode {
  return { id: object.id as string as TargetId, object };
}

export function sectionNodes(object: ClusterObject, definition: PolicyDefinition): readonly TargetNode[] {
  return factsOf(object.ref, definition).sections.flatMap(({ section: type, path, byDefault }) => {
    const items = fieldAt(object.raw, path) ?? byDefault;
    if (!isList(items)) return [];
    return items.flatMap((value, i) => {
      if (!isMap(value)) return [];
      const names = items.map((item) => textField(item, "name") || undefined);
      const isDeclared = names[i] !== undefined && names.filter((name) => name === names[i]).length === 1;
      const displayed = displayedName(names, i, type);
      const section = { type, name: displayed, isDeclared, value, path: [...path.split("."), String(i)] };
      return [{ id: `${object.id}#${displayed}` as TargetId, object, section }];
    });
  });
}

/** Displayed names are distinct: a generated name that is already declared gets a suffix. */
function displayedName(names: readonly (string | undefined)[], i: number, type: string): string {
  const name = names[i];
  const nth = names.slice(0, i + 1).filter((other) => other === name).length;
  if (name !== undefined && nth === 1) return name;
  const displayed = name === undefined ? `${type.toLowerCase()}-${i + 1}` : `${name}~${nth}`;
  return names.includes(displayed) ? `${displayed}~` : displayed;
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
