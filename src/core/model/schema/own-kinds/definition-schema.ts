/** The schema of PolicyDefinitions. Parsing checks them by it; the CRD and docs/definitions.md are generated from it. */

import { type Ancestors, type StatusState, statusStates } from "../../definition/status-rules.ts";
import type { PolicyClass, PolicyDefinition, PolicyReference, SettingsPosition, Visibility } from "../../definition.ts";
import { type Governs, governsMeanings, governsWords } from "../../words/governs-words.ts";
import type { Schema } from "../schema.ts";
import { dottedPath, kind, level, linkChoices, linkRow } from "./level-schema.ts";
import { merge, partMerge } from "./merge-schema.ts";
import {
  choice,
  flag,
  list,
  name,
  nonEmptyList,
  object,
  optional,
  required,
  shorthand,
  text,
} from "./own-kind-schema.ts";
import { targeting, targetingChoices } from "./targeting-schema.ts";

/** The values that each closed field allows. */
export const choices: typeof linkChoices &
  typeof targetingChoices & {
    readonly class: readonly PolicyClass[];
    readonly scope: readonly ("Namespaced" | "Cluster")[];
    readonly vocabulary: readonly PolicyDefinition["status"]["vocabulary"][];
    readonly ancestors: readonly (Ancestors | "None")[];
    readonly format: readonly PolicyReference["format"][];
    readonly visibility: readonly Visibility[];
    readonly governs: readonly Governs[];
    readonly settings: readonly SettingsPosition[];
  } = {
  ...linkChoices,
  ...targetingChoices,
  class: ["Direct", "Inherited"],
  scope: ["Namespaced", "Cluster"],
  vocabulary: ["Enforced", "Programmed"],
  ancestors: ["Gateway", "Target", "None"],
  format: ["Any", "Certificates"],
  visibility: ["Readers", "Target"],
  governs: governsWords,
  settings: ["Spec", "OptionalSpec", "Root"],
};

const controllerName: Schema = {
  ...text,
  pattern: "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9/._~-]+$",
  "x-prevail-format": "a domain and a path (example.com/controller)",
};

const policies = object({
  group: required(text, "API group of the policy kind. Versions do not matter."),
  kind: required(name, "Name of the policy kind."),
  scope: optional(choice(choices.scope), "Namespaced", "Scope of the policy's CRD."),
});

const kindFacts = object({
  group: required(text, "API group of a kind that is not built in."),
  kind: required(name, "Its name."),
  scope: optional(choice(choices.scope), "Namespaced", "Its scope."),
  plural: optional(text, "none", "A name for the kind on the command line: `gateways`."),
  shortNames: optional(list(text), "none", "More such names: `gtw`."),
  sections: optional(
    list(
      object({
        section: required(name, "Name of the kind of section: `Listener`."),
        path: required(dottedPath, "Dotted path of the list of sections: `spec.listeners`."),
      }),
    ),
    "none",
    "Lists inside the object whose named items are a level below it.",
  ),
  route: optional(
    object({
      protocols: required(list(text), "Listener protocols that accept such routes."),
      hostnames: optional(flag, "false", "`true`: `spec.hostnames` must match the hostname of the listener."),
    }),
    "not a route",
    "Makes it a route kind.",
  ),
});

const hierarchy = object({
  effectiveTargets: optional(
    list(level),
    "the lowest levels that may be targeted (Direct: all of them)",
    "The levels at which paths end: each path at the lowest of these that it has. No targetable level may be below all of them.",
  ),
  namespaces: optional(
    object({
      above: optional(list(kind), "none", "Kinds whose Namespace is a level directly above them."),
    }),
    "none",
    "The objects on which policies that target a Namespace take effect.",
  ),
  roots: optional(
    list(kind),
    "every root of the hierarchy",
    "The kinds at which paths begin. No path leads from above into an object of these kinds.",
  ),
  mesh: optional(
    flag,
    "`true` if `crossNamespace` is `Consumer`, else `false`",
    "`true`: a Service has a path of its own for the requests that no route carries. Direct kinds need no such path.",
  ),
  through: optional(
    list(kind),
    "all",
    "The kinds of objects that may be on a path. Others are not part of the hierarchy of this policy kind.",
  ),
  links: optional(list(linkRow), "none", "Rows that this policy kind adds to the link table."),
  kinds: optional(list(kindFacts), "none", "Kinds of objects that are not built in."),
});

