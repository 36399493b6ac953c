/** One measured figure. */
export interface Measurement {
  /** What was measured, with its size: `5,000 routes`. */
  readonly case: string;
  /** Which property of it: `evaluate`, `heap`. */
  readonly metric: string;
  readonly value: number;
  /** `ms`, `MB`, `ops/s`. */
  readonly unit: string;
  /** The figure to reach, in the same unit. */
  readonly bar?: number;
  /** Whether the bar is reached. Left out, a value up to the bar is; say so where more is better. */
  readonly ok?: boolean;
}

/** What a `bench/<name>.bench.ts` is given. It exports `bench(context: BenchContext): Promise<void>`. */
export interface BenchContext {
  /** The sizes asked for with `--sizes`, or else the bench's own. */
  sizes(own: readonly number[]): readonly number[];
  report(measurement: Measurement): void;
  /** A full garbage collection, so that a heap figure or a timing does not include earlier garbage. */
  collectGarbage(): void;
  /** Moves what is alive out of the nursery, so that no timing pays for what came before it. */
  emptyNursery(): void;
}

export type Bench = (context: BenchContext) => Promise<void>;
