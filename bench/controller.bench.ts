/** `prevail controller` at many routes. */
import type { BenchContext } from "./bench-context.ts";
import { benchStatus } from "./controller-status.ts";
import { benchWebhook } from "./controller-webhook.ts";

export async function bench(context: BenchContext): Promise<void> {
  for (const routes of context.sizes([10_000])) await benchWebhook(context, routes);
  for (const routes of context.sizes([5000])) await benchStatus(context, routes);
}
