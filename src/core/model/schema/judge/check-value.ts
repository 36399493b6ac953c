import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../json.ts";
import { formatValue } from "../../words/format-value.ts";
import { texts } from "../read-fields.ts";
import { type Check, type CheckContext, formatPath } from "./check-node.ts";
import { fitsAlternatives, fitsNumber, type TestPattern } from "./fits-part.ts";
import { allowedByFormat, isOfFormat } from "./formats.ts";

/** Checks of patterns, formats, bounds of numbers and alternatives. Patterns of built-in schemas are part of the quick check. */
export function valueChecks(schema: JsonObject, origin: "BuiltIn" | "Input"): readonly Check[] {
  const checks: Check[] = [];
  const [pattern, format] = [ownValue(schema, "pattern"), ownValue(schema, "format")];
  if (origin === "Input" && typeof pattern === "string") checks.push(patternCheck(pattern));
  const allowed = typeof format === "string" ? allowedByFormat(format) : undefined;
  if (typeof format === "string" && allowed !== undefined) {
    checks.push((value, context) => {
      if (typeof value === "string" && !isOfFormat(format, value)) refuse(value, context, allowed);
    });
  }
  if (["exclusiveMinimum", "exclusiveMaximum", "multipleOf"].some((key) => Object.hasOwn(schema, key))) {
    checks.push((value, context) => {
      if (typeof value === "number" && !fitsNumber(schema, value)) refuse(value, context, numberAllowed(schema));
    });
  }
  if (["allOf", "anyOf", "oneOf", "not"].some((key) => Object.hasOwn(schema, key)))
    checks.push(alternativesCheck(schema));
  return checks;
}

function refuse(value: Json, { path, problems }: CheckContext, allowed: string): void {
  const field = formatPath(path);
  problems.push({ problem: "value", field, message: `${field} is ${formatValue(value)}; allowed: ${allowed}` });
}

/** A pattern or rule that cannot be evaluated. It ends the check. */
class Unevaluated extends Error {}

const testWith =
  ({ matchRegex }: CheckContext): TestPattern =>
  (pattern, text) => {
    const outcome = matchRegex(pattern, text);
    if (outcome.state === "error") throw new Unevaluated(outcome.message);
    return outcome.matches;
  };

/** Runs a check that may meet a pattern that cannot be evaluated. */
function orUnevaluated(rule: string, context: CheckContext, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Unevaluated)) throw error;
    context.unevaluated.push({ field: formatPath(context.path), rule, reason: error.message });
  }
}

const patternCheck =
  (pattern: string): Check =>
  (value, context) => {
    if (typeof value !== "string") return;
    orUnevaluated(pattern, context, () => {
      if (!testWith(context)(pattern, value)) refuse(value, context, `a string that matches ${pattern}`);
    });
  };

const numberAllowed = (schema: JsonObject): string =>
  ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"]
    .filter((key) => Object.hasOwn(schema, key))
    .map((key) => `${key} ${formatValue(schema[key])}`)
    .join(", ");

function alternativesCheck(schema: JsonObject): Check {
  return (value, context) =>
    orUnevaluated("oneOf, anyOf, allOf, not", context, () => {
      if (!fitsAlternatives(schema, value, testWith(context))) refuse(value, context, formatAlternatives(schema));
    });
}

/** `exactly one of codes, ranges` where the alternatives differ in what they require. */
function formatAlternatives(schema: JsonObject): string {
  const one = namesRequired(ownValue(schema, "oneOf"));
  if (one !== undefined) return `exactly one of ${one}`;
  const any = namesRequired(ownValue(schema, "anyOf"));
  if (any !== undefined) return `at least one of ${any}`;
  const listed = ["oneOf", "anyOf", "allOf", "not"].filter((key) => Object.hasOwn(schema, key));
  return `what ${listed.join(", ")} of the schema allow${listed.length === 1 ? "s" : ""}`;
}

function namesRequired(alternatives: Json | undefined): string | undefined {
  if (!isJsonList(alternatives)) return undefined;
  const names = alternatives.map((part) => (isJsonObject(part) ? texts(part, "required") : []));
  return names.every((list) => list.length > 0) ? names.map((list) => list.join(" and ")).join(", ") : undefined;
}
