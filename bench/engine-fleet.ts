import { apply, buildSnapshot, effectivePolicies, evaluate } from "../src/index.ts";
import type { BenchContext } from "./bench-context.ts";
import { buildShape, FLEET, routePolicy, type ShapeOptions } from "./cluster-shapes.ts";
import { median, timed } from "./measure.ts";
import { type Reading, readEvaluation } from "./read-evaluation.ts";

export type Evaluation = ReturnType<typeof evaluate>;

/** Of one size, in milliseconds. */
export interface FleetTimes {
  readonly routes: number;
  readonly evaluateMs: number;
  readonly reading: Reading;
}

export interface Answer {
  readonly evaluation: Evaluation;
  readonly reading: Reading;
}

export const parseTexts = (texts: readonly string[]): readonly unknown[] =>
  texts.map((text): unknown => JSON.parse(text));

/** From parsed objects to the whole answer. The definition is among the objects. */
export function answer(objects: readonly unknown[]): Answer {
  const evaluation = evaluate(buildSnapshot(objects.map((value) => ({ value }))), { definitions: [] });
  return { evaluation, reading: readEvaluation(evaluation) };
}

export const textsOf = (options: ShapeOptions): readonly string[] =>
  [...buildShape(options)].map((object) => JSON.stringify(object));

/** What a run takes on average, in milliseconds. */
export interface Spent {
  readonly parse: number;
  readonly evaluate: number;
  readonly reading: Reading;
}

/**
 * Parses and answers in turns, each time from fresh objects. Nothing is collected on purpose: a collection is at the cost of
 * whoever is at work when it comes, which is mostly whoever left the most behind.
 */
export function spentOn(texts: readonly string[], runs: number): Spent {
  let parse = 0;
  let evaluate = 0;
  let reading: Reading = { paths: 0, checksum: 0 };
  for (let i = 0; i < runs; i++) {
    const run = runOnce(texts);
    parse += run.parse;
    evaluate += run.evaluate;
    reading = run.reading;
  }
  return { parse: parse / runs, evaluate: evaluate / runs, reading };
}

/** A function of its own: what a loop has in hand stays alive into its next round, and would be copied there. */
function runOnce(texts: readonly string[]): Spent {
  const start = performance.now();
  const objects = parseTexts(texts);
  const parsed = performance.now();
  const { reading } = answer(objects);
  return { parse: parsed - start, evaluate: performance.now() - parsed, reading };
}

export interface Comparison {
  readonly parseMs: number;
  readonly evaluateMs: number;
  /** The median of each round's own: what disturbs one side of a round disturbs the other. */
  readonly ratio: number;
  readonly reading: Reading;
}

export function compareWithParse(
  texts: readonly string[],
  { rounds, runs }: { readonly rounds: number; readonly runs: number },
): Comparison {
  const spent = Array.from({ length: rounds }, () => spentOn(texts, runs));
  return {
    parseMs: median(spent.map(({ parse }) => parse)),
    evaluateMs: median(spent.map(({ evaluate }) => evaluate)),
    ratio: median(spent.map(({ parse, evaluate }) => evaluate / parse)),
    reading: spent.at(-1)?.reading ?? { paths: 0, checksum: 0 },
  };
}

const LARGE = 100_000;
const ROUNDS = { small: 15, large: 5 };
/** In one round, of however many clusters: several collections' worth. */
const ROUTES_A_ROUND = 10_000;

/** The answer of one size, against JSON.parse. */
export function benchFleet(context: BenchContext, routes: number): FleetTimes {
  const name = nameOf(routes);
  const texts = textsOf({ ...FLEET, routes });
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  context.report({ case: name, metric: "JSON", value: bytes / routes, unit: "B/route" });
  const { parseMs, evaluateMs, ratio, reading } = compareWithParse(texts, {
    rounds: routes < LARGE ? ROUNDS.small : ROUNDS.large,
    runs: Math.max(1, Math.round(ROUTES_A_ROUND / routes)),
  });
  const { paths } = reading;
  context.report({ case: name, metric: "paths", value: paths, unit: "", ok: paths === 12 * routes });
  context.report({ case: name, metric: "JSON.parse", value: parseMs, unit: "ms" });
  context.report({ case: name, metric: "evaluate and read", value: evaluateMs, unit: "ms" });
  context.report({ case: name, metric: "evaluate and read / JSON.parse", value: ratio, unit: "x", bar: 1 });
  return { routes, evaluateMs, reading };
}

/** Whether that answer is true, and what it holds. Apart from the times: other orders and all garbage collected disturb the compiler. */
export function examineFleet(context: BenchContext, { routes, reading: { checksum } }: FleetTimes): void {
  const name = nameOf(routes);
  const texts = textsOf({ ...FLEET, routes });
  const rebuilt = answer(parseTexts(texts).toReversed()).reading.checksum;
  context.report({ case: name, metric: "checksum of a rebuild", value: rebuilt, unit: "", ok: rebuilt === checksum });
  reportReadingAgain(context, name, answer(parseTexts(texts)).evaluation);
  reportHeap(context, name, routes, texts);
}

const nameOf = (routes: number): string => `fleet ${routes.toLocaleString("en-US")}`;

/** For who wonders: the same with every value of every path read again, shared or not. */
function reportReadingAgain(context: BenchContext, name: string, evaluation: Evaluation): void {
  const { ms } = timed(() => readEvaluation(evaluation, "Again"));
  context.report({ case: name, metric: "read every path's values again", value: ms, unit: "ms" });
}

/** Of fewer routes it would be mostly what is there anyway. */
const SMALLEST_HEAP = 1_000;
/** For what is held for a while: a few kilobytes of the compiler's are nothing of ours. */
const SMALLEST_READING = 10_000;

/** Beyond the parsed objects, after everything has been read; and how much more is held in the middle of reading. */
function reportHeap(context: BenchContext, name: string, routes: number, texts: readonly string[]): void {
  if (routes < SMALLEST_HEAP) return;
  const heap = (): number => {
    // What the first frees may have been all that held on to something else.
    for (let i = 0; i < 3; i++) context.collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  heap();
  const objects = parseTexts(texts);
  const input = heap();
  const { evaluation, reading } = answer(objects);
  const held = heap();
  context.report({ case: name, metric: "heap", value: (held - input) / routes, unit: "B/route", bar: 2048 });
  let read = 0;
  let half = held;
  for (const { path } of effectivePolicies(evaluation)) {
    read += path.length > 0 ? 1 : 0;
    if (read === Math.ceil(reading.paths / 2)) half = heap();
  }
  // A list of all paths would hold more than a hundred bytes for each.
  const value = Math.max(0, half - held) / (reading.paths / 2);
  if (routes >= SMALLEST_READING)
    context.report({ case: name, metric: "held in the middle of reading", value, unit: "B/path", bar: 50 });
  const changed = apply(evaluation, [{ upsert: { value: parseTexts([JSON.stringify(routePolicy(0, 1))])[0] } }]);
  const after = heap();
  // The first change asks who names whom, which nobody did before.
  context.report({
    case: name,
    metric: "heap after a change",
    value: (after - input) / routes,
    unit: "B/route",
    bar: 2048,
  });
  if (objects.length === 0 || changed.evaluation === evaluation)
    throw new Error("objects and evaluations are alive until here, so that the figures are right");
}
