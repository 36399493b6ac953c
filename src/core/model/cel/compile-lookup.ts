/** Names, fields and indexes. */
import { type JsonObject, ownValue } from "../json.ts";
import { type CelScope, type Compile, type Compiled, compiled, entrySchema, objectIn, type Run } from "./frame.ts";
import { parseDuration, parseTimestamp } from "./library/time.ts";
import { formatKey, isAnyMap, isKeyLike, lookUp } from "./maps.ts";
import { numericOf } from "./numbers.ts";
import { type CelExpression, type CelNode, pathOf } from "./syntax-tree.ts";
import {
  asValue,
  CelError,
  CelKeyedMap,
  CelMissing,
  CelOptional,
  CelType,
  CelUnsupported,
  type CelValue,
  isList,
  isMap,
  located,
  ownKey,
  typeOf,
  unescapeField,
} from "./values.ts";

const TYPES: ReadonlySet<string> = new Set(
  "int uint double bool string bytes list map null_type type optional_type google.protobuf.Duration google.protobuf.Timestamp".split(
    " ",
  ),
);

/** The last names of types with more than one. */
const WELL_KNOWN: ReadonlySet<string> = new Set(["Duration", "Timestamp"]);

export function compileName({ name, at, isOuter }: CelNode<"name">, scope: CelScope): Compiled {
  const variable = (isOuter ? scope.outer : scope.variables).get(name);
  if (variable !== undefined) {
    const { slot, schema } = variable;
    return withFormat((frame) => frame.slots[slot] as CelValue, [], schema);
  }
  if (!TYPES.has(name)) {
    const known = [...scope.variables.keys()].join(", ");
    throw new CelUnsupported(`unknown name '${name}'; here there are ${known}`, at);
  }
  const type = new CelType(name);
  return compiled(() => type, []);
}

/**
 * Strings with a format are typed
 *
 * A string whose schema has the format `date-time` is a timestamp in rules, one with the format `duration` is a duration.
 * Kubernetes, "Validation rules"
 */
function withFormat(run: Run, parts: readonly Compiled[], schema: JsonObject | undefined): Compiled {
  const format = schema === undefined ? undefined : ownValue(schema, "format");
  const convert = format === "duration" ? parseDuration : format === "date-time" ? parseTimestamp : undefined;
  if (convert === undefined) return compiled(run, parts, schema);
  return compiled((frame) => {
    const value = run(frame);
    return typeof value === "string" ? convert(value) : value;
  }, parts);
}

function fieldSchema(schema: JsonObject | undefined, field: string): JsonObject | undefined {
  if (schema === undefined) return undefined;
  const properties = objectIn(ownValue(schema, "properties"));
  return objectIn(properties === undefined ? undefined : ownValue(properties, field)) ?? entrySchema(schema);
}

/** The key that a field stands for. */
const keyOf = (field: string, { isRule }: CelScope): string => (isRule ? unescapeField(field) : field);

export function compileSelect(node: CelNode<"select">, scope: CelScope, compile: Compile): Compiled {
  const { operand, field, isOptional, at } = node;
  const type = typeName(node, scope);
  if (type !== undefined) return compiled(() => type, []);
  const inner = compile(operand, scope);
  const { run } = inner;
  const name = keyOf(field, scope);
  if (isOptional) return compiled((frame) => selectOptional(run(frame), name, operand, at), [inner]);
  const select: Run = (frame) => {
    const value = run(frame);
    if (isMap(value)) {
      const found = ownKey(value, name);
      if (found !== undefined) return found;
    } else if (value instanceof CelOptional) return selectOptional(value, name, operand, at);
    else if (value instanceof CelKeyedMap) {
      const found = lookUp(value, name);
      if (found !== undefined) return found;
    }
    throw located(lookupError(value, operand, `.${field}`), at);
  };
  return withFormat(select, [inner], fieldSchema(inner.schema, name));
}

