/** What the OpenAPI schema of a CustomResourceDefinition says about the specs of its kind. */
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue, setOwn } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import { type GroupKind, isGroupName, isKindName } from "../refs.ts";

export interface CrdFacts extends GroupKind {
  readonly scope: "Namespaced" | "Cluster";
  /**
   * A spec with the schema's defaults filled in, as the API server would: also in defaults, items and map values; a
   * `null` where none is allowed counts as absent. The very same object if nothing is missing; the input is not written to.
   */
  readonly schemaDefaults: (spec: JsonObject) => JsonObject;
  /**
   * Dotted paths in the spec proper where the schema has `additionalProperties`: maps, which are one value for Field
   * kinds. What lies in a `defaults` or `overrides` block is named from that block; `*` stands for any key.
   */
  readonly mapPaths: readonly string[];
  /** The version whose schema this is. */
  readonly version?: string;
  /** The schema of `spec`, for what else can be told from it. */
  readonly specSchema: JsonObject;
  /** Whether objects of the kind have `status.conditions`. */
  readonly hasConditions: boolean;
}

/** Facts of the stored version (else the first served one); nothing if the object does not describe a kind. */
export function crdSchema(crd: KubeObject): CrdFacts | undefined {
  const spec = child(crd.raw, "spec");
  const group = ownValue(spec, "group");
  const kind = ownValue(child(spec, "names"), "kind");
  if (typeof group !== "string" || typeof kind !== "string") return undefined;
  if (!isGroupName(group) || !isKindName(kind)) return undefined;
  const chosen = versionOf(spec);
  const version = ownValue(chosen, "name");
  const properties = child(child(child(chosen, "schema"), "openAPIV3Schema"), "properties");
  const schema = child(properties, "spec");
  const budget = { nodes: MAX_NODES };
  const node = compile(schema, 0, budget);
  return {
    group,
    kind,
    scope: ownValue(spec, "scope") === "Cluster" ? "Cluster" : "Namespaced",
    schemaDefaults: (value) => {
      const filled = fill(node, value);
      return isJsonObject(filled) ? filled : value;
    },
    mapPaths: mapPathsOf(node),
    ...(typeof version === "string" ? { version } : {}),
    specSchema: schema,
    hasConditions: Object.hasOwn(child(child(properties, "status"), "properties"), "conditions"),
  };
}

/** Schemas are input too: one that is deeper or larger than any real one is read up to these bounds. */
const MAX_DEPTH = 48;
const MAX_NODES = 50_000;

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

/** A schema cut down to what filling in defaults and finding maps needs. */
interface SchemaNode {
  readonly byDefault: Json | undefined;
  readonly nullable: boolean;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** For maps: the schema of every value. */
  readonly values: SchemaNode | undefined;
  readonly isMap: boolean;
  readonly items: SchemaNode | undefined;
}

function compile(schema: JsonObject, depth: number, budget: { nodes: number }): SchemaNode {
  budget.nodes--;
  const inner = (value: Json | undefined): SchemaNode | undefined =>
    isJsonObject(value) && depth < MAX_DEPTH && budget.nodes > 0 ? compile(value, depth + 1, budget) : undefined;
  const properties = new Map<string, SchemaNode>();
  for (const [name, value] of Object.entries(child(schema, "properties"))) {
    const node = inner(value);
    if (node !== undefined) properties.set(name, node);
  }
  const additional = ownValue(schema, "additionalProperties");
  return {
    byDefault: ownValue(schema, "default"),
    nullable: ownValue(schema, "nullable") === true,
    properties,
    values: inner(additional),
    isMap: additional === true || isJsonObject(additional),
    items: inner(ownValue(schema, "items")),
  };
}

function fill(node: SchemaNode, value: Json): Json {
  if (isJsonList(value)) return node.items === undefined ? value : fillList(node.items, value);
  return isJsonObject(value) ? fillObject(node, value) : value;
}

function fillList(item: SchemaNode, list: readonly Json[]): readonly Json[] {
  const filled = list.map((value) => fill(item, value));
  return filled.every((value, i) => value === list[i]) ? list : filled;
}

function fillObject(node: SchemaNode, object: JsonObject): JsonObject {
  const result: { [key: string]: Json } = {};
  let changed = false;
  for (const key of Object.keys(object)) {
    const value = object[key] ?? null;
    const schema = node.properties.get(key) ?? node.values;
    // Kubernetes drops a null that the schema does not allow before it fills in defaults.
    const absent = value === null && node.properties.has(key) && schema?.nullable === false;
    const filled = schema === undefined || absent ? value : fill(schema, value);
    changed ||= absent || filled !== value;
    if (!absent) setOwn(result, key, filled);
  }
  for (const [key, schema] of node.properties) {
    if (schema.byDefault === undefined || Object.hasOwn(result, key)) continue;
    setOwn(result, key, fill(schema, schema.byDefault));
    changed = true;
  }
  return changed ? result : object;
}

const BLOCKS: ReadonlySet<string> = new Set(["default", "defaults", "override", "overrides"]);

function mapPathsOf(spec: SchemaNode): readonly string[] {
  const paths = new Set<string>();
  const visit = (node: SchemaNode, path: readonly string[]): void => {
    if (node.isMap && path.length > 0) paths.add(path.join("."));
    for (const [name, property] of node.properties) visit(property, [...path, name]);
    if (node.values !== undefined) visit(node.values, [...path, "*"]);
  };
  for (const [name, property] of spec.properties) visit(property, BLOCKS.has(name) ? [] : [name]);
  return [...paths].sort();
}

function child(object: JsonObject, key: string): JsonObject {
  const value = ownValue(object, key);
  return isJsonObject(value) ? value : {};
}
