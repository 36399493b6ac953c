/**
 * The engine: the whole evaluation from parsed objects, a change and its delta, and their memory. The bars are
 * ratios within one run, so that they are valid on any machine.
 */
import type { BenchContext } from "./bench-context.ts";
import { FLEET } from "./cluster-shapes.ts";
import { benchChanges } from "./engine-changes.ts";
import { benchFleet, evaluateAndRead, examineFleet, parseTexts, reportJudging, textsOf } from "./engine-fleet.ts";
import { benchGrowth } from "./engine-growth.ts";
import { benchOracle } from "./engine-oracle.ts";
import { benchVariants } from "./engine-variants.ts";
import { timed } from "./measure.ts";

const LADDER = [100, 1_000, 10_000, 100_000];

export async function bench(context: BenchContext): Promise<void> {
  const sizes = context.sizes(LADDER);
  reportFirst(context, Math.min(WARM_UP_ROUTES, Math.max(...sizes)));
  warmUp();
  const times = sizes.map((routes) => benchFleet(context, routes));
  benchGrowth(context, sizes);
  for (const size of times) examineFleet(context, size);
  benchChanges(context, times);
  // Collecting all garbage has taken part of the compiler's work along.
  warmUp();
  benchVariants(context, Math.max(...sizes));
  reportJudging(context);
  benchOracle(context, Math.min(...sizes));
}

const WARM_UP_ROUTES = 1_000;
const WARM_UP_RUNS = 300;

/** The cost for callers that start a process for each evaluation. */
function reportFirst(context: BenchContext, routes: number): void {
  const objects = parseTexts(textsOf({ ...FLEET, routes }));
  const value = timed(() => evaluateAndRead(objects)).ms;
  const name = `fleet ${routes.toLocaleString("en-US")}`;
  context.report({ case: name, metric: "evaluate and read, first time in the process", value, unit: "ms" });
}

/** Until the compiler has seen everything. */
function warmUp(): void {
  const objects = parseTexts(textsOf({ ...FLEET, routes: WARM_UP_ROUTES }));
  for (let i = 0; i < WARM_UP_RUNS; i++) evaluateAndRead(objects);
}
