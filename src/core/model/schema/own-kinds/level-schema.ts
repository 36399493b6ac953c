/** The schemas of kinds, levels and the links between them, as PolicyDefinitions have them. */
import type { LinkRow } from "../../definition.ts";
import type { Schema } from "../schema.ts";
import {
  choice,
  type Field,
  flag,
  formatted,
  list,
  name,
  object,
  optional,
  required,
  shorthand,
  text,
} from "./own-kind-schema.ts";

export const dottedPath: Schema = formatted("a dotted path");

const groupOfKind: Field = optional(
  text,
  "the group of the built-in or declared kind",
  "API group of the kind; empty for core.",
);

export const kind: Schema = shorthand("a kind (Gateway)", {
  group: groupOfKind,
  kind: required(name, "Name of the kind."),
});

export const level: Schema = shorthand(
  "a kind or kind and section in one word (HTTPRoute, HTTPRouteRule, GatewayListener, ServicePort)",
  {
    group: groupOfKind,
    kind: required(name, "Name of the kind."),
    section: optional(text, "the whole object", "`Listener`, `Rule`, `Port`: the named sections of such objects."),
  },
);

/** The values that each closed field of a link allows. */
export const linkChoices: {
  readonly via: readonly LinkRow["via"][];
  readonly attachment: readonly NonNullable<LinkRow["attachment"]>[];
  readonly grants: readonly NonNullable<LinkRow["grants"]>[];
} = {
  via: ["ParentRefs", "ParentName", "ChildRefs"],
  attachment: ["RouteToListener", "ListenerSetToGateway", "RouteToService"],
  grants: ["Needed", "NotNeeded"],
};

export const linkRow: Schema = object({
  from: required(level, "The level of the parent."),
  to: required(level, "The level of the child."),
  via: required(
    choice(linkChoices.via),
    "The child has references to its parents at `path`, or the bare name of its parent; or the parent has references to its children there.",
  ),
  path: required(dottedPath, "Dotted path of the reference, relative to the object or section that has it."),
  attachment: optional(
    choice(linkChoices.attachment),
    "none",
    "A further condition: the listener, the Gateway or the Service must accept the child.",
  ),
  grants: optional(
    choice(linkChoices.grants),
    "Needed",
    "For ChildRefs: whether a child in another namespace needs a ReferenceGrant there.",
  ),
  anyName: optional(
    name,
    "none",
    "For ChildRefs: a name that stands for every object of the kind in the namespace, but the object itself: `*`.",
  ),
  byLabel: optional(
    object({
      group: required(text, "API group that such references have."),
      kind: required(name, "Kind that such references have."),
      label: required(name, "Key of the label of the children. The name in the reference is its value."),
      allNamespaces: optional(
        name,
        "none",
        "What a reference has as its namespace to mean children in all namespaces: `all`.",
      ),
    }),
    "none",
    "For ChildRefs: references that name the value of a label instead of an object.",
  ),
});

const forbiddenSetting = object({
  path: required(dottedPath, "Dotted path in the spec proper. Everything below it is forbidden too."),
  bySectionName: optional(
    flag,
    "false",
    "`true`: only for a target with `sectionName`, not for the object as a whole or a target with `port`.",
  ),
  because: optional(text, "no reason", "The reason, for the message: a clause without a full stop."),
});

/** A kind that policies may target. */
export const targetKind: Schema = shorthand("a kind (Gateway)", {
  group: groupOfKind,
  kind: required(name, "A kind that a policy may target."),
  sections: optional(list(text), "none", "Sections that may also be targeted: `Listener`, `Rule`, `Port`."),
  virtual: optional(flag, "false", "`true`: no such object needs to exist (GEP-713, Targeting virtual types)."),
  policies: optional(list(text), "all of them", "The joined policy kinds that may target it."),
  forbids: optional(
    list(forbiddenSetting),
    "nothing",
    "Settings that are not allowed for such a target: a policy that has both is Invalid.",
  ),
  byPort: optional(
    flag,
    "false",
    "`true`: a target may name its sections by their port, in a field `port` or as `sectionName`. It means all sections of the object with that port.",
  ),
  sectionRequired: optional(
    flag,
    "false",
    "`true`: only its sections may be targeted. A target without `sectionName` is refused.",
  ),
});

/** A kind of objects that stand for Pods. */
export const workloadKind: Schema = shorthand("a kind (Pod)", {
  group: groupOfKind,
  kind: required(name, "A kind of objects that stand for Pods."),
  labels: optional(
    dottedPath,
    "metadata.labels",
    "Dotted path of the labels of the Pods: `spec.template.metadata.labels`.",
  ),
  nameLabels: optional(
    list(name),
    "none",
    "Labels of the Pods that contain the name of the object: `gateway.networking.k8s.io/gateway-name`.",
  ),
});
