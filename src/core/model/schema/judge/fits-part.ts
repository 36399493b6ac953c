import { canonicalJson, isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../json.ts";
import { isOfFormat } from "./formats.ts";

/** Matches a pattern; throws if it cannot be evaluated. */
export type TestPattern = (pattern: string, text: string) => boolean;

/**
 * Alternatives
 *
 * A structural schema may constrain a value further by `allOf`, `anyOf`, `oneOf` and `not`. Their parts say nothing about
 * fields that they do not name.
 * Kubernetes, "Specifying a structural schema"
 */
function fitsPart(part: JsonObject, value: Json, test: TestPattern): boolean {
  const given = (key: string): Json | undefined => ownValue(part, key);
  const values = given("enum");
  if (isJsonList(values) && !values.some((one) => canonicalJson(one) === canonicalJson(value))) return false;
  const type = given("type");
  if (typeof type === "string" && !isOfType(type, value) && !(value === null && given("nullable") === true))
    return false;
  if (typeof value === "string" && !fitsText(part, value, test)) return false;
  if (typeof value === "number" && !fitsNumber(part, value)) return false;
  if (isJsonList(value) && !fitsList(part, value, test)) return false;
  if (isJsonObject(value) && !fitsObject(part, value, test)) return false;
  return fitsAlternatives(part, value, test);
}

/** `allOf`, `anyOf`, `oneOf` and `not` of a schema. */
export function fitsAlternatives(part: JsonObject, value: Json, test: TestPattern): boolean {
  const fits = (one: Json): boolean => !isJsonObject(one) || fitsPart(one, value, test);
  const [all, any, one, not] = ["allOf", "anyOf", "oneOf", "not"].map((key) => ownValue(part, key));
  if (isJsonList(all) && !all.every(fits)) return false;
  if (isJsonList(any) && any.length > 0 && !any.some(fits)) return false;
  if (isJsonList(one) && one.length > 0 && one.filter(fits).length !== 1) return false;
  return !(isJsonObject(not) && fitsPart(not, value, test));
}

function isOfType(type: string, value: Json): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return isJsonList(value);
    case "object":
      return isJsonObject(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}

const bound = (part: JsonObject, key: string, otherwise: number): number => {
  const value = ownValue(part, key);
  return typeof value === "number" ? value : otherwise;
};
const isBetween = (part: JsonObject, count: number, least: string, most: string): boolean =>
  count >= bound(part, least, 0) && count <= bound(part, most, Number.POSITIVE_INFINITY);

function fitsText(part: JsonObject, value: string, test: TestPattern): boolean {
  const [pattern, format] = [ownValue(part, "pattern"), ownValue(part, "format")];
  if (!isBetween(part, Array.from(value).length, "minLength", "maxLength")) return false;
  if (typeof format === "string" && !isOfFormat(format, value)) return false;
  return typeof pattern !== "string" || test(pattern, value);
}

/** Bounds of a number, with `exclusiveMinimum`, `exclusiveMaximum` and `multipleOf`. */
export function fitsNumber(part: JsonObject, value: number): boolean {
  const [min, max] = [
    bound(part, "minimum", Number.NEGATIVE_INFINITY),
    bound(part, "maximum", Number.POSITIVE_INFINITY),
  ];
  if (value < min || (value === min && ownValue(part, "exclusiveMinimum") === true)) return false;
  if (value > max || (value === max && ownValue(part, "exclusiveMaximum") === true)) return false;
  const multiple = bound(part, "multipleOf", 0);
  return multiple <= 0 || Number.isInteger(value / multiple);
}

function fitsList(part: JsonObject, value: readonly Json[], test: TestPattern): boolean {
  const items = ownValue(part, "items");
  if (!isBetween(part, value.length, "minItems", "maxItems")) return false;
  return !isJsonObject(items) || value.every((item) => fitsPart(items, item, test));
}

function fitsObject(part: JsonObject, value: JsonObject, test: TestPattern): boolean {
  const [required, properties, additional] = ["required", "properties", "additionalProperties"].map((key) =>
    ownValue(part, key),
  );
  if (!isBetween(part, Object.keys(value).length, "minProperties", "maxProperties")) return false;
  if (isJsonList(required) && !required.every((key) => typeof key !== "string" || Object.hasOwn(value, key)))
    return false;
  return Object.keys(value).every((key) => {
    const own = isJsonObject(properties) ? ownValue(properties, key) : undefined;
    const schema = isJsonObject(own) ? own : additional;
    return !isJsonObject(schema) || fitsPart(schema, value[key] ?? null, test);
  });
}
