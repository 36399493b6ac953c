import type { PolicyDefinition } from "../../../src/core/model/definition.ts";

/** How policies of a kind are merged, in a sentence or two. */
export function mergeWords({ class: policyClass, merge }: PolicyDefinition): string {
  const conflict = "of several policies on one target the oldest takes effect, and the others are Conflicted";
  if (merge.none && policyClass === "Direct")
    return `never merged: a policy on a section replaces that of its object; ${conflict}`;
  if (merge.none)
    return `never merged: the most specific policy takes effect alone, also one that sets nothing; ${conflict}`;
  const { default: byDefault } = merge.granularity;
  const how = {
    Atomic: "as a whole",
    Merge: `by named rule (${merge.rules.map((path) => `\`${path}\``).join(", ")})`,
    Field: "field by field",
    Patch: "field by field, and `null` removes a field",
  }[typeof byDefault === "string" ? byDefault : "Atomic"];
  const first = `a more specific policy replaces defaults above it, ${how}`;
  const same =
    merge.sameTarget === "OldestWins"
      ? "on one target the oldest policy comes first"
      : "on one target the newest policy is the most specific";
  const empty = merge.empty === "TakesPlace" ? "; a policy that sets nothing keeps out what is above it" : "";
  return `${first}; ${same}${empty}`;
}
