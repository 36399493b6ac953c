import { type JsonObject, ownValue } from "../json.ts";
import { compileMacro } from "./compile-macro.ts";
import {
  absorbed,
  type CelScope,
  type Compiled,
  compiled,
  entrySchema,
  type Frame,
  objectIn,
  pay,
  type Run,
  truth,
} from "./frame.ts";
import { findFunction } from "./library/functions.ts";
import { parseDuration, parseTimestamp } from "./library/time.ts";
import { add, compare, divide, isIn, modulo, multiply, negate, overload, subtract } from "./operators.ts";
import type { CelExpression } from "./parse-expression.ts";
import {
  CelError,
  CelOptional,
  CelType,
  CelUnsupported,
  type CelValue,
  isEqual,
  isList,
  isMap,
  numberOf,
  ownKey,
  sizeOf,
  typeOf,
  unescapeField,
} from "./values.ts";

/** Compiles a syntax tree to a function. Throws CelUnsupported for an unknown name or function. */
export function compileExpression(node: CelExpression, scope: CelScope): Compiled {
  switch (node.op) {
    case "literal": {
      const { value } = node;
      return compiled(() => value, []);
    }
    case "name":
      return compileName(node.name, scope);
    case "select":
      return compileSelect(node, scope);
    case "has":
      return compileHas(node, scope);
    case "index":
      return compileIndex(node, scope);
    case "call":
      return compileCall(node, scope);
    case "operator":
      return compileOperator(node, scope);
    case "list":
      return compileList(node, scope);
    case "map":
      return compileMap(node, scope);
    case "macro":
      return compileMacro(node, scope, compileExpression);
  }
}

type Node<Op extends CelExpression["op"]> = Extract<CelExpression, { readonly op: Op }>;

const TYPES: ReadonlySet<string> = new Set("int uint double bool string bytes list map null_type type".split(" "));

function compileName(name: string, { variables }: CelScope): Compiled {
  const variable = variables.get(name);
  if (variable !== undefined) {
    const { slot, schema } = variable;
    return withFormat((frame) => frame.slots[slot] as CelValue, [], schema);
  }
  if (!TYPES.has(name)) throw new CelUnsupported(`unknown name '${name}'`);
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

function compileSelect({ operand, field, isOptional }: Node<"select">, scope: CelScope): Compiled {
  const inner = compileExpression(operand, scope);
  const { run } = inner;
  const name = unescapeField(field);
  if (isOptional) return compiled((frame) => selectOptional(run(frame), name), [inner]);
  const select: Run = (frame) => {
    const value = run(frame);
    if (!isMap(value)) {
      if (value instanceof CelOptional) return selectOptional(value, name);
      throw new CelError(`no such field '${field}' in ${typeOf(value)}`);
    }
    const found = ownKey(value, name);
    if (found === undefined) throw new CelError(`no such key: ${field}`);
    return found;
  };
  return withFormat(select, [inner], fieldSchema(inner.schema, name));
}

function selectOptional(value: CelValue, name: string): CelOptional {
  const container = value instanceof CelOptional ? value.value : value;
  if (container === undefined) return new CelOptional(undefined);
  if (!isMap(container)) throw new CelError(`no such field '${name}' in ${typeOf(container)}`);
  return new CelOptional(ownKey(container, name));
}

function compileHas({ operand, field }: Node<"has">, scope: CelScope): Compiled {
  const inner = compileExpression(operand, scope);
  const { run } = inner;
  const name = unescapeField(field);
  return compiled(
    (frame) => {
      const value = run(frame);
      if (isMap(value)) return ownKey(value, name) !== undefined;
      if (value instanceof CelOptional) return selectOptional(value, name).value !== undefined;
      throw new CelError(`no such field '${field}' in ${typeOf(value)}`);
    },
    [inner],
  );
}

function compileIndex({ operand, index, isOptional }: Node<"index">, scope: CelScope): Compiled {
  const [inner, at] = [compileExpression(operand, scope), compileExpression(index, scope)];
  const find: Run = (frame) => {
    const value = inner.run(frame);
    const key = at.run(frame);
    if (isOptional || value instanceof CelOptional) {
      const container = value instanceof CelOptional ? value.value : value;
      return new CelOptional(container === undefined ? undefined : itemAt(container, key));
    }
    const item = itemAt(value, key);
    if (item === undefined)
      throw new CelError(
        `no such ${isList(value) ? "index" : "key"}: ${typeof key === "string" ? key : (numberOf(key) ?? typeOf(key))}`,
      );
    return item;
  };
  return isOptional ? compiled(find, [inner, at]) : withFormat(find, [inner, at], entrySchema(inner.schema));
}

function itemAt(container: CelValue, key: CelValue): CelValue | undefined {
  if (isList(container)) {
    const index = numberOf(key);
    if (index === undefined) throw overload("[]", container, key);
    return container[index];
  }
  if (!isMap(container)) throw overload("[]", container, key);
  return typeof key === "string" ? ownKey(container, key) : undefined;
}

function compileList({ items }: Node<"list">, scope: CelScope): Compiled {
  const parts = items.map(({ value, isOptional }) => ({ ...compileExpression(value, scope), isOptional }));
  return compiled((frame) => {
    const list: CelValue[] = [];
    for (const { run, isOptional } of parts) {
      const value = run(frame);
      if (!isOptional) list.push(value);
      else if (!(value instanceof CelOptional)) throw overload("?", value);
      else if (value.value !== undefined) list.push(value.value);
    }
    return list;
  }, parts);
}

function compileMap({ entries }: Node<"map">, scope: CelScope): Compiled {
  const parts = entries.map(({ key, value, isOptional }) => ({
    key: compileExpression(key, scope),
    value: compileExpression(value, scope),
    isOptional,
  }));
  const run: Run = (frame) => {
    const map: { [key: string]: CelValue } = Object.create(null) as Record<string, CelValue>;
    for (const { key, value, isOptional } of parts) {
      const name = key.run(frame);
      if (typeof name !== "string") throw new CelUnsupported("maps with keys that are not strings are not supported");
      if (Object.hasOwn(map, name)) throw new CelError(`duplicate key in a map: ${name}`);
      const entry = value.run(frame);
      if (!isOptional) map[name] = entry;
      else if (!(entry instanceof CelOptional)) throw overload("?", entry);
      else if (entry.value !== undefined) map[name] = entry.value;
    }
    return map;
  };
  return compiled(
    run,
    parts.flatMap(({ key, value }) => [key, value]),
  );
}

function compileCall({ name, target, args }: Node<"call">, scope: CelScope): Compiled {
  const qualified = target === undefined ? undefined : qualifiedName(target, scope);
  const library = qualified === undefined ? undefined : findFunction(`${qualified}.${name}`, args.length);
  const asFunction = target === undefined ? findFunction(name, args.length) : library;
  const found = asFunction ?? (target === undefined ? undefined : findFunction(`.${name}`, args.length));
  if (found === undefined)
    throw new CelUnsupported(
      `unknown function ${qualified === undefined ? "" : `${qualified}.`}${name}() with ${args.length} argument${args.length === 1 ? "" : "s"}`,
    );
  const given = asFunction === undefined && target !== undefined ? [target, ...args] : args;
  const parts = given.map((arg) => compileExpression(arg, scope));
  const runs = parts.map(({ run }) => run);
  return compiled((frame) => {
    const values: CelValue[] = [];
    for (let i = 0; i < runs.length; i++) values.push((runs[i] as Run)(frame));
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (typeof value === "string") pay(frame, value.length >> 3);
      else if (Array.isArray(value)) pay(frame, value.length);
    }
    return found(values, frame);
  }, parts);
}

