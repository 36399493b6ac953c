import type { Accumulation, OrderKey } from "../../../src/core/model/definition/policy-order.ts";
import type { Granularity, MergeRules, PolicyDefinition, SameTarget } from "../../../src/core/model/definition.ts";
import { formatLevel } from "../../../src/core/model/levels.ts";

/** How policies of a kind are merged, in a sentence or two. */
export function mergeWords({ class: policyClass, merge }: Pick<PolicyDefinition, "class" | "merge">): string {
  const limit = merge.limit === undefined ? "" : `; at most ${merge.limit} on one target take effect`;
  if (merge.accumulate !== undefined)
    return `all policies take effect, and none replaces another; the order is ${orderWords(merge.accumulate)}${limit}`;
  if (merge.none && policyClass === "Direct")
    return `never merged: a policy on a section replaces that of its object; ${conflictWords(merge)}`;
  if (merge.none)
    return `never merged: the most specific policy takes effect alone, also one that sets nothing; ${conflictWords(merge)}`;
  const { default: byDefault, base } = merge.granularity;
  const first =
    base === "Overrides"
      ? `a less specific policy overrides those below it, ${howMuch(byDefault, merge)}`
      : `a more specific policy replaces defaults above it, ${howMuch(byDefault, merge)}`;
  const same = `${SAME_TARGET[merge.sameTarget](firstWord(merge))}${limit}`;
  const empty = merge.empty === "TakesPlace" ? "a policy that sets nothing keeps out what is above it" : undefined;
  const all = [first, strategyWords(merge), annotationWords(merge), partnerWords(merge), listWords(merge), same, empty];
  return all.filter((words) => words !== undefined).join("; ");
}

/** The strategy None: of several policies on one target. */
function conflictWords(merge: MergeRules): string {
  if (merge.sameTarget === "Undefined") return SAME_TARGET.Undefined("");
  return `of several policies on one target the ${firstWord(merge)} takes effect, and the others are Conflicted`;
}

/** The policy of those on one target that is the highest. */
function firstWord({ precedence = ["Age"] }: MergeRules): string {
  const [first, ...others] = precedence;
  if (first === undefined || first === "Age") return "oldest";
  if (typeof first === "string") return "first by name";
  const then = others.includes("Age") ? ", then the oldest" : "";
  return `${first.descending ? "one with the highest" : "one with the lowest"} ${keyWords(first)}${then},`;
}

function howMuch(granularity: Granularity, { rules }: MergeRules): string {
  if (typeof granularity !== "string") return "by a strategy of its own";
  return {
    Atomic: "as a whole",
    Merge: `by named rule (${rules.map((path) => `\`${path}\``).join(", ")})`,
    Field: "field by field",
    Patch: "field by field, and `null` removes a field",
  }[granularity];
}

/** The field of a policy that selects another granularity, and which of two policies has it. */
function strategyWords(merge: MergeRules): string | undefined {
  const { field, values, bases = {} } = merge.granularity;
  const words = Object.entries(values).map(([word, granularity]) => {
    const base = bases[word] === "Overrides" ? "overrides, " : "";
    return `\`${word}\` ${base}${howMuch(granularity, merge)}`;
  });
  if (words.length === 0) return undefined;
  const whose = merge.decidedBy === "Lower" ? "the lower policy" : "the higher policy";
  return `\`${field}\` of ${whose} selects: ${words.join(", ")}`;
}

const annotationWords = ({ annotation }: MergeRules): string | undefined =>
  annotation === undefined
    ? undefined
    : `the annotation \`${annotation.key}\` of the object above decides which of two takes effect`;

/** Lists whose items are settings of their own. */
function listWords({ lists = [] }: MergeRules): string | undefined {
  const words = lists.map(
    ({ path, by }) => `\`${path}\` ${by === undefined ? "are joined" : `are merged by \`${by}\``}`,
  );
  return words.length === 0 ? undefined : `the items of ${words.join(", of ")}`;
}

/** The policies that are merged with each other, where these are not all. */
function partnerWords({ parents, skip = [], mostSpecific = [] }: MergeRules): string | undefined {
  const words = [
    ...(parents === "Closest" ? ["a policy is merged with the closest one above it only"] : []),
    ...(skip.length === 0 ? [] : [`those on ${skip.map(formatLevel).join(", ")} are never merged with lower ones`]),
    ...(mostSpecific.length === 0
      ? []
      : [`those on ${mostSpecific.map(formatLevel).join(", ")} are more specific than all others`]),
  ];
  return words.length === 0 ? undefined : words.join(", and ");
}

/** `first`: the highest of the policies on one target. */
const SAME_TARGET: Readonly<Record<SameTarget, (first: string) => string>> = {
  Established: (first) =>
    first === "oldest"
      ? "on one target the newest policy is the most specific"
      : `on one target the ${first} is the least specific policy`,
  OldestWins: (first) => `on one target the ${first === "oldest" ? "oldest policy" : first} comes first`,
  Conflicted: (first) =>
    `on one target the ${first === "oldest" ? "oldest policy" : first} takes effect, and the others are Conflicted`,
  ConflictedWhereBothSet: () => "on one target a policy that sets a field which an older one sets is Conflicted",
  NoneWins: () => "of several policies on one target none takes effect",
  Undefined: () => "of several policies on one target one takes effect, and it is not defined which",
};

const orderWords = ({ order, groupBy }: Accumulation): string =>
  [
    ...(groupBy === undefined ? [] : [`${keyWords(groupBy)} (${groupBy.values.join(", ")})`]),
    ...order.map(keyWords),
  ].join(", then ");

function keyWords(key: OrderKey): string {
  if (typeof key !== "string") return `\`${key.path ?? key.annotation}\``;
  return {
    Age: "age",
    Name: "name",
    Level: "the level of the target, the highest first",
    Reference: "the order in which the target names them",
  }[key];
}
