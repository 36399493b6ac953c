import { apply, buildSnapshot, effectivePolicies, evaluate } from "../src/index.ts";
import type { BenchContext } from "./bench-context.ts";
import { buildShape, FLEET, routePolicy, type ShapeOptions } from "./cluster-shapes.ts";
import { collectionMs, median, timed } from "./measure.ts";
import { type Reading, readEvaluation } from "./read-evaluation.ts";

export type Evaluation = ReturnType<typeof evaluate>;

/** The measurements of one size. */
export interface FleetTimes {
  readonly routes: number;
  readonly evaluateMs: number;
  readonly reading: Reading;
}

export interface FleetEvaluation {
  readonly evaluation: Evaluation;
  readonly reading: Reading;
}

export const parseTexts = (texts: readonly string[]): readonly unknown[] =>
  texts.map((text): unknown => JSON.parse(text));

/**
 * Evaluates parsed objects and reads the whole result. The definition is among the objects, which are read as from a cluster: their
 * CRDs' rules are not evaluated again. `reportJudging` has the cost of these rules, which objects of files pay.
 */
export function evaluateAndRead(objects: readonly unknown[]): FleetEvaluation {
  const evaluation = evaluate(buildSnapshot(objects, { validated: true }), { definitions: [] });
  return { evaluation, reading: readEvaluation(evaluation) };
}

export const textsOf = (options: ShapeOptions): readonly string[] =>
  [...buildShape(options)].map((object) => JSON.stringify(object));

const MOST = 300;

/** Small sizes are measured often and large ones a few times, because code that runs once per evaluation is compiled late. */
const repetitions = (routes: number): number => Math.max(5, Math.min(MOST, Math.round(100_000 / routes)));

export interface Comparison {
  readonly parseMs: number;
  readonly evaluateMs: number;
  /** The median of the ratios of the pairs. */
  readonly ratio: number;
  /** The median of the ratios without the time of garbage collection afterwards. */
  readonly ratioUntilThere: number;
  readonly reading: Reading;
}

interface Times {
  readonly untilThereMs: number;
  /** Includes the collection of the young objects that the run leaves behind; otherwise the next measurement would include it. */
  readonly ms: number;
}

export function timedWhole<T>(context: BenchContext, run: () => T): Times & { readonly value: T } {
  const { value, ms } = timed(run);
  return { value, untilThereMs: ms, ms: ms + collectionMs(context) };
}

/** Parses and evaluates in turns, each time from fresh objects, so that the load of the machine affects both. */
export function compareWithParse(context: BenchContext, texts: readonly string[], times: number): Comparison {
  const parse: Times[] = [];
  const whole: Times[] = [];
  let reading: Reading = { paths: 0, checksum: 0 };
  // A full collection would also discard compiled code.
  context.emptyNursery();
  for (let i = 0; i < times; i++) {
    const { value: objects, ...parsed } = timedWhole(context, () => parseTexts(texts));
    const { value, ...evaluated } = timedWhole(context, () => evaluateAndRead(objects).reading);
    parse.push(parsed);
    whole.push(evaluated);
    reading = value;
  }
  const ratioOf = (time: keyof Times): number => median(whole.map((run, i) => run[time] / (parse[i]?.[time] ?? 0)));
  return {
    parseMs: median(parse.map(({ ms }) => ms)),
    evaluateMs: median(whole.map(({ ms }) => ms)),
    ratio: ratioOf("ms"),
    ratioUntilThere: ratioOf("untilThereMs"),
    reading,
  };
}

