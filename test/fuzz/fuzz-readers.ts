/** Compares the gateway's HTTP/1 reader with Node's parser on random connections until a time is over or a difference is found. */
import fc from "fast-check";
import { randomConnection } from "../property/random/random-connection.ts";
import type { ReaderComparer } from "../support/gateway/compare-readers.ts";

export interface FuzzOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly readers: Pick<ReaderComparer, "compare">;
  readonly print: (line: string) => void;
}

/** The connections of one batch have one seed, so that a run with that seed repeats the batch. */
const BATCH_SIZE = 1000;
const PROGRESS_MS = 5000;

/** Returns the exit code: 0 without a difference, 1 with one. */
export async function fuzzReaders({ seconds, seed, readers, print }: FuzzOptions): Promise<0 | 1> {
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
  let connections = 0;
  let accepted = 0;
  let refused = 0;
  let printedMs = 0;
  const property = fc.asyncProperty(randomConnection, async (text) => {
    const comparison = await readers.compare(text);
    connections++;
    accepted += comparison.accepted;
    refused += comparison.isRefused ? 1 : 0;
    return comparison.difference === undefined;
  });
  const printProgress = (): void =>
    print(
      `${(elapsedMs() / 1000).toFixed(0)} s: ${connections} connections, ${accepted} requests accepted, ${refused} connections refused`,
    );
  print(`fuzz: HTTP/1 reader against Node ${process.version}, ${seconds} s, seed ${seed}`);
  for (let batch = seed; elapsedMs() < 1000 * seconds; batch++) {
    const result = await fc.check(property, { numRuns: BATCH_SIZE, seed: batch });
    if (result.failed) {
      const [input = ""] = result.counterexample ?? [];
      const { difference } = await readers.compare(input);
      print(`fuzz: the readers differ on this input, shrunk ${result.numShrinks} times:`);
      print(JSON.stringify(input));
      if (difference !== undefined) print(difference);
      print(`fuzz: repeat with npm run fuzz -- --seed ${batch}`);
      return 1;
    }
    if (elapsedMs() - printedMs >= PROGRESS_MS) {
      printedMs = elapsedMs();
      printProgress();
    }
  }
  printProgress();
  print("fuzz: no difference");
  return 0;
}
