/** Kubernetes' list library, cel-go's lists and sets extensions. */
import { isEqual } from "../equality.ts";
import { type Frame, pay } from "../frame.ts";
import { numericOf } from "../numbers.ts";
import { add, compare, lenient } from "../operators.ts";
import { CelDuration, CelError, CelOverload, type CelValue, isList, typeOf } from "../values.ts";
import { type FunctionTable, intArg, listArg, textArg } from "./arguments.ts";
import { textIndex } from "./strings.ts";

/** Compares two items; items that have no order are named in the error. */
export function compareItems(a: CelValue, b: CelValue, name: string): number {
  try {
    return compare(a, b);
  } catch (thrown) {
    if (!(thrown instanceof CelOverload)) throw thrown;
    throw new CelError(`${name}() cannot compare ${typeOf(a)} and ${typeOf(b)}`);
  }
}

/** Comparing texts may read all of them. */
function payForTexts(items: readonly CelValue[], times: number, frame: Frame): void {
  const length = items.reduce<number>((sum, item) => sum + (typeof item === "string" ? item.length : 8), 0);
  pay(frame, (length * times) / 64);
}

export const payForSorting = (items: readonly CelValue[], frame: Frame): void =>
  payForTexts(items, 8 * Math.ceil(Math.log2(items.length + 1)), frame);

function sorted(items: readonly CelValue[], frame: Frame): readonly CelValue[] {
  payForSorting(items, frame);
  return [...items].sort((a, b) => compareItems(a, b, "sort"));
}

function extreme(value: CelValue | undefined, sign: 1 | -1, frame: Frame): CelValue {
  const items = listArg(value);
  const [first] = items;
  if (first === undefined) throw new CelError("min and max need a list with items");
  payForTexts(items, 1, frame);
  return items.reduce(
    (best, item) => (compareItems(item, best, sign === 1 ? "max" : "min") * sign > 0 ? item : best),
    first,
  );
}

function isSorted(items: readonly CelValue[], frame: Frame): boolean {
  payForTexts(items, 1, frame);
  return items.every((item, at) => at === 0 || compareItems(items[at - 1] as CelValue, item, "isSorted") <= 0);
}

const addNumbers = lenient(add);

/** The sum of numbers or durations. */
function sum(items: readonly CelValue[]): CelValue {
  const other = items.find((item) => numericOf(item) === undefined && !(item instanceof CelDuration));
  if (other !== undefined) throw new CelError(`sum() takes numbers or durations, not ${typeOf(other)}`);
  return items.length === 0 ? 0 : items.reduce((total, item) => addNumbers(total, item));
}

interface Search {
  readonly isLast: boolean;
  readonly from?: CelValue | undefined;
}

function indexOf(
  value: CelValue | undefined,
  item: CelValue | undefined,
  { from, isLast }: Search,
  frame: Frame,
): number {
  if (typeof value === "string")
    return textIndex(value, textArg(item), from === undefined ? undefined : intArg(from), isLast, frame);
  const isItem = (one: CelValue): boolean => isEqual(one, item as CelValue, frame);
  return isLast ? listArg(value).findLastIndex(isItem) : listArg(value).findIndex(isItem);
}

function slice(items: readonly CelValue[], from: number, to: number): readonly CelValue[] {
  if (from < 0 || from > to || to > items.length)
    throw new CelError(`cannot slice(${from}, ${to}) a list of ${items.length}`);
  return items.slice(from, to);
}

/** From a stack of lists, so that lists in lists, however deep, take no call stack. */
function flatten(items: readonly CelValue[], depth: number, frame: Frame): readonly CelValue[] {
  if (depth < 0) throw new CelError("the depth of flatten() is negative");
  const result: CelValue[] = [];
  const open = [{ list: items, next: 0 }];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    pay(frame, 1);
    const item = last.list[last.next++];
    if (item === undefined) open.pop();
    else if (isList(item) && open.length <= depth) open.push({ list: item, next: 0 });
    else result.push(item);
  }
  return result;
}

/** Functions that compare every item of a list with every item of another pay for it. */
const payForPairs = (a: readonly CelValue[], b: readonly CelValue[], frame: Frame): void =>
  pay(frame, a.length * b.length);

const has = (items: readonly CelValue[], item: CelValue, frame: Frame): boolean =>
  items.some((one) => isEqual(one, item, frame));

function hasAll(items: readonly CelValue[], others: readonly CelValue[], frame: Frame): boolean {
  payForPairs(items, others, frame);
  return others.every((one) => has(items, one, frame));
}

function intersects(items: readonly CelValue[], others: readonly CelValue[], frame: Frame): boolean {
  payForPairs(items, others, frame);
  return others.some((one) => has(items, one, frame));
}

function distinct(items: readonly CelValue[], frame: Frame): readonly CelValue[] {
  payForPairs(items, items, frame);
  const result: CelValue[] = [];
  for (const item of items) if (!has(result, item, frame)) result.push(item);
  return result;
}

function range(count: number, frame: Frame): readonly number[] {
  if (count > 10_000) throw new CelError("lists.range() of more than 10000");
  pay(frame, Math.max(0, count) >> 3);
  return Array.from({ length: Math.max(0, count) }, (_, at) => at);
}

export const listFunctions: FunctionTable = {
  ".isSorted/0": ([items], frame) => isSorted(listArg(items), frame),
  ".sum/0": ([items]) => sum(listArg(items)),
  ".min/0": ([items], frame) => extreme(items, -1, frame),
  ".max/0": ([items], frame) => extreme(items, 1, frame),
  ".indexOf/1": ([value, item], frame) => indexOf(value, item, { isLast: false }, frame),
  ".indexOf/2": ([value, item, from], frame) => indexOf(value, item, { from, isLast: false }, frame),
  ".lastIndexOf/1": ([value, item], frame) => indexOf(value, item, { isLast: true }, frame),
  ".lastIndexOf/2": ([value, item, from], frame) => indexOf(value, item, { from, isLast: true }, frame),
  ".slice/2": ([items, from, to]) => slice(listArg(items), intArg(from), intArg(to)),
  ".flatten/0": ([items], frame) => flatten(listArg(items), 1, frame),
  ".flatten/1": ([items, depth], frame) => flatten(listArg(items), intArg(depth), frame),
  ".sort/0": ([items], frame) => sorted(listArg(items), frame),
  ".distinct/0": ([items], frame) => distinct(listArg(items), frame),
  "sets.contains/2": ([a, b], frame) => hasAll(listArg(a), listArg(b), frame),
  "sets.equivalent/2": ([a, b], frame) =>
    hasAll(listArg(a), listArg(b), frame) && hasAll(listArg(b), listArg(a), frame),
  "sets.intersects/2": ([a, b], frame) => intersects(listArg(a), listArg(b), frame),
  "lists.range/1": ([count], frame) => range(intArg(count), frame),
  "math.greatest/2": ([a, b], frame) => extreme([a as CelValue, b as CelValue], 1, frame),
  "math.least/2": ([a, b], frame) => extreme([a as CelValue, b as CelValue], -1, frame),
  "math.greatest/1": ([items], frame) => extreme(items, 1, frame),
  "math.least/1": ([items], frame) => extreme(items, -1, frame),
};
