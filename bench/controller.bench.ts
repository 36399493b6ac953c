/**
 * `prevail controller` at many routes. `--sizes` is the number of routes; of a part that is repeated, and that is the only one, the number of rounds:
 * `--parts faults --sizes 50`, `--parts rotations --sizes 100`.
 */
import type { BenchContext } from "./bench-context.ts";
import { benchFaults, benchRotations } from "./controller-faults.ts";
import { benchStatus, STATUS_PARTS } from "./controller-status.ts";
import { benchWebhook } from "./controller-webhook.ts";
import { benchWrites, WRITES_PARTS } from "./controller-writes.ts";

export const parts: readonly string[] = ["webhook", ...STATUS_PARTS, ...WRITES_PARTS, "faults", "rotations"];

export async function bench(context: BenchContext): Promise<void> {
  const has = (part: string): boolean => context.parts.includes(part);
  const rounds = (own: number): readonly number[] => (context.parts.length === 1 ? context.sizes([own]) : [own]);
  if (has("webhook")) for (const routes of context.sizes([10_000])) await benchWebhook(context, routes);
  if (STATUS_PARTS.some(has)) for (const routes of context.sizes([5000])) await benchStatus(context, routes);
  if (WRITES_PARTS.some(has)) for (const routes of context.sizes([1000])) await benchWrites(context, routes);
  if (has("faults")) for (const count of rounds(5)) await benchFaults(context, count);
  if (has("rotations")) for (const count of rounds(20)) await benchRotations(context, count);
}
