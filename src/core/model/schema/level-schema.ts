/** The schemas of kinds and levels, as PolicyDefinitions name them. */
import { type Field, name, optional, required, shorthand, text } from "./own-kind-schema.ts";
import type { Schema } from "./schema.ts";

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
