import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The keywords of JSON Schema that the schemas use. Other keywords are refused, so that nothing stays unchecked. */
const KEYWORDS = new Set(
  "$schema title description type required additionalProperties properties items minItems const enum anyOf $ref $defs".split(
    " ",
  ),
);

/** The violations of a schema of `docs/schemas/` in a value, as `pointer: problem`. */
export function schemaViolations(file: string, value: unknown): readonly string[] {
  return violations(value, load(file), file, "");
}

const loaded = new Map<string, Schema>();

function load(file: string): Schema {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const path = fileURLToPath(new URL(`../../../docs/schemas/${file}`, import.meta.url));
  const schema: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (!isObject(schema)) throw new Error(`${file} is not a schema`);
  loaded.set(file, schema);
  return schema;
}

function violations(value: unknown, schema: Schema, file: string, at: string): readonly string[] {
  if (schema["type"] !== undefined && typeof schema["type"] !== "string")
    throw new Error(`${file}: a list of types is not supported`);
  const unknown = Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword));
  if (unknown.length > 0) throw new Error(`${file}: unsupported keywords ${unknown.join(", ")}`);
  return [
    ...checkReference(value, schema, file, at),
    ...checkValue(value, schema, file, at),
    ...(isObject(value) ? checkObject(value, schema, file, at) : []),
    ...(Array.isArray(value) ? checkList(value, schema, file, at) : []),
  ];
}

function checkReference(value: unknown, { $ref }: Schema, file: string, at: string): readonly string[] {
  if (typeof $ref !== "string") return [];
  const [other = "", pointer = ""] = $ref.split("#");
  const target = other === "" ? file : other;
  let schema: unknown = load(target);
  for (const key of pointer.split("/").slice(1)) schema = isObject(schema) ? schema[key] : undefined;
  if (!isObject(schema)) throw new Error(`${file}: ${$ref} does not exist`);
  return violations(value, schema, target, at);
}

function checkValue(value: unknown, schema: Schema, file: string, at: string): readonly string[] {
  const { type, anyOf } = schema;
  const found: string[] = [];
  if (typeof type === "string" && !hasType(value, type)) found.push(`${at}: is not of type ${type}`);
  if ("const" in schema && schema["const"] !== value) found.push(`${at}: is not ${JSON.stringify(schema["const"])}`);
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) found.push(`${at}: is not one of the values`);
  if (Array.isArray(anyOf)) {
    const fits = anyOf.some((one) => isObject(one) && violations(value, one, file, at).length === 0);
    if (!fits) found.push(`${at}: fits none of anyOf`);
  }
  return found;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function checkObject(value: Schema, schema: Schema, file: string, at: string): readonly string[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const missing = required
    .filter((key) => !Object.hasOwn(value, String(key)))
    .map((key) => `${at}: lacks ${String(key)}`);
  const more =
    schema["additionalProperties"] === false
      ? Object.keys(value)
          .filter((key) => !Object.hasOwn(properties, key))
          .map((key) => `${at}: has ${key}`)
      : [];
  const inner = Object.entries(value).flatMap(([key, own]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return isObject(property) ? violations(own, property, file, `${at}/${key}`) : [];
  });
  return [...missing, ...more, ...inner];
}

function checkList(
  value: readonly unknown[],
  { items, minItems }: Schema,
  file: string,
  at: string,
): readonly string[] {
  const short =
    typeof minItems === "number" && value.length < minItems ? [`${at}: has fewer than ${minItems} items`] : [];
  if (!isObject(items)) return short;
  return [...short, ...value.flatMap((item, index) => violations(item, items, file, `${at}/${index}`))];
}
