/** The schemas of kinds, levels and the links between them, as PolicyDefinitions have them. */
import type { LinkRow } from "../definition.ts";
import { choice, type Field, formatted, name, object, optional, required, shorthand, text } from "./own-kind-schema.ts";
import type { Schema } from "./schema.ts";

export const dottedPath: Schema = formatted("a dotted path");

export const groupOfKind: Field = optional(
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
