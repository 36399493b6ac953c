import { countKinds, joinWords } from "../model/words/count-kinds.ts";
import { nameAmong, sharedNames } from "../model/words/kind-names.ts";
import type { Caveat, CountedPolicies } from "./caveat.ts";

/** The caveats in one clause, to qualify a sentence: "3 AuthPolicies and 6 RateLimitPolicies are ignored". Undefined without caveats. */
export function summarizeCaveats(caveats: readonly Caveat[]): string | undefined {
  if (caveats.length === 0) return undefined;
  const isIgnored = ({ code, summary }: Caveat): boolean =>
    (code === "BrokenDefinition" || code === "UnknownPolicyKind") && summary.endsWith("ignored");
  const ignored: readonly CountedPolicies[] = caveats.filter(isIgnored).flatMap(({ policies }) => policies);
  const total = ignored.reduce((sum, { count }) => sum + count, 0);
  // Two caveats may have one summary: an object that is not there may be a parent and a target.
  const others = new Set(caveats.filter((one) => !isIgnored(one)).map(({ summary }) => summary));
  return joinWords([
    ...(total === 0
      ? []
      : [`${countKinds(ignored, nameAmong(sharedNames(ignored)))} ${total === 1 ? "is" : "are"} ignored`]),
    ...others,
  ]);
}
