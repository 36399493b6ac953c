/** Macros of CEL that bind variables: loops, `cel.bind`, `optMap`. */
import {
  absorbed,
  type CelScope,
  type Compile,
  type Compiled,
  compiled,
  entrySchema,
  type Frame,
  pay,
  type Run,
  truth,
  withVariable,
} from "./frame.ts";
import { compareItems, payForSorting } from "./library/lists.ts";
import { entriesOf, isAnyMap, keysOf, lookUp, mapOf } from "./maps.ts";
import type { CelExpression, CelNode } from "./syntax-tree.ts";
import { asValue, CelError, CelOptional, CelUnsupported, type CelValue, isList, located, typeOf } from "./values.ts";

/** One turn of a loop: sets the variables, then runs a body. */
type Turn = (frame: Frame, key: CelValue, value: CelValue, body: Run) => CelValue;

/** The cost of one turn beside its body. */
const TURN_COST = 3;

export function compileMacro(node: CelNode<"macro">, scope: CelScope, compile: Compile): Compiled {
  const { macro, variables, at } = node;
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
  if (!isLoop) return compileBinding(node, range, scope.size, bodies[0] as Compiled);
  const cost = bodies.reduce((sum, body) => sum + body.cost, TURN_COST);
  const turn: Turn = (frame, key, value, body) => {
    pay(frame, cost);
    if (isKeyed) {
      frame.slots[scope.size] = key;
      frame.slots[scope.size + 1] = asValue(value);
    } else frame.slots[scope.size] = asValue(value);
    return body(frame);
  };
  const loop = loopOf(macro, turn, bodies, (node.bodies[0] as CelExpression).at);
  return compiled(
    (frame) => {
      const visited = range.run(frame);
      try {
        return loop(frame, visitedEntries(visited, isKeyed, frame));
      } catch (thrown) {
        throw located(thrown, at);
      }
    },
    [range],
  );
}

const isMapSchema = ({ schema }: Compiled): boolean =>
  schema !== undefined && Object.hasOwn(schema, "additionalProperties");

interface Entries {
  /** Undefined for a list: its keys are the indexes. */
  readonly keys: readonly CelValue[] | undefined;
  readonly values: readonly CelValue[];
}

const keyAt = ({ keys }: Entries, at: number): CelValue => (keys === undefined ? at : (keys[at] as CelValue));

/** The entries that a loop visits: with one variable the items of a list or the keys of a map, with two the indexes or keys as well. */
function visitedEntries(range: CelValue, isKeyed: boolean, frame: Frame): Entries {
  if (isList(range)) return { keys: undefined, values: range };
  if (!isAnyMap(range)) throw new CelError(`cannot iterate over ${typeOf(range)}`);
  const keys = keysOf(range);
  pay(frame, keys.length >> 1);
  return { keys, values: isKeyed ? keys.map((key) => lookUp(range, key) as CelValue) : keys };
}

type Loop = (frame: Frame, entries: Entries) => CelValue;

/** `at`: the offset of the first body, which is a condition in most loops. */
function loopOf(macro: string, turn: Turn, bodies: readonly Compiled[], at: number): Loop {
  const [body, then] = bodies.map(({ run }) => run) as [Run, Run | undefined];
  const isTrue = (frame: Frame, entries: Entries, index: number): boolean =>
    truth(turn(frame, keyAt(entries, index), entries.values[index] as CelValue, body), at);
  switch (macro) {
    case "all":
      return (frame, entries) => quantify(frame, entries, isTrue, false);
    case "exists":
      return (frame, entries) => quantify(frame, entries, isTrue, true);
    case "exists_one":
      return (frame, entries) => existsOne(frame, entries, isTrue);
    case "filter":
      return (frame, entries) => entries.values.filter((_, index) => isTrue(frame, entries, index));
    case "map":
    case "transformList":
      return (frame, entries) => mapped(frame, entries, turn, body, then, isTrue).map(([, value]) => value);
    case "transformMap":
      return (frame, entries) => mapOf(mapped(frame, entries, turn, body, then, isTrue));
    case "transformMapEntry":
      return (frame, entries) => mergeEntries(mapped(frame, entries, turn, body, then, isTrue), frame);
    case "sortBy":
      return (frame, entries) => sortBy(frame, entries, turn, body);
    default:
      throw new CelUnsupported(`unknown macro ${macro}`, at);
  }
}

type ItemCondition = (frame: Frame, entries: Entries, index: number) => boolean;

/** `all` and `exists`: one item can decide, also if others are errors. If none does, the first error is the result. */
function quantify(frame: Frame, entries: Entries, isTrue: ItemCondition, decisive: boolean): boolean {
  let error: CelError | undefined;
  for (let at = 0; at < entries.values.length; at++) {
    try {
      if (isTrue(frame, entries, at) === decisive) return decisive;
    } catch (thrown) {
      const other = absorbed(thrown, frame);
      error ??= other;
    }
  }
  if (error !== undefined) throw error;
  return !decisive;
}

function existsOne(frame: Frame, entries: Entries, isTrue: ItemCondition): boolean {
  let count = 0;
  for (let at = 0; at < entries.values.length; at++) if (isTrue(frame, entries, at)) count++;
  return count === 1;
}

function sortBy(frame: Frame, entries: Entries, turn: Turn, body: Run): CelValue {
  const keyed = entries.values.map((value, at) => [turn(frame, keyAt(entries, at), value, body), value] as const);
  payForSorting(
    keyed.map(([key]) => key),
    frame,
  );
  return keyed.sort(([a], [b]) => compareItems(a, b, "sortBy")).map(([, value]) => value);
}

/** Keys and new values. With two bodies the first one is a condition. */
function mapped(
  frame: Frame,
  entries: Entries,
  turn: Turn,
  body: Run,
  then: Run | undefined,
  isTrue: ItemCondition,
): readonly (readonly [CelValue, CelValue])[] {
  const result: (readonly [CelValue, CelValue])[] = [];
  entries.values.forEach((value, at) => {
    const key = keyAt(entries, at);
    if (then === undefined) result.push([key, turn(frame, key, value, body)]);
    else if (isTrue(frame, entries, at)) result.push([key, then(frame)]);
  });
  return result;
}

function mergeEntries(entries: readonly (readonly [CelValue, CelValue])[], frame: Frame): CelValue {
  return mapOf(
    entries.flatMap(([, value]) => {
      if (!isAnyMap(value)) throw new CelError(`a map is needed here, not ${typeOf(value)}`);
      const members = entriesOf(value);
      pay(frame, members.length);
      return members;
    }),
  );
}

/** `cel.bind`, and `optMap` and `optFlatMap`, which do nothing on an optional without a value. */
function compileBinding({ macro, at }: CelNode<"macro">, value: Compiled, slot: number, body: Compiled): Compiled {
  const run: Run = (frame) => {
    const bound = value.run(frame);
    if (macro === "bind") {
      frame.slots[slot] = bound;
      return body.run(frame);
    }
    if (!(bound instanceof CelOptional))
      throw located(new CelError(`no such overload: ${typeOf(bound)}.${macro}()`), at);
    if (bound.value === undefined) return bound;
    frame.slots[slot] = bound.value;
    const result = body.run(frame);
    return macro === "optMap" ? new CelOptional(result) : result;
  };
  return compiled(run, [value, body], macro === "bind" ? body.schema : undefined);
}
