/** Objects that name policies: the policy is attached to the object or section that names it. */
import type { NamingField, PolicyDefinition, PolicyKind } from "../../src/core/model/definition.ts";
import type { Json } from "../../src/core/model/json.ts";
import type { ObjectRef } from "../../src/core/model/refs.ts";
import type { Attached } from "./attached.ts";
import { type ClusterObject, findObject } from "./cluster-objects.ts";
import { field, fieldAt, isList, isMap, textField } from "./json-value.ts";
import type { OraclePolicy } from "./read-policy.ts";
import { isGranted } from "./reference-grants.ts";
import { isOfLevel, objectNode, sectionNodes, type TargetNode } from "./target-node.ts";

export function attachNamed(
  policy: OraclePolicy,
  objects: readonly ClusterObject[],
  definition: PolicyDefinition,
): readonly Attached[] {
  const rows = definition.targeting.namedBy ?? [];
  return objects
    .flatMap((object) => [objectNode(object), ...sectionNodes(object, definition)])
    .filter(({ object }) => mayName(object, policy, objects, definition))
    .flatMap((target): readonly Attached[] => {
      const names = rows.filter(({ level }) => isOfLevel(target, level)).flatMap((row) => namesIn(target, row));
      const nameIndex = names.findIndex((name) => isMeant(name, target, policy, objects, definition));
      return nameIndex === -1 ? [] : [{ policy, target, isNamed: true, nameIndex }];
    });
}

/** What stands in the field: names and references. */
function namesIn({ object, section }: TargetNode, { path, annotation, separator }: NamingField): readonly Json[] {
  const written =
    annotation === undefined
      ? (path ?? "")
          .split(".")
          .reduce<readonly Json[]>(
            (values, step) => values.flatMap((value) => follow(value, step)),
            [section?.value ?? object.raw],
          )
      : [field(fieldAt(object.raw, "metadata.annotations"), annotation) ?? null];
  return written
    .flatMap((value) => (isList(value) ? value : [value]))
    .flatMap((value): readonly Json[] => {
      if (typeof value !== "string") return [value];
      return (separator === undefined ? [value] : value.split(separator)).map((name) => name.trim());
    });
}

/** `filters[type=ExtensionRef]`: the items with that value; `filters[]`: all items; `filters`: the field. */
function follow(value: Json, step: string): readonly Json[] {
  const [, key = "", brackets, , where, wanted] = /^([^[]*)(\[(([^=\]]+)=([^\]]+))?\])?$/.exec(step) ?? [];
  const found = field(value, key);
  if (found === undefined) return [];
  if (brackets === undefined) return [found];
  if (!isList(found)) return [];
  return found.filter(
    (item) => where === undefined || (isMap(item) && JSON.stringify(field(item, where)).replaceAll('"', "") === wanted),
  );
}

/** A name means the first of the joined kinds that has such a policy. */
function isMeant(
  name: Json,
  { object }: TargetNode,
  policy: OraclePolicy,
  objects: readonly ClusterObject[],
  { policies }: PolicyDefinition,
): boolean {
  const meanings = policies.flatMap((kind) => meaning(name, kind, object.ref.namespace));
  return meanings.flatMap((ref) => findObject(objects, ref) ?? [])[0]?.id === policy.id;
}

function meaning(name: Json, { group, kind, scope }: PolicyKind, home: string): readonly ObjectRef[] {
  const reference: Json = typeof name === "string" ? { name } : name;
  const named = textField(reference, "name") ?? "";
  const namespace = scope === "Cluster" ? "" : textField(reference, "namespace") || home;
  const isKind = (textField(reference, "group") || group) === group && (textField(reference, "kind") || kind) === kind;
  return isKind && named !== "" && (scope === "Cluster") === (namespace === "")
    ? [{ group, kind, namespace, name: named }]
    : [];
}

/** A cluster-scoped object may name any policy; one in another namespace needs a grant, if the kind knows grants. */
function mayName(
  { ref }: ClusterObject,
  { object }: OraclePolicy,
  objects: readonly ClusterObject[],
  { targeting }: PolicyDefinition,
): boolean {
  if (ref.namespace === "" || object.ref.namespace === "" || ref.namespace === object.ref.namespace) return true;
  return targeting.crossNamespace === "ReferenceGrant" && isGranted(objects, ref, object.ref);
}
