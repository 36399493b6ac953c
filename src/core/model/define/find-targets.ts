/** The fields of a policy that name its targets, as the schema of its CRD shows them. */
import { isJsonList, isJsonObject, type JsonObject, objectAt, ownValue, textsIn } from "../json.ts";
import { kinds as builtInKinds } from "../kinds.ts";
import { TARGET_FIELDS } from "../schema/crd-schemas.ts";

export interface TargetFields {
  /** The name of the field with one target, with a list of targets, and with selectors. Undefined: there is none. */
  readonly ref: string | undefined;
  readonly refs: string | undefined;
  readonly selectors: string | undefined;
  /** The list of targets may have one item only. */
  readonly isSingle: boolean;
  /** The fields of a reference: `kind`, `name`, `sectionName`. Empty if the schema does not list them. */
  readonly of: readonly string[];
  readonly kinds: TargetKinds;
}

/** The kinds that may be targeted, and what says so. `Nothing`: they are not known. */
export interface TargetKinds {
  readonly by: "Enumeration" | "Default" | "Rules" | "Description" | "Name" | "Nothing";
  readonly names: readonly string[];
}

/** Undefined if the schema lists the fields of `spec`, and none of them names a target. */
export function findTargetFields(spec: JsonObject, kind: string): TargetFields | undefined {
  const properties = objectAt(spec, "properties");
  const names = Object.keys(properties);
  const isOpen = names.length === 0 || ownValue(spec, "x-kubernetes-preserve-unknown-fields") === true;
  const found = names.filter((name) => isTargetField(name, objectAt(properties, name)));
  if (found.length === 0 && !isOpen) return undefined;
  const isList = (name: string): boolean => ownValue(objectAt(properties, name), "type") === "array";
  const isSelector = (name: string): boolean => /selectors?$/i.test(name);
  const refs = found.find((name) => isList(name) && !isSelector(name));
  const ref = found.find((name) => !isList(name) && !isSelector(name));
  const fields = [refs, ref].flatMap((name) => (name === undefined ? [] : [objectAt(properties, name)]));
  const references = fields.map(referenceOf);
  return {
    ref,
    refs,
    selectors: found.find(isSelector),
    isSingle:
      refs === undefined
        ? found.length > 0
        : ownValue(objectAt(properties, refs), "maxItems") === 1 && ref === undefined,
    of: [...new Set(references.flatMap((reference) => Object.keys(objectAt(reference, "properties"))))],
    kinds: findKinds(spec, fields, found, kind),
  };
}

/** The schema of one reference: of the field, or of the items of the list. */
const referenceOf = (schema: JsonObject): JsonObject =>
  ownValue(schema, "type") === "array" ? objectAt(schema, "items") : schema;

/** One of the usual names, or another name that begins with `target` and has a reference: a kind, with a name or a selector. */
function isTargetField(name: string, schema: JsonObject): boolean {
  if (TARGET_FIELDS.includes(name)) return true;
  const properties = objectAt(referenceOf(schema), "properties");
  return (
    /^target/i.test(name) &&
    Object.hasOwn(properties, "kind") &&
    (Object.hasOwn(properties, "name") || Object.hasOwn(properties, "selector"))
  );
}

function findKinds(
  spec: JsonObject,
  fields: readonly JsonObject[],
  names: readonly string[],
  policyKind: string,
): TargetKinds {
  const ofKind = fields.map((field) => objectAt(objectAt(referenceOf(field), "properties"), "kind"));
  const listed = ofKind.flatMap((schema) => textsIn(ownValue(schema, "enum")));
  if (listed.length > 0) return { by: "Enumeration", names: unique(listed) };
  const rules = [
    ...fields.flatMap((field) => [field, referenceOf(field)]).flatMap(rulesOf),
    ...rulesOf(spec).filter((rule) => names.some((name) => rule.includes(`self.${name}`))),
  ];
  const tested = rules.flatMap(kindsInRule);
  if (tested.length > 0) return { by: "Rules", names: unique(tested) };
  const byDefault = ofKind.flatMap((schema) => textsIn([ownValue(schema, "default") ?? null]));
  if (byDefault.length > 0) return { by: "Default", names: unique(byDefault) };
  const described = fields.flatMap((field) => [field, referenceOf(field)]).flatMap(kindsInDescription);
  if (described.length > 0) return { by: "Description", names: unique(described) };
  const hinted = HINTS.find(([pattern]) => pattern.test(policyKind))?.[1] ?? [];
  return hinted.length > 0 ? { by: "Name", names: hinted } : { by: "Nothing", names: [] };
}

const ROUTES = builtInKinds.filter(({ route }) => route !== undefined).map(({ kind }) => kind);

/** The targets that the name of a policy kind hints at. The first that fits counts. */
const HINTS: readonly (readonly [pattern: RegExp, kinds: readonly string[]])[] = [
  [/HTTPRoute/, ["HTTPRoute"]],
  [/Route/, ROUTES],
  [/Backend|Upstream|HealthCheck|Service|TargetGroup/, ["Service"]],
  [/Gateway/, ["Gateway"]],
  [/Listener/, ["Gateway", "ListenerSet"]],
];

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

function rulesOf(schema: JsonObject): readonly string[] {
  const validations = ownValue(schema, "x-kubernetes-validations");
  const items = isJsonList(validations) ? validations.filter(isJsonObject) : [];
  return items.flatMap(({ rule }) => (typeof rule === "string" ? [rule] : []));
}

const LONGEST_RULE = 10_000;

/** The kinds that a CEL rule compares with: `self.kind == 'Gateway'`, `ref.kind in ['Gateway', 'HTTPRoute']`. A kind that is refused (`!=`) does not count. */
function kindsInRule(rule: string): readonly string[] {
  const text = rule.slice(0, LONGEST_RULE);
  const equal = [...text.matchAll(/\bkind\s*==\s*['"]([A-Za-z][A-Za-z0-9]*)['"]/g)].map(([, kind = ""]) => kind);
  const listed = [...text.matchAll(/\bkind\s+in\s*\[([^\]]*)\]/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/['"]([A-Za-z][A-Za-z0-9]*)['"]/g)].map(([, kind = ""]) => kind),
  );
  return [...equal, ...listed];
}

/** The built-in kinds that a description names: `the names of the Gateway resources`. */
function kindsInDescription(schema: JsonObject): readonly string[] {
  const description = ownValue(schema, "description");
  const text = typeof description === "string" ? description.slice(0, LONGEST_RULE) : "";
  const words = text.replaceAll(/Gateway\s+API/g, "").split(/[^A-Za-z]+/);
  const known = builtInKinds.map(({ kind }) => kind).filter((kind) => kind !== "Namespace" && kind !== "Secret");
  return known.filter((kind) => words.includes(kind) || words.includes(`${kind}s`));
}
