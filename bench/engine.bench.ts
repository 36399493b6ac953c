/**
 * The engine: the whole answer from parsed objects, a change and its delta, and what they hold in memory. The bars are
 * ratios within one run, so that they hold on any machine.
 */
import type { BenchContext } from "./bench-context.ts";
import { benchChanges } from "./engine-changes.ts";
import { benchFleet, type FleetTimes } from "./engine-fleet.ts";
import { benchOracle } from "./engine-oracle.ts";
import { benchVariants } from "./engine-variants.ts";

const LADDER = [100, 1_000, 10_000, 100_000];

export async function bench(context: BenchContext): Promise<void> {
  const sizes = context.sizes(LADDER);
  const times: FleetTimes[] = [];
  for (const routes of sizes) times.push(benchFleet(context, routes));
  reportGrowth(context, times);
  benchChanges(context, times);
  benchVariants(context, Math.max(...sizes));
  benchOracle(context, Math.min(...sizes));
}

/** Linear: ten times the routes, ten times the time, and a little for what no longer fits the caches. */
function reportGrowth(context: BenchContext, times: readonly FleetTimes[]): void {
  for (const { routes, evaluateMs } of times) {
    const tenth = times.find((other) => other.routes * 10 === routes);
    if (tenth === undefined) continue;
    const value = evaluateMs / tenth.evaluateMs;
    const name = `fleet ${routes.toLocaleString("en-US")}`;
    context.report({ case: name, metric: "T(10N)/T(N)", value, unit: "x", bar: 11 });
  }
}
