/** `prevail controller` at many routes. */
import type { BenchContext } from "./bench-context.ts";
import { benchStatus } from "./controller-status.ts";

export async function bench(context: BenchContext): Promise<void> {
  for (const routes of context.sizes([5000])) await benchStatus(context, routes);
}
