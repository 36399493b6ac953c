/** The fields of a CoverageRule document: one table that the parser checks against, and that its CRD is written from. */

import type { Severity } from "../finding.ts";
import {
  choice,
  list,
  map,
  name,
  nonEmptyList,
  object,
  optional,
  required,
  shorthand,
  text,
} from "./own-kind-schema.ts";
import type { Schema } from "./schema.ts";

export const COVERAGE_SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

/** As long as the condition of a policy's block may be. */
const MAX_CONDITION = 4096;

const group = optional(text, "that of the kind, where only one group has it", "API group of the kind; empty for core.");

const level: Schema = shorthand(
  "a kind, or kind and section in one word (HTTPRoute, HTTPRouteRule, GatewayListener, ServicePort)",
  {
    group,
    kind: required(name, "Name of the kind."),
    section: optional(text, "the whole object", "`Listener`, `Rule`, `Port`: each such section of the objects."),
  },
);

const parent = object({
  group,
  kind: required(name, "Kind of the object above."),
  namespace: optional(text, "none, for cluster-scoped kinds", "Its namespace."),
  name: required(name, "Its name."),
  sectionName: optional(text, "the whole object", "Only what hangs below this section of it: a listener, a rule."),
});

const labelSelector = object({
  matchLabels: optional(map(text), "none", "Labels that it must have."),
  matchExpressions: optional(
    list(
      object({
        key: required(name, "The label."),
        operator: required(choice(["In", "NotIn", "Exists", "DoesNotExist"]), "How it compares."),
        values: optional(list(text), "none", "With what."),
      }),
    ),
    "none",
    "Conditions on labels; all must hold.",
  ),
});

const targets = object({
  levels: required(nonEmptyList(level), "What must be covered."),
  under: optional(list(parent), "anywhere", "Only what hangs below one of these, on the paths through them."),
  namespaces: optional(list(name), "all", "Only objects in these namespaces."),
  namespaceSelector: optional(labelSelector, "all", "Only objects in namespaces with these labels."),
  selector: optional(labelSelector, "all", "Only objects with these labels."),
});

/** `spec` of a CoverageRule. */
export const coverageRuleSchema: Schema = object({
  targets: required(targets, "The objects, or sections of objects, that the rule is about."),
  policyKind: required(
    shorthand("a policy kind (AuthPolicy)", { group, kind: required(name, "Name of the kind.") }),
    "The policy kind whose effective policy must meet the condition.",
  ),
  condition: required(
    { ...name, maxLength: MAX_CONDITION },
    "CEL: what must hold of the effective policy on every path, bound as `spec`; without any policy that is an empty map. `self` has `spec`, `target` and `path`.",
  ),
  message: optional(text, "the name of the rule", "What to tell whoever breaks the rule."),
  severity: optional(choice(COVERAGE_SEVERITIES), "error", "How bad it is."),
});
