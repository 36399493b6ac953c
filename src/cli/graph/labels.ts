import type { GraphNode, GraphPolicy, PolicyState } from "../../core/explain/graph/result.ts";
import { parseObjectId } from "../../core/model/refs.ts";
import type { Redaction } from "../args/redaction.ts";
import { sectionWord } from "../print/format-paths.ts";

/** `Gateway` above `infra/prod`; for a section `listener` above `http`. */
export function nodeWords({ ref, sectionName, implied, absent }: GraphNode): {
  readonly kind: string;
  readonly name: string;
} {
  if (sectionName !== undefined) return { kind: sectionWord(ref.kind), name: sectionName };
  const name = ref.namespace === "" ? ref.name : `${ref.namespace}/${ref.name}`;
  const remark = implied ? " (not defined)" : absent ? " (not in the input)" : "";
  return { kind: `${ref.kind}${remark}`, name };
}

/** `Gateway infra/prod` or `listener http`: kind and name in one line. */
export function nodeLabel(node: GraphNode): string {
  const { kind, name } = nodeWords(node);
  // The name of an unnamed rule, such as `rule-2`, contains its kind.
  return name.startsWith(`${kind}-`) ? name : `${kind} ${name}`;
}

const STATES: Readonly<Record<PolicyState, string>> = {
  Enforced: "takes effect",
  PartiallyEnforced: "takes effect partly",
  Overridden: "overridden",
  NoPath: "reaches nothing",
  Incomplete: "not known: an object above is not in the input",
  Invalid: "invalid",
  TargetNotFound: "target not found",
  Conflicted: "in conflict",
  NotResolved: "references do not resolve",
};

/** `RetryPolicy friday-fix: takes effect partly`. */
export function policyWords({ policy, state }: GraphPolicy, redaction: Redaction): string {
  const { kind, name } = parseObjectId(policy);
  return `${redaction.isHidden(policy) ? redaction.name(policy) : `${kind} ${name}`}: ${STATES[state]}`;
}

/** Selects the colour of a policy. */
export function colourClassOf({ state }: GraphPolicy): "good" | "partly" | "bad" {
  switch (state) {
    case "Enforced":
      return "good";
    case "PartiallyEnforced":
    case "Incomplete":
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
