import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { GroupKind } from "../refs.ts";
import { anyObject, builtInShapes } from "./built-in-shapes.ts";
import { type KubeField, type KubeShape, NO_LIMIT } from "./kube-shape.ts";
import { isScalar, measureUnread } from "./measure-json.ts";

/** A field that the API server would refuse. `null` counts as unset. */
export interface FieldProblem {
  readonly code: "InvalidField" | "MissingField";
  readonly field: string;
  readonly message: string;
}

const NONE: readonly FieldProblem[] = [];
const MOST = 50;
/** Of fields that no shape knows: whoever walks or compares objects must come to an end. Depth as for files. */
const UNKNOWN_LIMITS = { maxDepth: 256, maxValues: 1_000_000 };

/** The shape of a known kind's objects; of others only their metadata is known. Unknown fields may hold anything, within bounds. */
export function shapeOf({ group, kind }: GroupKind): KubeShape {
  const known = builtInShapes.get(kind);
  return known !== undefined && known.group === group ? known.shape : anyObject;
}

/** Where a value, found at `field`, does not have its shape. */
export function shapeProblems(shape: KubeShape, value: Json, field = ""): readonly FieldProblem[] {
  if (fits(shape, value)) return NONE;
  const problems: FieldProblem[] = [];
  collect(shape, value, field, problems);
  return problems;
}

/** The whole check, for values without problems: no paths, no allocation. `collect` must agree with it. */
export function fits(shape: KubeShape, value: Json): boolean {
  switch (shape.type) {
    case "Struct":
      return isJsonObject(value) && fitsFields(shape, value);
    case "Text":
      return isTextWithin(shape, value);
    case "Integer":
      return Number.isInteger(value) && isWithin(shape, value);
    case "List":
      return Array.isArray(value) && fitsItems(shape, value);
    case "Choice":
      return typeof value === "string" && isOneOf(shape.values, value);
    case "Flag":
      return typeof value === "boolean";
    case "Map":
      return isJsonObject(value) && fitsValues(shape, value);
    case "Duration":
      return typeof value === "string" && isDuration(value);
    case "TextOrInteger":
      return typeof value === "string" || Number.isInteger(value);
    case "Unread":
      return true;
  }
}

const isTextWithin = ({ min, max }: KubeShape, value: Json): boolean =>
  typeof value === "string" && value.length >= min && value.length <= max;

const isWithin = ({ min, max }: KubeShape, value: Json): boolean =>
  typeof value === "number" && value >= min && value <= (max === NO_LIMIT ? Number.MAX_SAFE_INTEGER : max);

/** `includes`, which is not worth a call for so few. */
function isOneOf(values: readonly string[], value: string): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] === value) return true;
  return false;
}

/** Asks about the keys that are there rather than those that could be: of those there are several times as many. */
function fitsFields({ fields, requiredFields }: KubeShape, value: JsonObject): boolean {
  let met = 0;
  let next = 0;
  for (const key in value) {
    const own = value[key];
    if (own === undefined || own === null) continue;
    // Keys mostly come in the order in which they are listed.
    const at = findField(fields, key, next);
    if (at === -1) {
      if (typeof own === "object" ? measureUnread(own, UNKNOWN_LIMITS) !== "ok" : !isScalar(own)) return false;
      continue;
    }
    next = at + 1;
    const { shape } = fields[at] as KubeField;
    // Most values are texts: these are not worth a call.
    if (shape.type === "Text" ? !isTextWithin(shape, own) : !fits(shape, own)) return false;
    if (shape.required) met++;
  }
  return met === requiredFields;
}

/** The place of a field, looked for from a place on; -1: there is none. */
function findField(fields: readonly KubeField[], key: string, from: number): number {
  for (let at = from; at < fields.length; at++) if ((fields[at] as KubeField).key === key) return at;
  for (let at = 0; at < from; at++) if ((fields[at] as KubeField).key === key) return at;
  return -1;
}

function fitsItems({ items, min, max }: KubeShape, value: readonly Json[]): boolean {
  if (items === undefined || value.length < min || value.length > max) return false;
  const isStruct = items.type === "Struct";
  for (let i = 0; i < value.length; i++) {
    const item = value[i] ?? null;
    if (isStruct ? !(isJsonObject(item) && fitsFields(items, item)) : !fits(items, item)) return false;
  }
  return true;
}

function fitsValues({ items }: KubeShape, value: JsonObject): boolean {
  for (const key of Object.keys(value)) {
    const own = value[key] ?? null;
    if (own !== null && items !== undefined && !fits(items, own)) return false;
  }
  return true;
}

