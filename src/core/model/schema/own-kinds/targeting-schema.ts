/** The schema of `spec.targeting` of a PolicyDefinition. */
import type { AbsentTarget, CrossNamespace, SelectorNamespaces, Targeting } from "../../definition.ts";
import type { Schema } from "../schema.ts";
import { dottedPath, level, linkChoices, targetKind, workloadKind } from "./level-schema.ts";
import { choice, flag, list, name, object, optional, required } from "./own-kind-schema.ts";

export const targetingChoices: {
  readonly refs: readonly Targeting["refs"][];
  readonly crossNamespace: readonly CrossNamespace[];
  readonly means: readonly AbsentTarget["means"][];
  readonly grants: readonly SelectorNamespaces["grants"][];
} = {
  refs: ["Many", "One"],
  crossNamespace: ["Forbidden", "ReferenceGrant", "Consumer"],
  means: ["OwnNamespace", "Nothing"],
  grants: linkChoices.grants,
};

const namingField = object({
  level: required(level, "The objects or sections that have the field."),
  path: optional(
    dottedPath,
    "none; required without `annotation`",
    "Path relative to the object or section, of a reference (`{group, kind, name}`), a name, or a list of these: `filters[type=ExtensionRef].extensionRef`.",
  ),
  annotation: optional(name, "none", "Key of an annotation of the object that contains a name. Instead of `path`."),
  separator: optional(name, "the field has one name", "The text between several names: `,`."),
});

export const targeting: Schema = object({
  fields: optional(
    object({
      ref: optional(name, "targetRef", "Field of `spec` that contains one target."),
      refs: optional(name, "targetRefs", "Field of `spec` that contains a list of targets."),
      selectors: optional(name, "targetSelectors", "Field of `spec` that contains a list of label selectors."),
    }),
    "the default of each field",
    "Names of the fields that contain the targets of a policy.",
  ),
  refs: optional(choice(targetingChoices.refs), "Many", "The number of targets that a policy may have."),
  impliedKind: optional(
    name,
    "a target must have a kind",
    "The kind of a target without `kind`, one of `kinds`: `Service` lets a policy write `targetRef: {name: cart}`.",
  ),
  selectors: optional(flag, "false", "`true`: targets may be selected by label."),
  selectorNamespaces: optional(
    object({
      field: optional(
        name,
        "none",
        "Field of a selector that says in which namespaces it selects: `{from: Same}`, `{from: All}` or `{from: Selector, selector: {…}}` with the labels of namespaces.",
      ),
      grants: optional(
        choice(targetingChoices.grants),
        "Needed",
        "Whether a target in another namespace needs a ReferenceGrant there.",
      ),
      everywhere: optional(
        list(name),
        "none",
        "Policies in these namespaces select in every namespace, and need no grant.",
      ),
    }),
    "the namespace of the policy",
    "The namespaces in which label selectors select. `crossNamespace` is about targets by name.",
  ),
  crossNamespace: optional(
    choice(targetingChoices.crossNamespace),
    "Forbidden",
    "Targets in other namespaces: never; if a ReferenceGrant permits it; or always, and the policy then takes effect only on traffic from its own namespace (mesh). A cluster-scoped policy may target namespaced objects only with `ReferenceGrant`.",
  ),
  positionalRules: optional(
    flag,
    "false",
    "`true`: `rule-2` may refer to an unnamed rule by its index. Reordering rules then moves policies.",
  ),
  kinds: optional(
    list(targetKind),
    "none; required without `namedBy`",
    "The kinds that may be targeted. A bare name is a kind without sections. Empty: policies have no targets of their own.",
  ),
  absent: optional(
    object({
      means: required(
        choice(targetingChoices.means),
        "The policy is attached to the Namespace it is in, or to nothing: then it is accepted, and takes effect nowhere.",
      ),
      rootNamespace: optional(
        name,
        "none",
        "In this namespace it is attached to every Namespace, as a level above the policies that target the Namespace (mesh).",
      ),
      workloadSelector: optional(
        name,
        "none",
        "Field of `spec` that selects workloads by label (`matchLabels` and `matchExpressions`, `labels`, or a map of labels). Such a policy is attached to those workloads.",
      ),
      workloads: optional(
        list(workloadKind),
        "workloads are not known",
        "The kinds of objects that stand for workloads. They are levels of the hierarchy.",
      ),
    }),
    "a policy needs a target",
    "What a policy without a target is attached to.",
  ),
  namedBy: optional(
    list(namingField),
    "none",
    "Fields of objects that name policies of the kind. A policy is attached to each object and section that names it, directly below the policies that target it.",
  ),
});
