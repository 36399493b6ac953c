/** Kubernetes' list library, cel-go's lists and sets extensions. */
import { add, compare } from "../operators.ts";
import { CelError, CelType, type CelValue, isEqual, isList, typeOf } from "../values.ts";
import { type FunctionTable, intArg, listArg, textArg } from "./arguments.ts";
import { textIndex } from "./strings.ts";

function extreme(value: CelValue | undefined, sign: 1 | -1): CelValue {
  const items = listArg(value);
  const [first] = items;
  if (first === undefined) throw new CelError("min and max need a list with items");
  return items.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best), first);
}

function isSorted(items: readonly CelValue[]): boolean {
  return items.every((item, at) => at === 0 || compare(items[at - 1] as CelValue, item) <= 0);
}

function sum(items: readonly CelValue[]): CelValue {
  const [first, ...rest] = items;
  return first === undefined ? 0 : rest.reduce((total, item) => add(total, item), first);
}

function indexOf(
  value: CelValue | undefined,
  item: CelValue | undefined,
  from: CelValue | undefined,
  isLast: boolean,
): number {
  if (typeof value === "string")
    return textIndex(value, textArg(item), from === undefined ? undefined : intArg(from), isLast);
  const isItem = (one: CelValue): boolean => isEqual(one, item as CelValue);
  return isLast ? listArg(value).findLastIndex(isItem) : listArg(value).findIndex(isItem);
}

function slice(items: readonly CelValue[], from: number, to: number): readonly CelValue[] {
  if (from < 0 || from > to || to > items.length)
    throw new CelError(`cannot slice(${from}, ${to}) a list of ${items.length}`);
  return items.slice(from, to);
}

function flatten(items: readonly CelValue[], depth: number): readonly CelValue[] {
  if (depth < 0) throw new CelError("the depth of flatten() is negative");
  return items.flatMap((item) => (isList(item) && depth > 0 ? flatten(item, depth - 1) : [item]));
}

const has = (items: readonly CelValue[], item: CelValue): boolean => items.some((one) => isEqual(one, item));
const hasAll = (items: readonly CelValue[], others: readonly CelValue[]): boolean =>
  others.every((one) => has(items, one));
const distinct = (items: readonly CelValue[]): readonly CelValue[] =>
  items.filter((item, at) => !has(items.slice(0, at), item));

/** Functions that compare every item of a list with every item of another pay for it. */
const product = (a: CelValue | undefined, b: CelValue | undefined): number => listArg(a).length * listArg(b).length;

export const listFunctions: FunctionTable = {
  ".isSorted/0": ([items]) => isSorted(listArg(items)),
  ".sum/0": ([items]) => sum(listArg(items)),
  ".min/0": ([items]) => extreme(items, -1),
  ".max/0": ([items]) => extreme(items, 1),
  ".indexOf/1": ([value, item]) => indexOf(value, item, undefined, false),
  ".indexOf/2": ([value, item, from]) => indexOf(value, item, from, false),
  ".lastIndexOf/1": ([value, item]) => indexOf(value, item, undefined, true),
  ".lastIndexOf/2": ([value, item, from]) => indexOf(value, item, from, true),
  ".slice/2": ([items, from, to]) => slice(listArg(items), intArg(from), intArg(to)),
  ".flatten/0": ([items]) => flatten(listArg(items), 1),
  ".flatten/1": ([items, depth]) => flatten(listArg(items), intArg(depth)),
  ".sort/0": ([items]) => [...listArg(items)].sort(compare),
  ".distinct/0": ([items], frame) => {
    frame.left -= product(items, items);
    return distinct(listArg(items));
  },
  "sets.contains/2": ([a, b], frame) => {
    frame.left -= product(a, b);
    return hasAll(listArg(a), listArg(b));
  },
  "sets.equivalent/2": ([a, b], frame) => {
    frame.left -= 2 * product(a, b);
    return hasAll(listArg(a), listArg(b)) && hasAll(listArg(b), listArg(a));
  },
  "sets.intersects/2": ([a, b], frame) => {
    frame.left -= product(a, b);
    const [items, others] = [listArg(a), listArg(b)];
    return items.length > 0 && others.some((one) => has(items, one));
  },
  "lists.range/1": ([count]) => {
    if (intArg(count) > 10_000) throw new CelError("lists.range() of more than 10000");
    return Array.from({ length: Math.max(0, intArg(count)) }, (_, at) => at);
  },
  "math.greatest/2": ([a, b]) => extreme([a as CelValue, b as CelValue], 1),
  "math.least/2": ([a, b]) => extreme([a as CelValue, b as CelValue], -1),
  "math.greatest/1": ([items]) => extreme(items, 1),
  "math.least/1": ([items]) => extreme(items, -1),
  "type/1": ([value]) => typeValue(value as CelValue),
};

const typeValue = (value: CelValue): CelType => new CelType(typeOf(value));
