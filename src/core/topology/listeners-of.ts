import type { KindFacts } from "../model/definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { GroupKind } from "../model/refs.ts";
import { type AllowedNamespaces, allowedNamespaces } from "./allowed-namespaces.ts";
import type { UpLink } from "./links.ts";
import { sectionsOf } from "./sections-of.ts";

/** A listener, as far as the attachment of routes depends on it. */
export interface Listener {
  /** The index of the listener among its owner's sections. */
  readonly order: number;
  /** The link that every route on this listener has. */
  readonly link: UpLink;
  readonly name: string;
  /** The name as written, even if two listeners declare it. */
  readonly declaredName: string;
  readonly port: number | undefined;
  readonly protocol: string;
  readonly hostname: string | undefined;
  /** True if TLS is not terminated: `tls.mode` is Passthrough. */
  readonly isPassthrough: boolean;
  /** `allowedRoutes.kinds`; empty: every kind that fits the protocol. */
  readonly kinds: readonly GroupKind[];
  readonly namespaces: AllowedNamespaces;
}

/** The listeners of a Gateway, a ListenerSet, or another object with such sections. */
export function listenersOf(owner: KubeObject, facts: KindFacts, section: string): readonly Listener[] {
  const listeners: Listener[] = [];
  for (const [order, item] of sectionsOf(owner, facts).entries()) {
    if (item.section === section) listeners.push(readListener(owner, order, item.name, item.raw));
  }
  return listeners;
}

function readListener(owner: KubeObject, order: number, name: string, raw: JsonObject): Listener {
  const { port, protocol, hostname, tls } = raw;
  const allowedRoutes = raw["allowedRoutes"];
  const allowed = isJsonObject(allowedRoutes) ? allowedRoutes : {};
  return {
    order,
    link: { parent: owner.id, section: name },
    name,
    declaredName: textOr(raw["name"], name),
    port: typeof port === "number" ? port : undefined,
    protocol: textOr(protocol, ""),
    hostname: typeof hostname === "string" && hostname !== "" ? hostname.toLowerCase() : undefined,
    isPassthrough: isJsonObject(tls) && tls["mode"] === "Passthrough",
    kinds: readKinds(allowed["kinds"]),
    namespaces: allowedNamespaces(allowed["namespaces"], "Same"),
  };
}

function readKinds(value: Json | undefined): readonly GroupKind[] {
  const kinds: GroupKind[] = [];
  for (const item of isJsonList(value) ? value : []) {
    if (isJsonObject(item)) kinds.push({ group: textOr(item["group"], GATEWAY_API), kind: textOr(item["kind"], "") });
  }
  return kinds;
}

const textOr = (value: Json | undefined, otherwise: string): string => (typeof value === "string" ? value : otherwise);
