import type { BenchContext } from "./bench-context.ts";

/** Milliseconds that `run` takes, and what it gives. */
export function timed<T>(run: () => T): { readonly ms: number; readonly value: T } {
  const start = performance.now();
  const value = run();
  return { ms: performance.now() - start, value };
}

/**
 * Milliseconds that it takes to collect what was left young: who leaves it pays for it, not whoever comes next. What a
 * collection takes where there is nothing young is not counted.
 */
export function collectionMs({ emptyNursery }: Pick<BenchContext, "emptyNursery">): number {
  const { ms } = timed(emptyNursery);
  return Math.max(0, ms - timed(emptyNursery).ms);
}

/** Milliseconds of processor time that `run` takes, over all threads: a busy machine disturbs it less than the clock on the wall. */
export function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The value below which the given part of the values lies: 0.5 is the median. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
