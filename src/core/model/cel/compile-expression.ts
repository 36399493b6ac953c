import { compileHas, compileIndex, compileName, compileSelect } from "./compile-lookup.ts";
import { compileMacro } from "./compile-macro.ts";
import { compileOperator } from "./compile-operator.ts";
import { type CelScope, type Compiled, compiled, pay, type Run } from "./frame.ts";
import { findFunction } from "./library/functions.ts";
import { mapOf } from "./maps.ts";
import type { CelExpression, CelNode } from "./syntax-tree.ts";
import {
  CelBytes,
  CelError,
  CelOptional,
  CelOverload,
  CelUnsupported,
  type CelValue,
  located,
  typeOf,
} from "./values.ts";

/** Compiles a syntax tree to a function. Throws CelUnsupported for an unknown name or function. */
export function compileExpression(node: CelExpression, scope: CelScope): Compiled {
  switch (node.op) {
    case "literal": {
      const { value } = node;
      return compiled(() => value, []);
    }
    case "name":
      return compileName(node, scope);
    case "select":
      return compileSelect(node, scope, compileExpression);
    case "has":
      return compileHas(node, scope, compileExpression);
    case "index":
      return compileIndex(node, scope, compileExpression);
    case "call":
      return compileCall(node, scope);
    case "operator":
      return compileOperator(node, scope, compileExpression);
    case "list":
      return compileList(node, scope);
    case "map":
      return compileMap(node, scope);
    case "macro":
      return compileMacro(node, scope, compileExpression);
  }
}

/** The value that an element with a question mark adds: undefined if the optional has no value. */
function optionalElement(value: CelValue, at: number): CelValue | undefined {
  if (value instanceof CelOptional) return value.value;
  throw located(new CelError(`an optional is needed after '?', not ${typeOf(value)}`), at);
}

function compileList({ items, at }: CelNode<"list">, scope: CelScope): Compiled {
  const literals = items.flatMap(({ value, isOptional }) =>
    value.op === "literal" && !isOptional ? [value.value] : [],
  );
  const parts = items.map(({ value, isOptional }) => ({ ...compileExpression(value, scope), isOptional }));
  // Values never change, so a list of literals is made once.
  if (literals.length === items.length) return compiled(() => literals, parts);
  return compiled((frame) => {
    const list: CelValue[] = [];
    for (const { run, isOptional } of parts) {
      const value = isOptional ? optionalElement(run(frame), at) : run(frame);
      if (value !== undefined) list.push(value);
    }
    return list;
  }, parts);
}

function compileMap({ entries, at }: CelNode<"map">, scope: CelScope): Compiled {
  const parts = entries.map(({ key, value, isOptional }) => ({
    key: compileExpression(key, scope),
    value: compileExpression(value, scope),
    isOptional,
  }));
  const run: Run = (frame) => {
    const names = parts.map(({ key }) => key.run(frame));
    const members: (readonly [CelValue, CelValue])[] = [];
    for (const [index, { value, isOptional }] of parts.entries()) {
      const name = names[index] as CelValue;
      const member = isOptional ? optionalElement(value.run(frame), at) : value.run(frame);
      if (member !== undefined) members.push([name, member]);
    }
    try {
      return mapOf(members);
    } catch (thrown) {
      throw located(thrown, at);
    }
  };
  return compiled(
    run,
    parts.flatMap(({ key, value }) => [key, value]),
  );
}

/** Characters of arguments that a function may read for one unit of cost, as a power of 2. */
const CHARACTERS_SHIFT = 4;

function compileCall({ name, target, args, at }: CelNode<"call">, scope: CelScope): Compiled {
  const qualified = target === undefined ? undefined : qualifiedName(target, scope);
  const library = qualified === undefined ? undefined : findFunction(`${qualified}.${name}`, args.length);
  const asFunction = target === undefined ? findFunction(name, args.length) : library;
  const found = asFunction ?? (target === undefined ? undefined : findFunction(`.${name}`, args.length));
  const argParts = args.map((arg) => compileExpression(arg, scope));
  if (found === undefined)
    throw new CelUnsupported(
      `no function '${name}' that takes ${args.length} argument${args.length === 1 ? "" : "s"}`,
      at,
    );
  const isMethod = asFunction === undefined && target !== undefined;
  const parts = isMethod ? [compileExpression(target, scope), ...argParts] : argParts;
  const runs = parts.map(({ run }) => run);
  return compiled((frame) => {
    const values: CelValue[] = [];
    for (let i = 0; i < runs.length; i++) values.push((runs[i] as Run)(frame));
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (typeof value === "string") pay(frame, value.length >> CHARACTERS_SHIFT);
      else if (Array.isArray(value)) pay(frame, value.length >> 1);
      else if (value instanceof CelBytes) pay(frame, value.bytes.length >> 3);
    }
    try {
      return found(values, frame);
    } catch (thrown) {
      throw located(thrown instanceof CelOverload ? overloadOf(name, values, isMethod) : thrown, at);
    }
  }, parts);
}

/** `string.contains(int)`, `size(int)`: the call with types for values. */
function overloadOf(name: string, values: readonly CelValue[], isMethod: boolean): CelError {
  const types = values.map(typeOf);
  const target = isMethod ? `${types.shift()}.` : "";
  return new CelError(`no such overload: ${target}${name}(${types.join(", ")})`);
}

/** `format` of `format.dns1123Label()`: a name that is not a variable. */
function qualifiedName(target: CelExpression, scope: CelScope): string | undefined {
  if (target.op === "name") return scope.variables.has(target.name) ? undefined : target.name;
  if (target.op !== "select" || target.isOptional) return undefined;
  const outer = qualifiedName(target.operand, scope);
  return outer === undefined ? undefined : `${outer}.${target.field}`;
}
