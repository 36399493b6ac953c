import type { Accumulation, OrderKey, PolicyDefinition, SameTarget } from "../../../src/core/model/definition.ts";

/** How policies of a kind are merged, in a sentence or two. */
export function mergeWords({ class: policyClass, merge }: PolicyDefinition): string {
  const conflict = "of several policies on one target the oldest takes effect, and the others are Conflicted";
  if (merge.accumulate !== undefined)
    return `all policies take effect, and none replaces another; the order is ${orderWords(merge.accumulate)}`;
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
  const same = SAME_TARGET[merge.sameTarget];
  const empty = merge.empty === "TakesPlace" ? "; a policy that sets nothing keeps out what is above it" : "";
  return `${first}; ${same}${empty}`;
}

const SAME_TARGET: Readonly<Record<SameTarget, string>> = {
  Established: "on one target the newest policy is the most specific",
  OldestWins: "on one target the oldest policy comes first",
  Conflicted: "on one target the oldest policy takes effect, and the others are Conflicted",
  ConflictedWhereBothSet: "on one target a policy that sets a field which an older one sets is Conflicted",
  NoneWins: "of several policies on one target none takes effect",
};

const orderWords = ({ order, groupBy }: Accumulation): string =>
  [
    ...(groupBy === undefined ? [] : [`${keyWords(groupBy)} (${groupBy.values.join(", ")})`]),
    ...order.map(keyWords),
  ].join(", then ");

function keyWords(key: OrderKey): string {
  if (typeof key !== "string") return `\`${key.path ?? key.annotation}\``;
  return { Age: "age", Name: "name", Level: "the level of the target, the highest first" }[key];
}
