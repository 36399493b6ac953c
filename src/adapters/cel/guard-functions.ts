import {
  type CelFunc,
  type CelList,
  CelScalar,
  type CelUint,
  type CelValue,
  celEnv,
  celFunc,
  celList,
  celMap,
  celMethod,
  celType,
  isCelError,
  isCelList,
  isCelMap,
  isCelUint,
  listType,
} from "./cel-library.ts";
import type { EvaluationTrace } from "./create-evaluation-trace.ts";
import type { ReplaceFunction } from "./replace-functions.ts";

/** Functions that an instrumented expression calls in place of CEL's own constructs. No expression can name one itself: neither `#` nor `@` is CEL. */
export const guard = {
  append: "#append",
  bool: "#bool",
  has: "#has",
  index: "#index",
  list: "#list",
  map: "#map",
  range: "#range",
  select: "#select",
  tick: "#tick",
} as const;

/** A standard function `f` is called as `@f` once guarded. */
export const guardedName = (name: string): string => `@${name}`;

/** How a function is called; overloads by type do not matter here. */
export const callShape = (name: string, arity: number, style: "function" | "method"): string =>
  `${style} ${name}/${arity}`;

const standard = celEnv().funcs;
const { DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);

/** The shapes in which CEL's standard functions may be called. */
export const standardShapes: ReadonlySet<string> = new Set([
  ...[...standard].map((func) =>
    callShape(func.name, func.arguments.length, func.target === undefined ? "function" : "method"),
  ),
  callShape("matches", 2, "function"),
]);

/** Characters that a function may read or write for one unit of cost. */
const CHARACTERS_PER_UNIT = 64;

/** The functions of an instrumented expression: CEL's standard ones, counted and with their errors noted, and the guards. */
export function guardFunctions(trace: EvaluationTrace, replace: ReplaceFunction): CelFunc[] {
  return [...standardShapes]
    .map((shape) => guardStandard(shape, trace, replace))
    .concat(lookupGuards(trace), loopGuards(trace));
}

function guardStandard(shape: string, trace: EvaluationTrace, replace: ReplaceFunction): CelFunc {
  const [style = "", rest = ""] = shape.split(" ");
  const slash = rest.lastIndexOf("/");
  const name = rest.slice(0, slash);
  const types = Array.from({ length: Number(rest.slice(slash + 1)) }, () => DYN);
  const group = standard.find(name);

  const call = (target: CelValue | undefined, args: CelValue[]): CelValue => {
    const operands = target === undefined ? args : [target, ...args];
    trace.charge(operands.reduce<number>((sum, operand) => sum + textLength(operand), 0) / CHARACTERS_PER_UNIT);
    const replaced = replace(name, operands);
    if (replaced !== undefined) return replaced;
    const result = group?.call(0, target, args);
    if (result === undefined) throw trace.failure(`no such overload: ${formatCall(name, target, args)}`);
    if (isCelError(result)) throw trace.failure(result.message);
    return result;
  };
  return style === "method"
    ? celMethod(guardedName(name), DYN, types, DYN, function (...args: CelValue[]) {
        return call(this, args);
      })
    : celFunc(guardedName(name), types, DYN, (...args: CelValue[]) => call(undefined, args));
}

function lookupGuards(trace: EvaluationTrace): CelFunc[] {
  return [
    celFunc(guard.select, [DYN, STRING, STRING], DYN, (container, field, path) => {
      const value = isCelMap(container) ? container.get(field) : undefined;
      if (value !== undefined) return value;
      throw lookupError(trace, container, path, `.${field}`);
    }),
    // CEL: whether the key is there, whatever its value. The library reports a key with the value null as absent.
    celFunc(guard.has, [DYN, STRING, STRING], DYN, (container, field, path) => {
      if (isCelMap(container)) return container.get(field) !== undefined;
      throw lookupError(trace, container, path, `.${field}`);
    }),
    celFunc(guard.index, [DYN, DYN, STRING], DYN, (container, key, path) => {
      const value = findElement(container, key, trace);
      if (value !== undefined) return value;
      throw lookupError(trace, container, path, `[${formatKey(key)}]`);
    }),
    celFunc(guard.bool, [DYN], DYN, (value) => {
      if (typeof value === "boolean") return value;
      throw trace.failure(`a bool is needed here, not ${celType(value).name}`);
    }),
    celFunc(guard.map, [LIST, LIST], DYN, (keys, values) => {
      const entries = new Map<MapKey, CelValue>();
      const seen = new Set<CelValue>();
      for (const [at, key] of [...keys].entries()) {
        if (!isMapKey(key)) throw trace.failure(`${celType(key).name} cannot be the key of a map`);
        // 1 and 1u are one key.
        const identity = isCelUint(key) ? key.value : key;
        if (seen.has(identity)) throw trace.failure(`the map has the key ${formatKey(key)} twice`);
        seen.add(identity);
        entries.set(key, values.get(at) ?? null);
      }
      return celMap(entries);
    }),
  ];
}

