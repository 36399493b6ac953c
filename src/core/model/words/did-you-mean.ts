import { nearMiss } from "./near-miss.ts";

/** The end of a message that names an unknown word: `; did you mean 'Direct'?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearMiss(word, candidates);
  return near === undefined ? "" : `; did you mean '${near}'?`;
}
