/** Gateways in a cluster: how soon a route is served and its status written, against what the API server itself needs. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { BenchContext, Measurement } from "./bench-context.ts";

const CHILD = fileURLToPath(new URL("./controller-child.js", import.meta.url));

export const parts: readonly string[] = ["few", "burst", "many", "heap"];

/** Everything is measured inside the rig (`gateways-rig.ts`), which prints a line of JSON for each figure. */
export async function bench(context: BenchContext): Promise<void> {
  const [routes = 5000] = context.sizes([5000]);
  const args = ["scripts/rig.mjs", "bench/gateways-rig.ts", CHILD, String(routes), context.parts.join(",")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith("{")) context.report(JSON.parse(line) as Measurement);
  if ((await ended) !== 0) throw new Error("the rig ended with an error");
}
