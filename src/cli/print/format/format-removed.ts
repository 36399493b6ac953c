import { listWords } from "./format-paths.ts";
import { formatPointer } from "./format-value.ts";

const MOST = 4;

/** The values that a policy removes: `retry.codes, retry.backoff and 3 more`. */
export function formatRemoved(pointers: readonly string[]): string {
  const shown = pointers.slice(0, MOST).map(formatPointer);
  const left = pointers.length - shown.length;
  return left > 0 ? `${shown.join(", ")} and ${left} more` : listWords(shown);
}
