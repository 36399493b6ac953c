import type { FindingCode } from "../../core/model/finding-code.ts";
import { findingCodes } from "../../core/model/finding-codes.ts";
import { nearMiss } from "../../core/model/words/near-miss.ts";

export type CodeSearch =
  | { readonly ok: true; readonly code: FindingCode }
  | { readonly ok: false; readonly message: string; readonly hint: string };

const isCode = (word: string): word is FindingCode => Object.hasOwn(findingCodes, word);

export const allCodes: readonly FindingCode[] = Object.keys(findingCodes).filter(isCode);

/** The code of a finding as users write it; case does not count. */
export function findCode(word: string): CodeSearch {
  const code = allCodes.find((one) => one.toLowerCase() === word.toLowerCase());
  if (code !== undefined) return { ok: true, code };
  const near = nearMiss(word, allCodes);
  const hint =
    near === undefined ? `'prevail check --list' lists all ${allCodes.length} codes.` : `Did you mean ${near}?`;
  return { ok: false, message: `unknown finding code '${word}'`, hint };
}