/** Compares evaluating one size with JSON.parse. */
export function benchFleet(context: BenchContext, routes: number): FleetTimes {
  const name = nameOf(routes);
  const texts = textsOf({ ...FLEET, routes });
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  context.report({ case: name, metric: "JSON", value: bytes / routes, unit: "B/route" });
  const compared = compareWithParse(context, texts, repetitions(routes));
  const { parseMs, evaluateMs, ratio, ratioUntilThere, reading } = compared;
  const { paths } = reading;
  context.report({ case: name, metric: "paths", value: paths, unit: "", ok: paths === 12 * routes });
  context.report({ case: name, metric: "JSON.parse", value: parseMs, unit: "ms" });
  context.report({ case: name, metric: "evaluate and read", value: evaluateMs, unit: "ms" });
  context.report({ case: name, metric: "evaluate and read / JSON.parse", value: ratio, unit: "x", bar: 2 });
  const metric = "the same, whatever is left to collect";
  context.report({ case: name, metric, value: ratioUntilThere, unit: "x" });
  return { routes, evaluateMs, reading };
}

/** Checks the result and measures its memory. This runs after the timings, because other input orders and full collections affect the compiler. */
export function examineFleet(context: BenchContext, { routes, reading: { checksum } }: FleetTimes): void {
  const name = nameOf(routes);
  const texts = textsOf({ ...FLEET, routes });
  const rebuilt = evaluateAndRead(parseTexts(texts).toReversed()).reading.checksum;
  context.report({ case: name, metric: "checksum of a rebuild", value: rebuilt, unit: "", ok: rebuilt === checksum });
  reportHeap(context, name, routes, texts);
}

const JUDGED_ROUTES = 1_000;

/** The rules of CRDs: what an object of a file costs more than one of a cluster, which the API server has accepted. */
export function reportJudging(context: BenchContext): void {
  for (const [name, shape] of [
    ["fleet 1,000", FLEET],
    ["16 rules × 16 backends", { ...FLEET, rules: 16, backends: 16 }],
  ] as const) {
    const texts = textsOf({ ...shape, routes: JUDGED_ROUTES });
    const differences: number[] = [];
    for (let i = 0; i < 15; i++) {
      const validated = timedWhole(context, () => buildSnapshot(parseTexts(texts), { validated: true })).ms;
      const judged = timedWhole(context, () => buildSnapshot(parseTexts(texts))).ms;
      differences.push((judged - validated) / texts.length);
    }
    const value = median(differences);
    context.report({ case: name, metric: "rules of CRDs, mean of an object", value, unit: "ms", bar: 1 });
  }
}

const nameOf = (routes: number): string => `fleet ${routes.toLocaleString("en-US")}`;

/** With fewer routes the fixed size of an evaluation dominates. */
const SMALLEST_HEAP = 1_000;
/** With fewer paths a few kilobytes of the compiler dominate. */
const SMALLEST_READING = 10_000;

/** Reports the heap beyond the parsed objects after everything has been read, and the additional heap in the middle of reading. */
function reportHeap(context: BenchContext, name: string, routes: number, texts: readonly string[]): void {
  if (routes < SMALLEST_HEAP) return;
  const heap = (): number => {
    // Objects that the first collection frees may be the last references to others.
    for (let i = 0; i < 3; i++) context.collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  heap();
  const objects = parseTexts(texts);
  const input = heap();
  const { evaluation, reading } = evaluateAndRead(objects);
  const held = heap();
  context.report({ case: name, metric: "heap", value: (held - input) / routes, unit: "B/route", bar: 2048 });
  let read = 0;
  let half = held;
  for (const { path } of effectivePolicies(evaluation)) {
    read += path.length > 0 ? 1 : 0;
    if (read === Math.ceil(reading.paths / 2)) half = heap();
  }
  // A list of all paths would take more than a hundred bytes for each.
  const value = Math.max(0, half - held) / (reading.paths / 2);
  if (routes >= SMALLEST_READING)
    context.report({ case: name, metric: "held in the middle of reading", value, unit: "B/path", bar: 50 });
  const changed = apply(evaluation, [{ upsert: parseTexts([JSON.stringify(routePolicy(0, 1))])[0] }]);
  const after = heap();
  // The first change computes the index of referrers.
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
