/**
 * The fields of a PolicyDefinition document: one table that the parser checks against and that the reference page
 * (docs/definitions.md) is generated from.
 */

import type { CrossNamespace, LinkRow, MergeRules, PolicyClass, PolicyDefinition, Targeting } from "../definition.ts";
import {
  choice,
  flag,
  formatted,
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

/** The words allowed in each closed field. */
export const choices: {
  readonly class: readonly PolicyClass[];
  readonly scope: readonly ("Namespaced" | "Cluster")[];
  readonly refs: readonly Targeting["refs"][];
  readonly crossNamespace: readonly CrossNamespace[];
  readonly via: readonly LinkRow["via"][];
  readonly attachment: readonly NonNullable<LinkRow["attachment"]>[];
  readonly strategy: readonly ("None" | "DefaultsAndOverrides")[];
  readonly granularity: readonly ("Atomic" | "Patch" | "Merge" | "Field")[];
  readonly base: readonly ("Defaults" | "Overrides")[];
  readonly blocks: readonly MergeRules["blocks"][];
  readonly bare: readonly MergeRules["bare"][];
  readonly decidedBy: readonly MergeRules["decidedBy"][];
  readonly sameTarget: readonly MergeRules["sameTarget"][];
  readonly vocabulary: readonly PolicyDefinition["status"]["vocabulary"][];
} = {
  class: ["Direct", "Inherited"],
  scope: ["Namespaced", "Cluster"],
  refs: ["Many", "One"],
  crossNamespace: ["Forbidden", "ReferenceGrant", "Consumer"],
  via: ["ParentRefs", "ParentName", "ChildRefs"],
  attachment: ["RouteToListener", "ListenerSetToGateway", "RouteToService"],
  strategy: ["None", "DefaultsAndOverrides"],
  granularity: ["Atomic", "Patch", "Merge", "Field"],
  base: ["Defaults", "Overrides"],
  blocks: ["Combined", "Exclusive"],
  bare: ["AtomicDefaults", "Direct"],
  decidedBy: ["Higher", "Lower", "Annotation"],
  sameTarget: ["Established", "OldestWins"],
  vocabulary: ["Enforced", "Programmed"],
};

/** How a custom strategy is spelled: `Custom/<name>`. */
export const CUSTOM_PREFIX = "Custom/";

const dottedPath: Schema = formatted("a dotted path");
const granularity: Schema = {
  ...text,
  pattern: `^(${choices.granularity.join("|")}|${CUSTOM_PREFIX}.+)$`,
  "x-prevail-words": [...choices.granularity, `${CUSTOM_PREFIX}<name>`],
};

const groupOfKind = optional(
  text,
  "the group of the built-in or declared kind",
  "API group of the kind; empty for core.",
);

const kind: Schema = shorthand("a kind (Gateway)", { group: groupOfKind, kind: required(name, "Name of the kind.") });

const level: Schema = shorthand(
  "a kind or kind and section in one word (HTTPRoute, HTTPRouteRule, GatewayListener, ServicePort)",
  {
    group: groupOfKind,
    kind: required(name, "Name of the kind."),
    section: optional(text, "the whole object", "`Listener`, `Rule`, `Port`: the named sections of such objects."),
  },
);

const policies = object({
  group: required(text, "API group of the policy kind. Versions do not matter."),
  kind: required(name, "Name of the policy kind."),
  scope: optional(choice(choices.scope), "Namespaced", "Scope of the policy's CRD."),
});

const forbiddenSetting = object({
  path: required(dottedPath, "Dotted path in the spec proper: it, and whatever is in it."),
  because: optional(text, "no reason", "Why, for the message: a clause without a full stop."),
});

const targetKind: Schema = shorthand("a kind (Gateway)", {
  group: groupOfKind,
  kind: required(name, "A kind that a policy may target."),
  sections: optional(list(text), "none", "Sections that may be targeted too: `Listener`, `Rule`, `Port`."),
  virtual: optional(flag, "false", "No such object needs to exist (GEP-713, Targeting virtual types)."),
  policies: optional(list(text), "all of them", "Which of the joined policy kinds may target it."),
  forbids: optional(
    list(forbiddenSetting),
    "nothing",
    "Settings that make no sense there: a policy that has one of them and names such a target is Invalid.",
  ),
});

const targeting = object({
  fields: optional(
    object({
      ref: optional(name, "targetRef", "Spec field that holds one target."),
      refs: optional(name, "targetRefs", "Spec field that holds a list of targets."),
      selectors: optional(name, "targetSelectors", "Spec field that holds a list of label selectors."),
    }),
    "each its default",
    "Where a policy names its targets.",
  ),
  refs: optional(choice(choices.refs), "Many", "How many targets one policy may name."),
  selectors: optional(flag, "false", "Whether targets may be selected by label."),
  crossNamespace: optional(
    choice(choices.crossNamespace),
    "Forbidden",
    "Targets in other namespaces: never; where a ReferenceGrant allows it; or freely, acting on traffic from the policy's own namespace only (mesh).",
  ),
  positionalRules: optional(
    flag,
    "false",
    "Whether `rule-2` may name an unnamed rule by its place. Reordering rules then moves policies.",
  ),
  kinds: required(
    nonEmptyList(targetKind),
    "The kinds that may be targeted; a bare name stands for the kind without sections.",
  ),
});

const linkRow = object({
  from: required(level, "The level above."),
  to: required(level, "The level below."),
  via: required(
    choice(choices.via),
    "The child refers to its parents at `path`, or holds its parent's bare name there; or the parent refers to its children.",
  ),
  path: required(dottedPath, "Dotted path of the reference, relative to the object or section that holds it."),
  attachment: optional(choice(choices.attachment), "none", "A handshake that must succeed as well."),
});

const kindFacts = object({
  group: required(text, "API group of a kind that is not built in."),
  kind: required(name, "Its name."),
  scope: optional(choice(choices.scope), "Namespaced", "Its scope."),
  plural: optional(text, "none", "A name that people may use for it on the command line: `gateways`."),
  shortNames: optional(list(text), "none", "More such names: `gtw`."),
  sections: optional(
    list(
      object({
        section: required(name, "What a section is called: `Listener`."),
        path: required(dottedPath, "Dotted path of the list that holds the sections: `spec.listeners`."),
      }),
    ),
    "none",
    "Lists inside the object whose named items are levels of their own.",
  ),
  route: optional(
    object({
      protocols: required(list(text), "Listener protocols that take such routes."),
      hostnames: optional(flag, "false", "Whether `spec.hostnames` takes part in attachment."),
    }),
    "not a route",
    "Makes it a route kind.",
  ),
});

const hierarchy = object({
  effectiveTargets: optional(
    list(level),
    "the lowest levels that may be targeted (Direct: all of them)",
    "Where paths end: at the lowest of these that is there. Nothing that may be targeted may lie below.",
  ),
  namespaces: optional(
    object({
      above: optional(list(kind), "none", "Kinds directly above which their Namespace is a level."),
    }),
    "none",
    "How policies on a Namespace reach down.",
  ),
  roots: optional(list(kind), "every root of the hierarchy", "Where paths may begin."),
  through: optional(
    list(kind),
    "all",
    "The kinds of objects that paths may pass; others are not part of this kind's hierarchy.",
  ),
  links: optional(list(linkRow), "none", "Rows that this kind adds to the link table."),
  kinds: optional(list(kindFacts), "none", "Kinds of objects that are not built in."),
});

const annotation = object({
  key: required(name, "Annotation on the object that the higher policy targets."),
  values: required(
    map(
      object({
        base: required(choice(choices.base), "Which side wins."),
        granularity: required(granularity, "How much is compared at once."),
      }),
    ),
    "What each value of the annotation means.",
  ),
});

const merge = object({
  strategy: optional(
    choice(choices.strategy),
    "None for Direct, DefaultsAndOverrides for Inherited",
    "GEP-713's None (on one target the oldest policy wins, the others are not accepted), or defaults and overrides.",
  ),
  granularity: optional(
    object({
      default: optional(granularity, "Atomic", "Granularity of a block that names none."),
      field: optional(name, "strategy", "Field beside the rules that names one of `values`."),
      values: optional(
        map(granularity),
        "none: a field of that name is spec proper like any other",
        "The words that policies use, and the granularity that each stands for.",
      ),
    }),
    "each its default",
    "How much of two specs is compared at once.",
  ),
  rules: optional(
    list(dottedPath),
    "none",
    "For Merge: paths of the maps of named rules in the spec proper (`limits`; `rules.*`: every map in `rules`).",
  ),
  atomicPaths: optional(
    list(dottedPath),
    "none",
    "For Field: paths of maps that are one value, besides those that the CRD's schema shows to be. Not in kinds that support Patch, too.",
  ),
  blocks: optional(choice(choices.blocks), "Combined", "Whether one policy may hold both defaults and overrides."),
  bare: optional(
    choice(choices.bare),
    "AtomicDefaults",
    "What the rules of a policy without blocks are: defaults (of the kind's default granularity, unless the policy names another), or a Direct policy that beats even overrides and never mixes. Beside a block they are defaults.",
  ),
  decidedBy: optional(
    choice(choices.decidedBy),
    "Higher",
    "Whose strategy decides between two policies: the higher one's, the lower one's, or an annotation's.",
  ),
  annotation: optional(annotation, "none", "For `decidedBy: Annotation`."),
  sameTarget: optional(
    choice(choices.sameTarget),
    "Established",
    "Defaults on one target: the newer wins as the lower of the two (GEP-713), or the first created wins.",
  ),
});

const mapping = object({
  from: optional(dottedPath, "all of the spec proper", "Dotted path in the spec proper."),
  to: required(
    shorthand("a level and a path (HTTPRoute spec.rules[].retry)", {
      level: required(level, "A level on the path."),
      path: required(dottedPath, "Path relative to it: `retry`, `spec.rules[].filters[type=RetryFilter].retryOn`."),
    }),
    "The field of an object on the path that the policy sets.",
  ),
  create: optional(flag, "true", "`false`: only structs that are already there are touched."),
});

/** `spec` of a PolicyDefinition. */
export const definitionSchema: Schema = object({
  policies: required(
    nonEmptyList(policies),
    "The policy kinds that share one stack; the first gives the policy kind its name.",
  ),
  class: required(choice(choices.class), "GEP-713, Classes of meta resources."),
  targeting: required(targeting, "What a policy may target, and how."),
  hierarchy: optional(hierarchy, "each its default", "How policies flow down to their effective target."),
  merge: optional(merge, "each its default", "How specs in conflict become one."),
  mapsTo: optional(
    list(mapping),
    "none",
    "Fields of objects that the policy sets; an object's own value is the most specific default.",
  ),
  status: optional(
    object({
      vocabulary: optional(
        choice(choices.vocabulary),
        "Enforced",
        "The condition's word: Enforced, or Programmed (GEP-713 since 2026).",
      ),
    }),
    "each its default",
    "How verdicts are worded.",
  ),
});
