import type { BenchContext } from "./bench-context.ts";
import { FLEET } from "./cluster-shapes.ts";
import { spentOn, textsOf } from "./engine-fleet.ts";
import { median } from "./measure.ts";

const STEP = 10;
const ROUNDS = { small: 9, large: 5 };
const LARGE = 100_000;

/**
 * Linear: ten times the routes, ten times the time, and a little for what no longer fits the caches. Both sizes in turns, so
 * that whatever disturbs one disturbs the other; and the same of JSON.parse, which has the same caches and collector.
 */
export function benchGrowth(context: BenchContext, sizes: readonly number[]): void {
  for (const routes of sizes) {
    const tenth = sizes.find((other) => other * STEP === routes);
    if (tenth === undefined) continue;
    const rounds = routes < LARGE ? ROUNDS.small : ROUNDS.large;
    const small = textsOf({ ...FLEET, routes: tenth });
    const large = textsOf({ ...FLEET, routes });
    const growths = Array.from({ length: rounds }, () => growth(small, large));
    const name = `fleet ${routes.toLocaleString("en-US")}`;
    const value = median(growths.map(({ evaluate }) => evaluate));
    context.report({ case: name, metric: "T(10N)/T(N)", value, unit: "x", bar: 11 });
    const parse = median(growths.map((one) => one.parse));
    context.report({ case: name, metric: "T(10N)/T(N) of JSON.parse", value: parse, unit: "x" });
  }
}

/** As many routes of the small size as of the large one: half before it and half after. */
function growth(
  small: readonly string[],
  large: readonly string[],
): { readonly parse: number; readonly evaluate: number } {
  const before = spentOn(small, STEP / 2);
  const whole = spentOn(large, 1);
  const after = spentOn(small, STEP / 2);
  return {
    parse: (2 * whole.parse) / (before.parse + after.parse),
    evaluate: (2 * whole.evaluate) / (before.evaluate + after.evaluate),
  };
}