/** `format` of `format.dns1123Label()`: a name that is not a variable. */
function qualifiedName(target: CelExpression, { variables }: CelScope): string | undefined {
  if (target.op === "name") return variables.has(target.name) ? undefined : target.name;
  if (target.op !== "select" || target.isOptional) return undefined;
  const outer = qualifiedName(target.operand, { variables, size: 0 });
  return outer === undefined ? undefined : `${outer}.${target.field}`;
}

const BINARY: Readonly<Record<string, (a: CelValue, b: CelValue) => CelValue>> = {
  "==": isEqual,
  "!=": (a, b) => !isEqual(a, b),
  "<": (a, b) => compare(a, b) < 0,
  "<=": (a, b) => compare(a, b) <= 0,
  ">": (a, b) => compare(a, b) > 0,
  ">=": (a, b) => compare(a, b) >= 0,
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": modulo,
  in: isIn,
};

function compileOperator({ sign, args }: Node<"operator">, scope: CelScope): Compiled {
  const parts = args.map((arg) => compileExpression(arg, scope));
  const [first, second, third] = parts.map(({ run }) => run) as [Run, Run, Run];
  switch (sign) {
    case "&&":
      return compiled((frame) => logical(first, second, frame, false), parts);
    case "||":
      return compiled((frame) => logical(first, second, frame, true), parts);
    case "?:":
      return compiled((frame) => (truth(first(frame)) ? second(frame) : third(frame)), parts);
    case "!":
      return compiled((frame) => !truth(first(frame)), parts);
    case "negate":
      return compiled((frame) => negate(first(frame)), parts);
  }
  const compute = BINARY[sign] as (a: CelValue, b: CelValue) => CelValue;
  return compiled((frame) => {
    const a = first(frame);
    const b = second(frame);
    if (typeof a === "object" && a !== null && typeof b === "object" && b !== null) {
      pay(frame, sizeOf(a, frame.left));
      pay(frame, sizeOf(b, frame.left));
    } else if (isList(b)) pay(frame, b.length);
    else if (typeof b === "string") pay(frame, b.length >> 3);
    return compute(a, b);
  }, parts);
}

/** `&&` and `||`: either side alone can decide, also if the other side is an error. */
function logical(first: Run, second: Run, frame: Frame, decisive: boolean): boolean {
  let error: CelError | undefined;
  try {
    if (truth(first(frame)) === decisive) return decisive;
  } catch (thrown) {
    error = absorbed(thrown, frame);
  }
  if (truth(second(frame)) === decisive) return decisive;
  if (error !== undefined) throw error;
  return !decisive;
}
