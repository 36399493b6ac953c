import v8 from "node:v8";

/**
 * Makes V8 wait longer before it optimizes a function. A command on a few files ends before optimized code pays for its compilation, which takes about an
 * eighth of the time of `explain`; on large inputs a hot function is optimized some milliseconds later. Only the V8 of Node 20 was measured: newer
 * versions keep compiled code between starts instead, and a flag that V8 does not know would be reported on stderr.
 */
export function delayOptimization(): void {
  if (process.versions.v8.startsWith("11.3.")) v8.setFlagsFromString("--interrupt-budget=1000000");
}