function loopGuards(trace: EvaluationTrace): CelFunc[] {
  const growing = new WeakMap<CelList, CelValue[]>();
  return [
    // Copying what is iterated over is cheap, but not free. Once nothing is left, loops do not even begin.
    celFunc(guard.range, [DYN], DYN, (range) => {
      if (!isCelList(range) && !isCelMap(range)) throw trace.failure(`cannot iterate over ${celType(range).name}`);
      return trace.spend(1 + range.size / 16) ? range : celList([]);
    }),
    celFunc(guard.tick, [INT], DYN, (units) => trace.spend(Number(units))),
    // CEL's `map` and `filter` build their list by concatenation, which takes quadratic time. Nothing but the loop
    // itself can see the list before it is complete, so it may as well grow in place.
    celFunc(guard.list, [], DYN, () => {
      const items: CelValue[] = [];
      const list = celList(items);
      growing.set(list, items);
      return list;
    }),
    celFunc(guard.append, [LIST, DYN], DYN, (list, item) => {
      growing.get(list)?.push(item);
      return list;
    }),
  ];
}

type MapKey = string | bigint | boolean | CelUint;

function isMapKey(value: CelValue): value is MapKey {
  return typeof value === "string" || typeof value === "bigint" || typeof value === "boolean" || isCelUint(value);
}

function findElement(container: CelValue, key: CelValue, trace: EvaluationTrace): CelValue | undefined {
  const plain = isCelUint(key) ? key.value : key;
  if (isCelList(container)) {
    if (typeof plain === "bigint") return container.get(Number(plain));
    if (typeof plain === "number" && Number.isInteger(plain)) return container.get(plain);
  } else if (isCelMap(container)) {
    if (typeof plain === "string" || typeof plain === "boolean") return container.get(plain);
    // For a number the library compares every key of the map.
    trace.charge(container.size / 16);
    if (typeof plain === "bigint" || typeof plain === "number") return container.get(plain);
  } else {
    return undefined;
  }
  throw trace.failure(`${celType(key).name} cannot be the key of a ${celType(container).name}`);
}

/**
 * A key that is not in its map, an index outside its list, and anything below null are missing: nothing is there.
 * A field of a string or a number is a mistake of type, which must not pass for an absence.
 */
function lookupError(trace: EvaluationTrace, container: CelValue, path: string, step: string): Error {
  if (container === null) return trace.missing(`no such key: ${path}${step} (${path === "" ? "it" : path} is null)`);
  if (isCelMap(container) || isCelList(container)) {
    const mistaken = isCelList(container) && step.startsWith(".");
    if (!mistaken) return trace.missing(`no such ${isCelMap(container) ? "key" : "index"}: ${path}${step}`);
  }
  return trace.failure(`${path === "" ? "a value" : path} is ${celType(container).name} and has no ${step}`);
}

function formatKey(key: CelValue): string {
  if (typeof key === "string") return JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
  if (isCelUint(key)) return `${key.value}u`;
  return typeof key === "bigint" || typeof key === "number" || typeof key === "boolean" ? `${key}` : celType(key).name;
}

/** `int + string`, `string.contains(int)`, `size(int)`: an expression with types for values. */
function formatCall(name: string, target: CelValue | undefined, args: readonly CelValue[]): string {
  const types = args.map((arg) => celType(arg).name);
  const operator = /^(?:_(?<infix>[^_]+)_|@(?<word>in)|(?<prefix>[!-])_)$/.exec(name)?.groups ?? {};
  const infix = operator["infix"] ?? operator["word"];
  if (infix !== undefined) return types.join(` ${infix} `);
  if (operator["prefix"] !== undefined) return operator["prefix"] + types.join("");
  return `${target === undefined ? "" : `${celType(target).name}.`}${name}(${types.join(", ")})`;
}

function textLength(value: CelValue): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
}
