import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { nearMiss } from "../words/near-miss.ts";
import { isScalar } from "./measure-json.ts";

/** What a field may hold. One table of these both checks a document and renders its reference page. */
export type Shape =
  | {
      readonly type: "text";
      readonly values?: readonly string[];
      /** Words with this beginning are allowed besides `values`. */
      readonly prefix?: string;
      readonly format?: string;
      readonly nonEmpty?: true;
    }
  | { readonly type: "boolean" }
  | { readonly type: "list"; readonly items: Shape; readonly atLeastOne?: true }
  | { readonly type: "map"; readonly values: Shape }
  | ObjectShape
  /** A shorthand in one word, or the object it stands for. */
  | { readonly type: "shorthand"; readonly format: string; readonly object: ObjectShape };

export interface ObjectShape {
  readonly type: "object";
  readonly fields: Readonly<Record<string, FieldShape>>;
}

export interface FieldShape {
  readonly shape: Shape;
  /** What holds where the field is left out, in words; absent: the field is required. */
  readonly default?: string;
  readonly doc: string;
}

export interface ShapeProblem {
  readonly code: "WrongType" | "UnknownField" | "UnknownValue" | "MissingField";
  readonly field: string;
  readonly message: string;
}

/** Every place where a document differs from its shape. Walks the shape, so hostile depth is never followed. */
export function checkShape(shape: Shape, value: Json, field: string): readonly ShapeProblem[] {
  const problems: ShapeProblem[] = [];
  visit(shape, value, field, problems);
  return problems;
}

function visit(shape: Shape, value: Json, field: string, problems: ShapeProblem[]): void {
  switch (shape.type) {
    case "text":
      return visitText(shape, value, field, problems);
    case "boolean":
      if (typeof value !== "boolean") problems.push(wrongType(field, value, "true or false"));
      return;
    case "list":
      if (!isJsonList(value)) return void problems.push(wrongType(field, value, "a list"));
      if (shape.atLeastOne === true && value.length === 0) problems.push(missing(field, "at least one item"));
      for (const [index, item] of value.entries()) visit(shape.items, item, `${field}[${index}]`, problems);
      return;
    case "map":
      if (!isJsonObject(value)) return void problems.push(wrongType(field, value, "an object"));
      for (const key of Object.keys(value)) visit(shape.values, value[key] ?? null, `${field}.${key}`, problems);
      return;
    case "object":
      if (!isJsonObject(value)) return void problems.push(wrongType(field, value, "an object"));
      return visitFields(shape, value, field, problems);
    case "shorthand":
      if (typeof value === "string") {
        if (value === "") problems.push(wrongType(field, value, shape.format));
      } else if (isJsonObject(value)) visitFields(shape.object, value, field, problems);
      else problems.push(wrongType(field, value, `${shape.format} or an object`));
      return;
  }
}

function visitText(shape: Shape & { type: "text" }, value: Json, field: string, problems: ShapeProblem[]): void {
  const { values, prefix } = shape;
  if (typeof value !== "string") {
    problems.push(wrongType(field, value, values === undefined ? (shape.format ?? "a string") : oneOf(values, prefix)));
  } else if (shape.nonEmpty === true && value === "") {
    problems.push(missing(field, "a value"));
  } else if (prefix !== undefined && value.startsWith(prefix) && value.length > prefix.length) {
    return;
  } else if (values !== undefined && !values.includes(value)) {
    const message = `${field} is ${found(value)}; allowed: ${oneOf(values, prefix)}.${didYouMean(value, values)}`;
    problems.push({ code: "UnknownValue", field, message });
  }
}

function visitFields(shape: ObjectShape, value: JsonObject, field: string, problems: ShapeProblem[]): void {
  const known = Object.keys(shape.fields);
  for (const key of Object.keys(value)) {
    const fieldShape = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if (fieldShape !== undefined) {
      visit(fieldShape.shape, value[key] ?? null, `${field}.${key}`, problems);
      continue;
    }
    const message = `${field}.${key} is not a field; ${field} has ${known.join(", ")}.${didYouMean(key, known)}`;
    problems.push({ code: "UnknownField", field: `${field}.${key}`, message });
  }
  for (const key of known) {
    if (shape.fields[key]?.default === undefined && !Object.hasOwn(value, key)) {
      problems.push(missing(`${field}.${key}`, "a value"));
    }
  }
}

const oneOf = (values: readonly string[], prefix: string | undefined): string =>
  [...values, ...(prefix === undefined ? [] : [`${prefix}<name>`])].join(", ");

const missing = (field: string, what: string): ShapeProblem => ({
  code: "MissingField",
  field,
  message: `${field} needs ${what}.`,
});

const wrongType = (field: string, value: Json, wanted: string): ShapeProblem => ({
  code: "WrongType",
  field,
  message: `${field} is ${found(value)}; allowed: ${wanted}.`,
});

/** The end of a message: ` Did you mean "Direct"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearMiss(word, candidates);
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}

/** A value as a message shows it: short, whatever its size. */
export function found(value: Json | undefined): string {
  if (value === undefined || value === null) return "empty";
  if (isJsonList(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (!isScalar(value)) return `a ${typeof value}`;
  const text = typeof value === "string" ? value.slice(0, 80) : value;
  return JSON.stringify(text);
}