const UNITS: readonly string[] = ["ms", "h", "m", "s"];
const MOST_PARTS = 4;
const MOST_DIGITS = 5;

/** GEP-2257: one to four numbers of up to five digits, each with a unit. */
function isDuration(value: string): boolean {
  let position = 0;
  for (let part = 0; part < MOST_PARTS && position < value.length; part++) {
    const start = position;
    while (isDigit(value.charCodeAt(position))) position++;
    const digits = position - start;
    const unit = UNITS.find((candidate) => value.startsWith(candidate, position));
    if (digits === 0 || digits > MOST_DIGITS || unit === undefined) return false;
    position += unit.length;
  }
  return position > 0 && position === value.length;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function collect(shape: KubeShape, value: Json, field: string, problems: FieldProblem[]): void {
  if (problems.length >= MOST) return;
  if (shape.type === "Struct" && isJsonObject(value)) return collectFields(shape, value, field, problems);
  if (shape.type === "List" && Array.isArray(value)) return collectItems(shape, value, field, problems);
  if (shape.type === "Map" && isJsonObject(value)) return collectValues(shape, value, field, problems);
  if (fits(shape, value)) return;
  const message = `${field} must be ${expected(shape)}, found ${found(value)}`;
  problems.push({ code: "InvalidField", field, message });
}

function collectFields({ fields }: KubeShape, value: JsonObject, field: string, problems: FieldProblem[]): void {
  for (const { key, shape } of fields) {
    const path = pathTo(field, key);
    const own = value[key] ?? null;
    if (own !== null) collect(shape, own, path, problems);
    else if (shape.required)
      problems.push({ code: "MissingField", field: path, message: `${path} is required: ${expected(shape)}` });
  }
  for (const key of Object.keys(value)) {
    if (findField(fields, key, 0) === -1) collectUnknown(value[key] ?? null, pathTo(field, short(key)), problems);
  }
}

function collectUnknown(value: Json, field: string, problems: FieldProblem[]): void {
  const { maxDepth, maxValues } = UNKNOWN_LIMITS;
  const measure = measureUnread(value, UNKNOWN_LIMITS);
  if (measure === "ok") return;
  const messages = {
    "too deep": `${field} is nested deeper than ${maxDepth} levels`,
    "too large": `${field} holds more than ${maxValues} values`,
    "not JSON": `${field} is or holds something that JSON cannot carry (a big integer, a symbol, a function)`,
  };
  problems.push({ code: "InvalidField", field, message: messages[measure] });
}

const pathTo = (field: string, key: string): string => (field === "" ? key : `${field}.${key}`);

function collectItems(shape: KubeShape, value: readonly Json[], field: string, problems: FieldProblem[]): void {
  const { items, min, max } = shape;
  if (value.length < min || value.length > max) {
    const count = value.length === 1 ? "1 item" : `${value.length} items`;
    problems.push({ code: "InvalidField", field, message: `${field} must be ${expected(shape)}, found ${count}` });
    return;
  }
  for (let index = 0; items !== undefined && index < value.length && problems.length < MOST; index++) {
    collect(items, value[index] ?? null, `${field}[${index}]`, problems);
  }
}

function collectValues({ items }: KubeShape, value: JsonObject, field: string, problems: FieldProblem[]): void {
  for (const key of Object.keys(value)) {
    const own = value[key] ?? null;
    if (own !== null && items !== undefined) collect(items, own, `${field}[${short(key)}]`, problems);
  }
}

function expected({ type, min, max, values, items }: KubeShape): string {
  switch (type) {
    case "Struct":
      return "an object";
    case "Text":
      return `${min > 0 ? "a non-empty string" : "a string"}${max === NO_LIMIT ? "" : ` of at most ${max} characters`}`;
    case "Integer":
      return `a whole number ${max === NO_LIMIT ? `of at least ${min}` : `from ${min} to ${max}`}`;
    case "List":
      return `a list${max === NO_LIMIT ? "" : ` of ${min > 0 ? `${min} to` : "at most"} ${max} items`}`;
    case "Choice":
      return `one of ${values.join(", ")}`;
    case "Flag":
      return "true or false";
    case "Map":
      return items?.type === "Text" ? "a map of strings" : "a map";
    case "Duration":
      return "a duration like 500ms, 10s or 1m30s";
    case "TextOrInteger":
      return "a string or a whole number";
    case "Unread":
      return "anything";
  }
}

function found(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return `the string ${JSON.stringify(short(value))}`;
  return isScalar(value) ? `${typeof value} ${value}` : `a ${typeof value}`;
}

const SHOWN = 64;

const short = (value: string): string => (value.length <= SHOWN ? value : `${value.slice(0, SHOWN)}…`);
