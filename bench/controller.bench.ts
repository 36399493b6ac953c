/** `prevail controller` at many routes. */
import type { BenchContext } from "./bench-context.ts";
import { benchStatus, STATUS_PARTS } from "./controller-status.ts";
import { benchWebhook } from "./controller-webhook.ts";

export const parts: readonly string[] = ["webhook", ...STATUS_PARTS];

export async function bench(context: BenchContext): Promise<void> {
  if (context.parts.includes("webhook"))
    for (const routes of context.sizes([10_000])) await benchWebhook(context, routes);
  if (STATUS_PARTS.some((part) => context.parts.includes(part)))
    for (const routes of context.sizes([5000])) await benchStatus(context, routes);
}
