import { BLOCK_NAMES } from "../../block-names.ts";
import { isJsonList, isJsonObject, type JsonObject, objectAt, ownValue } from "../../json.ts";
import type { KubeObject } from "../../kube-object.ts";
import { type GroupKind, isGroupName, isKindName } from "../../refs.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import type { CompiledSchema } from "../../schema/schema.ts";

/** The facts of a CustomResourceDefinition about the objects of its kind. */
export interface CrdFacts extends GroupKind {
  readonly scope: "Namespaced" | "Cluster";
  /**
   * Dotted paths in the spec proper where the schema has `additionalProperties`: maps, which are one value for Field
   * kinds. A path in a `defaults` or `overrides` block starts at that block; `*` stands for any key.
   */
  readonly mapPaths: readonly string[];
  /** The version that has this schema: the storage version, else the first served one. */
  readonly version?: string;
  /** The schema of `spec`, as written. */
  readonly specSchema: JsonObject;
  /** The schema of `spec`, compiled. */
  readonly spec: CompiledSchema;
  /** True if objects of the kind have `status.conditions`. */
  readonly hasConditions: boolean;
}

/** The facts of a CustomResourceDefinition; undefined if the object does not describe a kind. */
export function parseCrd(crd: KubeObject): CrdFacts | undefined {
  const described = crdKind(crd);
  if (described === undefined) return undefined;
  const { group, kind } = described;
  const spec = objectAt(crd.raw, "spec");
  const chosen = versionOf(spec);
  const version = ownValue(chosen, "name");
  const properties = objectAt(objectAt(objectAt(chosen, "schema"), "openAPIV3Schema"), "properties");
  const specSchema = objectAt(properties, "spec");
  const compiled = compileSchema(specSchema);
  return {
    group,
    kind,
    scope: ownValue(spec, "scope") === "Cluster" ? "Cluster" : "Namespaced",
    mapPaths: crdMapPaths(compiled),
    ...(typeof version === "string" ? { version } : {}),
    specSchema,
    spec: compiled,
    hasConditions: Object.hasOwn(objectAt(objectAt(properties, "status"), "properties"), "conditions"),
  };
}

/** The kind that a CustomResourceDefinition describes; undefined if the object does not describe one. */
export function crdKind({ family, raw }: KubeObject): GroupKind | undefined {
  if (family.kind !== "CustomResourceDefinition") return undefined;
  const spec = objectAt(raw, "spec");
  const group = ownValue(spec, "group");
  const kind = ownValue(objectAt(spec, "names"), "kind");
  if (typeof group !== "string" || typeof kind !== "string") return undefined;
  return isGroupName(group) && isKindName(kind) ? { group, kind } : undefined;
}

function versionOf(spec: JsonObject): JsonObject {
  const versions = ownValue(spec, "versions");
  const items = isJsonList(versions) ? versions.filter(isJsonObject) : [];
  return (
    items.find((version) => ownValue(version, "storage") === true) ??
    items.find((version) => ownValue(version, "served") === true) ??
    items[0] ??
    {}
  );
}

/** The dotted paths of maps in the spec of a CRD, without the names of blocks. */
export function crdMapPaths(spec: CompiledSchema, blocks: readonly string[] = BLOCK_NAMES): readonly string[] {
  const paths = spec.properties.flatMap(({ key, schema }) => mapPathsIn(schema, blocks.includes(key) ? [] : [key]));
  return [...new Set(paths)].sort();
}

/** The dotted paths of maps in a part of a schema. `path`: the keys that lead to it. A map at the root of a spec is no path. */
export function mapPathsIn(schema: CompiledSchema, path: readonly string[]): readonly string[] {
  const own = schema.type === "map" && path.length > 0 ? [path.join(".")] : [];
  const values = schema.type === "map" && schema.items !== undefined ? mapPathsIn(schema.items, [...path, "*"]) : [];
  return [...own, ...schema.properties.flatMap(({ key, schema: part }) => mapPathsIn(part, [...path, key])), ...values];
}
