/** The schema of CoverageRules. Parsing checks them by it, and their CRD is generated from it. */
import type { Severity } from "../../finding.ts";
import type { Schema } from "../schema.ts";
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

export const COVERAGE_SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

export const COVERAGE_ENFORCEMENTS = ["Warn", "Deny"] as const;

/** The limit for the condition of a policy's block is the same. */
const MAX_CONDITION = 4096;

const group = optional(
  text,
  "the group of the kind, if only one group has it",
  "API group of the kind; empty for core.",
);

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
  kind: required(name, "Kind of the parent."),
  namespace: optional(text, "none, for cluster-scoped kinds", "Its namespace."),
  name: required(name, "Its name."),
  sectionName: optional(text, "the whole object", "Only targets below this section of it: a listener, a rule."),
});

const labelSelector = object({
  matchLabels: optional(map(text), "none", "Labels that the object must have."),
  matchExpressions: optional(
    list(
      object({
        key: required(name, "The label."),
        operator: required(choice(["In", "NotIn", "Exists", "DoesNotExist"]), "The comparison."),
        values: optional(list(text), "none", "The values to compare with."),
      }),
    ),
    "none",
    "Conditions on labels. All must be true.",
  ),
});

const targets = object({
  levels: required(nonEmptyList(level), "The levels whose objects or sections must be covered."),
  under: optional(list(parent), "anywhere", "Only targets below one of these, and only the paths through them."),
  namespaces: optional(list(name), "all", "Only objects in these namespaces."),
  namespaceSelector: optional(labelSelector, "all", "Only objects in namespaces with these labels."),
  selector: optional(labelSelector, "all", "Only objects with these labels."),
});

/** `spec` of a CoverageRule. */
export const coverageRuleSchema: Schema = object({
  targets: required(targets, "The objects or sections to check."),
  policyKind: required(
    shorthand("a policy kind (RetryPolicy)", { group, kind: required(name, "Name of the kind.") }),
    "The policy kind whose effective policy must meet the condition.",
  ),
  condition: required(
    { ...name, maxLength: MAX_CONDITION },
    "A CEL expression that must be true on every path. `spec` is the effective policy, an empty map without any policy. `self` has `spec`, `target` and `path`.",
  ),
  message: optional(text, "the name of the rule", "The message of a finding."),
  severity: optional(choice(COVERAGE_SEVERITIES), "error", "The severity of a finding."),
  enforce: optional(
    choice(COVERAGE_ENFORCEMENTS),
    "Warn",
    "What the admission webhooks of a cluster do about a change that breaks the rule: `Warn` prints a warning, `Deny` refuses the change.",
  ),
});
