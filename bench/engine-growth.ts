import type { BenchContext } from "./bench-context.ts";
import { FLEET } from "./cluster-shapes.ts";
import { evaluateAndRead, parseTexts, textsOf, timedWhole } from "./engine-fleet.ts";
import { median } from "./measure.ts";

const STEP = 10;
/** The times of the smaller size, before and after the larger one. */
const BESIDE = 5;
const ROUNDS = { small: 9, large: 5 };
const LARGE = 100_000;

/** The growth for ten times the routes, and how much faster than that of JSON.parse it may be. */
const BARS = { own: 11, besideParse: 1.25 };

/**
 * Growth is linear: ten times the routes take ten times the time, and more where they no longer fit into caches and into the space for young
 * objects. JSON.parse, whose work is linear, has the same caches and garbage collector, so the ratio to its growth has a bar of its own
 * (docs/decisions/0017-bars.md). Both sizes are measured in turns, so that the load of the machine affects both.
 */
export function benchGrowth(context: BenchContext, sizes: readonly number[]): void {
  for (const routes of sizes) {
    const tenth = sizes.find((other) => other * STEP === routes);
    if (tenth === undefined) continue;
    const rounds = routes < LARGE ? ROUNDS.small : ROUNDS.large;
    const small = textsOf({ ...FLEET, routes: tenth });
    const large = textsOf({ ...FLEET, routes });
    const growths = Array.from({ length: rounds }, () => growth(context, small, large));
    const name = `fleet ${routes.toLocaleString("en-US")}`;
    const value = median(growths.map(({ evaluate }) => evaluate));
    context.report({ case: name, metric: "T(10N)/T(N)", value, unit: "x", bar: BARS.own });
    const parse = median(growths.map((one) => one.parse));
    context.report({ case: name, metric: "T(10N)/T(N) of JSON.parse", value: parse, unit: "x" });
    const metric = "T(10N)/T(N) / that of JSON.parse";
    context.report({ case: name, metric, value: value / parse, unit: "x", bar: BARS.besideParse });
  }
}

interface Spent {
  readonly parse: number;
  readonly evaluate: number;
}

function growth(context: BenchContext, small: readonly string[], large: readonly string[]): Spent {
  const before = Array.from({ length: BESIDE }, () => spentOn(context, small));
  const whole = spentOn(context, large);
  const beside = [...before, ...Array.from({ length: BESIDE }, () => spentOn(context, small))];
  return {
    parse: whole.parse / median(beside.map(({ parse }) => parse)),
    evaluate: whole.evaluate / median(beside.map(({ evaluate }) => evaluate)),
  };
}

function spentOn(context: BenchContext, texts: readonly string[]): Spent {
  const parsed = timedWhole(context, () => parseTexts(texts));
  const evaluated = timedWhole(context, () => evaluateAndRead(parsed.value));
  return { parse: parsed.ms, evaluate: evaluated.ms };
}