/** The name of a type, `google.protobuf.Duration`, is read as fields. */
function typeName(node: CelNode<"select">, { variables }: CelScope): CelType | undefined {
  if (!WELL_KNOWN.has(node.field)) return undefined;
  const path = pathOf(node);
  return TYPES.has(path) && !variables.has("google") ? new CelType(path) : undefined;
}

function selectOptional(value: CelValue, name: string, operand: CelExpression, at: number): CelOptional {
  const container = value instanceof CelOptional ? value.value : value;
  if (container === undefined) return new CelOptional(undefined);
  if (isAnyMap(container)) return new CelOptional(lookUp(container, name));
  throw located(noMember(container, operand, `.${name}`), at);
}

/** Compiles `has`: true if the key is there, whatever its value. */
export function compileHas({ operand, field, at }: CelNode<"has">, scope: CelScope, compile: Compile): Compiled {
  const inner = compile(operand, scope);
  const { run } = inner;
  const name = keyOf(field, scope);
  return compiled(
    (frame) => {
      const value = run(frame);
      if (isMap(value)) return ownKey(value, name) !== undefined;
      if (value instanceof CelKeyedMap) return lookUp(value, name) !== undefined;
      if (value instanceof CelOptional) return selectOptional(value, name, operand, at).value !== undefined;
      throw located(lookupError(value, operand, `.${field}`), at);
    },
    [inner],
  );
}

export function compileIndex(node: CelNode<"index">, scope: CelScope, compile: Compile): Compiled {
  const { operand, index, isOptional, at } = node;
  const [inner, keyPart] = [compile(operand, scope), compile(index, scope)];
  const find: Run = (frame) => {
    const value = inner.run(frame);
    const key = keyPart.run(frame);
    try {
      if (isOptional || value instanceof CelOptional) return indexOptional(value, key, operand);
      const item = itemAt(value, key);
      if (item !== undefined) return item;
      throw lookupError(value, operand, `[${formatKey(key)}]`);
    } catch (thrown) {
      throw located(thrown, at);
    }
  };
  return isOptional ? compiled(find, [inner, keyPart]) : withFormat(find, [inner, keyPart], entrySchema(inner.schema));
}

function indexOptional(value: CelValue, key: CelValue, operand: CelExpression): CelOptional {
  const container = value instanceof CelOptional ? value.value : value;
  if (container === undefined) return new CelOptional(undefined);
  if (!isList(container) && !isAnyMap(container)) throw noMember(container, operand, `[${formatKey(key)}]`);
  return new CelOptional(itemAt(container, key));
}

/** The item or member; undefined if it is not there, or if the value has none at all. */
function itemAt(container: CelValue, key: CelValue): CelValue | undefined {
  if (isMap(container) && typeof key === "string") return ownKey(container, key);
  if (isAnyMap(container) && isKeyLike(key)) return lookUp(container, key);
  if (!isList(container) && !isAnyMap(container)) return undefined;
  const index = isList(container) ? numericOf(key) : undefined;
  if (index === undefined || (typeof index === "number" && !Number.isInteger(index)))
    throw new CelError(`${typeOf(key)} cannot be the key of a ${typeOf(container)}`);
  const at = Number(index);
  return isList(container) && at >= 0 && at < container.length ? asValue(container[at]) : undefined;
}

/**
 * A key that is not in its map, an index outside its list, and anything below null are missing: nothing is there.
 * A field of a string or a number is a mistake of type, which must not pass for an absence.
 */
function lookupError(container: CelValue, operand: CelExpression, step: string): CelError {
  const path = pathOf(operand);
  if (container === null) return new CelMissing(`no such key: ${path}${step} (${path === "" ? "it" : path} is null)`);
  if (isAnyMap(container)) return new CelMissing(`no such key: ${path}${step}`);
  if (isList(container) && !step.startsWith(".")) return new CelMissing(`no such index: ${path}${step}`);
  return noMember(container, operand, step);
}

function noMember(container: CelValue, operand: CelExpression, step: string): CelError {
  return new CelError(`${pathOf(operand) || "a value"} is ${typeOf(container)} and has no ${step}`);
}
