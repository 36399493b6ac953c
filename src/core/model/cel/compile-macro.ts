/** Macros of CEL that bind variables: loops, `cel.bind`, `optMap`. */
import {
  absorbed,
  type CelScope,
  type Compiled,
  compiled,
  entrySchema,
  type Frame,
  pay,
  type Run,
  truth,
  withVariable,
} from "./frame.ts";
import { compare } from "./operators.ts";
import type { CelExpression } from "./parse-expression.ts";
import { CelError, CelOptional, CelUnsupported, type CelValue, isList, isMap, typeOf } from "./values.ts";

type Macro = Extract<CelExpression, { readonly op: "macro" }>;
type Compile = (node: CelExpression, scope: CelScope) => Compiled;

/** One turn of a loop: sets the variables, then runs a body. */
type Turn = (frame: Frame, key: CelValue, value: CelValue, body: Run) => CelValue;

export function compileMacro(node: Macro, scope: CelScope, compile: Compile): Compiled {
  const { macro, variables } = node;
  const range = compile(node.range, scope);
  const isLoop = !["bind", "optMap", "optFlatMap"].includes(macro);
  const schema = isLoop ? entrySchema(range.schema) : range.schema;
  const isKeyed = variables.length === 2;
  let inner = scope;
  variables.forEach((name, at) => {
    // The single variable of a loop over a map is its key, which has no schema.
    const own = (isKeyed ? at === 1 : true) && !(isLoop && !isKeyed && isMapSchema(range)) ? schema : undefined;
    inner = withVariable(inner, name, own);
  });
  const bodies = node.bodies.map((body) => compile(body, inner));
  if (!isLoop) return compileBinding(macro, range, scope.size, bodies[0] as Compiled);
  const cost = bodies.reduce((sum, body) => sum + body.cost, 2);
  const turn: Turn = (frame, key, value, body) => {
    pay(frame, cost);
    if (isKeyed) {
      frame.slots[scope.size] = key;
      frame.slots[scope.size + 1] = value;
    } else frame.slots[scope.size] = value;
    return body(frame);
  };
  const runs = bodies.map(({ run }) => run);
  const loop = loopOf(macro, turn, runs);
  return compiled((frame) => loop(frame, entriesOf(range.run(frame), isKeyed)), [range]);
}

const isMapSchema = ({ schema }: Compiled): boolean =>
  schema !== undefined && Object.hasOwn(schema, "additionalProperties");

interface Entries {
  readonly keys: readonly CelValue[];
  readonly values: readonly CelValue[];
  readonly isMap: boolean;
}

/** What a loop visits: with one variable the items of a list or the keys of a map, with two the indexes or keys as well. */
function entriesOf(range: CelValue, isKeyed: boolean): Entries {
  if (isList(range)) return { keys: isKeyed ? range.map((_, index) => index) : range, values: range, isMap: false };
  if (!isMap(range)) throw new CelError(`${typeOf(range)} is not a list or a map`);
  const keys = Object.keys(range).sort();
  return { keys, values: isKeyed ? keys.map((key) => range[key] as CelValue) : keys, isMap: true };
}

type Loop = (frame: Frame, entries: Entries) => CelValue;

function loopOf(macro: string, turn: Turn, [first, second]: readonly Run[]): Loop {
  const [body, then] = [first as Run, second];
  switch (macro) {
    case "all":
      return (frame, entries) => quantify(frame, entries, turn, body, false);
    case "exists":
      return (frame, entries) => quantify(frame, entries, turn, body, true);
    case "exists_one":
      return (frame, entries) => existsOne(frame, entries, turn, body);
    case "filter":
      return (frame, { keys, values }) =>
        values.filter((value, at) => truth(turn(frame, keys[at] as CelValue, value, body)));
    case "map":
    case "transformList":
      return (frame, entries) => mapped(frame, entries, turn, body, then).map(([, value]) => value);
    case "transformMap":
      return (frame, entries) => toMap(mapped(frame, entries, turn, body, then));
    case "transformMapEntry":
      return (frame, entries) => mergeEntries(mapped(frame, entries, turn, body, then));
    case "sortBy":
      return (frame, { keys, values }) =>
        values
          .map((value, at) => [turn(frame, keys[at] as CelValue, value, body), value] as const)
          .sort(([a], [b]) => compare(a, b))
          .map(([, value]) => value);
    default:
      throw new CelUnsupported(`unknown macro ${macro}`);
  }
}

/** `all` and `exists`: one item can decide, also if others are errors. */
function quantify(frame: Frame, { keys, values }: Entries, turn: Turn, body: Run, decisive: boolean): boolean {
  let error: CelError | undefined;
  for (let at = 0; at < values.length; at++) {
    try {
      if (truth(turn(frame, keys[at] as CelValue, values[at] as CelValue, body)) === decisive) return decisive;
    } catch (thrown) {
      error = absorbed(thrown, frame);
    }
  }
  if (error !== undefined) throw error;
  return !decisive;
}

function existsOne(frame: Frame, { keys, values }: Entries, turn: Turn, body: Run): boolean {
  let count = 0;
  for (let at = 0; at < values.length; at++)
    if (truth(turn(frame, keys[at] as CelValue, values[at] as CelValue, body))) count++;
  return count === 1;
}

/** Keys and new values. With two bodies the first one is a condition. */
function mapped(
  frame: Frame,
  { keys, values }: Entries,
  turn: Turn,
  body: Run,
  then: Run | undefined,
): readonly (readonly [CelValue, CelValue])[] {
  const result: (readonly [CelValue, CelValue])[] = [];
  values.forEach((value, at) => {
    const key = keys[at] as CelValue;
    if (then === undefined) result.push([key, turn(frame, key, value, body)]);
    else if (truth(turn(frame, key, value, body))) result.push([key, then(frame)]);
  });
  return result;
}

function toMap(entries: readonly (readonly [CelValue, CelValue])[]): CelValue {
  const map = Object.create(null) as Record<string, CelValue>;
  for (const [key, value] of entries) {
    if (typeof key !== "string") throw new CelUnsupported("maps with keys that are not strings are not supported");
    map[key] = value;
  }
  return map;
}

function mergeEntries(entries: readonly (readonly [CelValue, CelValue])[]): CelValue {
  const all = entries.flatMap(([, value]) => {
    if (!isMap(value)) throw new CelError(`${typeOf(value)} where a map is needed`);
    return Object.entries(value);
  });
  if (new Set(all.map(([key]) => key)).size < all.length) throw new CelError("duplicate key in a map");
  return toMap(all);
}

/** `cel.bind`, and `optMap` and `optFlatMap`, which do nothing on an optional without a value. */
function compileBinding(macro: string, value: Compiled, slot: number, body: Compiled): Compiled {
  const run: Run = (frame) => {
    const bound = value.run(frame);
    if (macro === "bind") {
      frame.slots[slot] = bound;
      return body.run(frame);
    }
    if (!(bound instanceof CelOptional)) throw new CelError(`no such overload: ${typeOf(bound)}.${macro}()`);
    if (bound.value === undefined) return bound;
    frame.slots[slot] = bound.value;
    const result = body.run(frame);
    return macro === "optMap" ? new CelOptional(result) : result;
  };
  return compiled(run, [value, body], macro === "bind" ? body.schema : undefined);
}