const part = object({
  name: required(name, "A name for messages and answers: `frontend`."),
  paths: required(
    nonEmptyList(dottedPath),
    "Dotted paths in the spec proper: the values there, and everything below them.",
  ),
  targets: optional(
    list(level),
    "those of the kind",
    "The levels that a policy with such settings may target. A policy with another target is Invalid.",
  ),
  effectiveTargets: optional(
    list(level),
    "all of those of the kind",
    "The levels at which such settings take effect, some of `hierarchy.effectiveTargets`. Paths end at the lowest of them, whatever is below.",
  ),
  merge: optional(
    partMerge,
    "merged together with the settings that are in no part",
    "How such settings are merged. A field that is not here, also one in `granularity`, is as in `spec.merge`.",
  ),
  governs: optional(choice(choices.governs), "what `spec.governs` says", "What such settings are about."),
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
  create: optional(flag, "true", "`false`: only structs that the object already has are changed."),
});

const statusWord: Schema = {
  ...text,
  pattern: "^[A-Za-z][A-Za-z0-9./-]*=(True|False)(/[A-Za-z][A-Za-z0-9_]*)?$",
  "x-prevail-format": "a condition (Accepted=False/Conflicted, or Overridden=True for every reason)",
};

const STATE_WORDS: Readonly<Record<StatusState, string>> = {
  Accepted: "accepted",
  Invalid:
    "not accepted because it is invalid. Controllers validate more than Prevail does, so such a condition alone is no difference",
  TargetNotFound: "not accepted because its target does not exist",
  Conflicted: "not accepted because of another policy on its target",
  Enforced: "accepted, and all its settings take effect",
  PartiallyEnforced: "accepted, and some of its settings take effect",
  Overridden: "accepted, and none of its settings takes effect because of other policies",
  NoPath: "accepted, and reaches nothing",
};

