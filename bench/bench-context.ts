/** One measured figure. */
export interface Measurement {
  /** The input that was measured, with its size: `5,000 routes`. */
  readonly case: string;
  /** The measured property: `evaluate`, `heap`. */
  readonly metric: string;
  readonly value: number;
  /** `ms`, `MB`, `ops/s`. */
  readonly unit: string;
  /** The limit, in the same unit. */
  readonly bar?: number;
  /** True if the bar is met. By default a value up to the bar meets it; set `ok` where more is better. */
  readonly ok?: boolean;
}

/**
 * The argument of a bench: `bench/<name>.bench.ts` exports `bench(context: BenchContext): Promise<void>`, and `parts`, the names of its parts, if they can be
 * run on their own.
 */
export interface BenchContext {
  /** The sizes of `--sizes`, else the bench's own. */
  sizes(own: readonly number[]): readonly number[];
  /** The parts of `--parts`, else all that the bench exports as `parts`. */
  readonly parts: readonly string[];
  report(measurement: Measurement): void;
  /** A full garbage collection, so that a heap figure or a timing does not include earlier garbage. */
  collectGarbage(): void;
  /** Moves live objects out of the young generation, so that a timing does not include collecting earlier objects. */
  emptyNursery(): void;
}

export type Bench = (context: BenchContext) => Promise<void>;
