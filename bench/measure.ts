import type { BenchContext } from "./bench-context.ts";

/** The time of `run` in milliseconds, and its result. */
export function timed<T>(run: () => T): { readonly ms: number; readonly value: T } {
  const start = performance.now();
  const value = run();
  return { ms: performance.now() - start, value };
}

/**
 * The time in milliseconds to collect the young objects that a measured function left behind, so that it is counted for that function
 * and not for the next one. The time of a collection without young objects is subtracted.
 */
export function collectionMs({ emptyNursery }: Pick<BenchContext, "emptyNursery">): number {
  const { ms } = timed(emptyNursery);
  return Math.max(0, ms - timed(emptyNursery).ms);
}

/** The processor time of `run` over all threads, in milliseconds. It depends less on the load of the machine than elapsed time. */
export function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The quantile of the values: 0.5 is the median. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