/** The reason of a condition, as Kubernetes allows it. */
const reason: Schema = { ...text, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" };

const policyReference = object({
  path: required(
    dottedPath,
    "Dotted path in the spec of a reference, or of a list of references (`{group, kind, name}`).",
  ),
  kinds: required(nonEmptyList(kind), "The kinds of objects that may be referenced. Another kind is `InvalidKind`."),
  keys: optional(
    list(text),
    "none",
    "Keys that `data` of the object must have. Not known for a Secret: its data is never read.",
  ),
  format: optional(choice(choices.format), "Any", "`Certificates`: the values of `keys` are certificates in PEM."),
  reason: optional(
    reason,
    "InvalidReference",
    "The reason of `ResolvedRefs=False` if the object does not exist in the namespace of the policy, or does not contain what it must.",
  ),
  noneValid: optional(
    reason,
    "Invalid",
    "The reason of `Accepted=False` if none of the references at `path` is valid. The policy then keeps its target, and a gateway must not do without it.",
  ),
});

const approximation = object({
  because: required(name, "The difference: a clause without a full stop."),
  paths: optional(
    list(dottedPath),
    "every policy of the kind",
    "Dotted paths in the spec: only a policy with a value at one of them is affected. In a list a number is an index (`targetRefs.1`); otherwise any item counts. `targetRef[kind=Namespace]`: an object with that value. `[mergeType=Merge].rules`: a spec with that value.",
  ),
  with: optional(
    list(dottedPath),
    "nothing else matters",
    "Dotted paths, too: only a policy that also has a value at one of these is affected.",
  ),
});

const governsPaths = object(
  Object.fromEntries(
    governsWords.map((word) => [
      word,
      optional(
        list(dottedPath),
        "none",
        `Paths in the spec proper of settings that are about ${governsMeanings[word]}.`,
      ),
    ]),
  ),
);

/** `spec` of a PolicyDefinition. */
export const definitionSchema: Schema = object({
  policies: required(
    nonEmptyList(policies),
    "The policy kinds whose policies are merged with each other. The first gives the policy kind its name.",
  ),
  class: required(choice(choices.class), "GEP-713, Classes of meta resources."),
  targeting: required(targeting, "The targets that a policy may have."),
  hierarchy: optional(hierarchy, "the default of each field", "The hierarchy, down to the effective targets."),
  merge: optional(merge, "the default of each field", "How specs in conflict are merged."),
  parts: optional(
    list(part),
    "all settings have the same rules",
    "Settings with targets, effective targets or merge rules of their own. The policies of such a kind have no blocks, conditions and removals.",
  ),
  settings: optional(
    choice(choices.settings),
    "Spec",
    "Where the settings of a policy are: in `spec`, in a `spec` that may be absent and is then empty (OptionalSpec), or in the fields beside `metadata` (Root). Only objects may name the policies of a kind with Root, and all of them take effect.",
  ),
  mapsTo: optional(
    list(mapping),
    "none",
    "Fields of objects that the policy sets. The object's own value is the most specific default.",
  ),
  references: optional(
    list(policyReference),
    "none",
    "References in the spec that must resolve. The status then has the condition `ResolvedRefs`.",
  ),
  status: optional(
    object({
      vocabulary: optional(
        choice(choices.vocabulary),
        "Enforced",
        "The type of the condition: Enforced, or Programmed (GEP-713 since 2026).",
      ),
      ancestors: optional(
        choice(choices.ancestors),
        "Target for Direct, Gateway for Inherited",
        "The objects that have an entry in the status: the Gateways (mesh: parent Services) above the targets, or the targets themselves. `None`: the status has conditions, and no ancestors.",
      ),
      owner: optional(
        controllerName,
        "none",
        "The controller that writes the status of the kind. The Prevail controller of this name owns the kind, as with `--own`; one of another name does not write it unless `--own` names the kind.",
      ),
      words: optional(
        object(
          Object.fromEntries(
            statusStates.map((state) => [
              state,
              optional(list(statusWord), "none", `The conditions of a policy that is ${STATE_WORDS[state]}.`),
            ]),
          ),
        ),
        "the words of GEP-713",
        "The conditions that the controllers of the kind write, by what they say. `check` compares the status of policies with what it computes by these words; a condition that is not listed is not compared.",
      ),
    }),
    "the default of each field",
    "The conditions in the status of policies.",
  ),
  controllers: optional(
    list(controllerName),
    "every controller",
    "The controllers that carry the kind out, as `spec.controllerName` of GatewayClasses names them. Behind a Gateway of another controller its policies take no effect.",
  ),
  visibility: optional(
    choice(choices.visibility),
    "Readers",
    "Who sees the values of a policy in the view API: only those who may read the policy (Readers), or also those who may see the effective policies of the target that the values are for (Target).",
  ),
  sensitive: optional(
    list(dottedPath),
    "none",
    "Dotted paths in the spec proper of values that only those see who may read the policy, whatever `visibility` says. Answers with `--redact` never have them. `*` is any key.",
  ),
  governs: optional(
    choice(choices.governs),
    "not declared",
    "What policies of the kind are about. `explain` groups the kinds of an answer by it.",
  ),
  governsPaths: optional(
    governsPaths,
    "all settings are about what `governs` says",
    "Settings that are about something else than `governs` says: the values at these paths and below them. Of several paths the longest counts. `*` is any key.",
  ),
  approximate: optional(
    list(approximation),
    "nothing",
    "Where the definition differs from the implementation. Every answer that depends on such a policy has the caveat `ApproximateDefinition`.",
  ),
});
