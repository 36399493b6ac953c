import type { GraphFold, GraphNode, GraphPolicy, PolicyState } from "../../core/explain/graph/result.ts";
import { type ObjectRef, parseObjectId } from "../../core/model/refs.ts";
import type { Redaction } from "../args/redaction.ts";
import { sectionWord } from "../print/format/format-paths.ts";
import { countWord } from "../print/print-targets.ts";
import { unglued } from "../print/terminal/styled-text.ts";

/** The names that a folded node lists. */
const MOST_NAMES = 3;

/** `Gateway` above `infra/prod`; for a section `listener` above `http`; for a folded node `97 HTTPRoutes` above the first names. */
export function nodeWords({ ref, sectionName, implied, absent, fold }: GraphNode): {
  readonly kind: string;
  readonly name: string;
} {
  if (sectionName !== undefined) return { kind: sectionWord(ref.kind), name: sectionName };
  if (fold !== undefined) return { kind: unglued(countWord(fold.members.length, ref.kind)), name: foldedNames(fold) };
  const remark = implied ? " (not defined)" : absent ? " (not in the input)" : "";
  return { kind: `${ref.kind}${remark}`, name: fullName(ref) };
}

const fullName = ({ namespace, name }: ObjectRef): string => (namespace === "" ? name : `${namespace}/${name}`);

/** `shop/a, shop/b, shop/c and 94 more`. */
const foldedNames = (fold: GraphFold): string => someNames(fold, MOST_NAMES, fullName);

/** The first names of a folded node, without their namespace, that fit into a number of characters; at least one. */
export function fitNames(fold: GraphFold, letters: number): string {
  const nameOf = ({ name }: ObjectRef): string => name;
  for (let count = MOST_NAMES; count > 1; count--) {
    const text = someNames(fold, count, nameOf);
    if (text.length <= letters) return text;
  }
  return someNames(fold, 1, nameOf);
}

function someNames({ members }: GraphFold, count: number, nameOf: (ref: ObjectRef) => string): string {
  const names = members.slice(0, count).map((id) => nameOf(parseObjectId(id)));
  const rest = members.length - names.length;
  return rest > 0 ? `${names.join(", ")} and ${rest} more` : names.join(", ");
}

/** `Gateway infra/prod`, `listener http` or `97 HTTPRoutes: shop/a, shop/b, shop/c and 94 more`: kind and name in one line. */
export function nodeLabel(node: GraphNode): string {
  const { kind, name } = nodeWords(node);
  if (node.fold !== undefined) return `${kind}: ${name}`;
  // The name of an unnamed rule, such as `rule-2`, contains its kind.
  return name.startsWith(`${kind}-`) ? name : `${kind} ${name}`;
}

const STATES: Readonly<Record<PolicyState, string>> = {
  Enforced: "takes effect",
  PartiallyEnforced: "takes effect partly",
  Overridden: "overridden",
  NoPath: "reaches nothing",
  Incomplete: "not known: an object that it depends on is not in the input",
  Invalid: "invalid",
  TargetNotFound: "target not found",
  Conflicted: "in conflict",
  Undefined: "not defined: another policy on the target may take effect instead",
  NotResolved: "references do not resolve",
};

/** A policy of a node in words. */
export interface PolicyLabel {
  /** `RetryPolicy friday-fix`, or for a folded node `RetryPolicy on each`. */
  readonly name: string;
  /** `takes effect partly`. */
  readonly state: string;
  readonly colour: PolicyColour;
}

/** The policies of a node, or of each object of a folded node. */
export function policyLabels({ policies, fold }: GraphNode, redaction: Redaction): readonly PolicyLabel[] {
  return (fold?.policies ?? policies).map((shown) => {
    const { policy, state } = shown;
    const ref = parseObjectId(policy);
    const { name } = ref;
    const kind = redaction.kindName(ref);
    const own = redaction.isHidden(policy) ? redaction.name(policy) : fold === undefined ? `${kind} ${name}` : kind;
    return {
      name: fold === undefined ? own : `${own} on each`,
      state: STATES[state],
      colour: colourOf(shown),
    };
  });
}

/** `RetryPolicy friday-fix: takes effect partly`. */
export const formatPolicy = ({ name, state }: PolicyLabel): string => `${name}: ${state}`;

export type PolicyColour = "good" | "partly" | "bad";

/** The colours of drawings, and what each means. */
export const COLOURS: Readonly<Record<PolicyColour, { readonly colour: string; readonly meaning: string }>> = {
  good: { colour: "#2e7d32", meaning: "takes effect" },
  partly: { colour: "#b26a00", meaning: "takes effect partly, or not known" },
  bad: { colour: "#b3261e", meaning: "does not take effect" },
};

function colourOf({ state }: GraphPolicy): PolicyColour {
  switch (state) {
    case "Enforced":
      return "good";
    case "PartiallyEnforced":
    case "Incomplete":
    case "Undefined":
      return "partly";
    case "Overridden":
    case "NoPath":
    case "Invalid":
    case "TargetNotFound":
    case "Conflicted":
    case "NotResolved":
      return "bad";
  }
}
