/** Gateway API's attachment rules: routes to listeners and mesh Services, ListenerSets to Gateways. */
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Json } from "../../src/core/model/json.ts";
import { type ClusterObject, findObject, labelsOf } from "./cluster-objects.ts";
import { field, fieldAt, mapsIn, textField, textsIn } from "./json-value.ts";
import { factsOf, gatewayGroup, isSameKind, namespaceKind } from "./kind-table.ts";
import { isSelector, selects } from "./label-selector.ts";
import { sectionNodes, type TargetNode } from "./target-node.ts";

/** The part of a parentRef that narrows the parent down. */
export interface ParentRef {
  readonly sectionName?: string | undefined;
  readonly port?: Json | undefined;
}

/** Whether a selector selects a namespace without an object: its labels are not known, so that both is possible. */
export type UnknownLabels = "Selected" | "NotSelected";

/** A listener accepts a route by namespace, kind (and protocol), and hostname. */
export function isRouteAccepted(
  objects: readonly ClusterObject[],
  listener: TargetNode,
  route: ClusterObject,
  definition: PolicyDefinition,
  unknown: UnknownLabels,
): boolean {
  const spec = listener.section?.value ?? {};
  const facts = factsOf(route.ref, definition).route;
  if (facts === undefined || !facts.protocols.includes(textField(spec, "protocol") ?? "")) return false;
  // TLS that is not terminated is for TLSRoutes (Gateway API, TLSModeType).
  const isPassthrough = fieldAt(spec, "tls.mode") === "Passthrough";
  if (isPassthrough && route.ref.kind === "TCPRoute") return false;
  const namespaces = fieldAt(spec, "allowedRoutes.namespaces");
  if (!isNamespaceAllowed(objects, namespaces, listener.object, route, { byDefault: "Same", unknown })) return false;
  const kinds = mapsIn(fieldAt(spec, "allowedRoutes.kinds"));
  const isKindAllowed = kinds.some((kind) =>
    isSameKind(route.ref, { group: textField(kind, "group") ?? gatewayGroup, kind: textField(kind, "kind") ?? "" }),
  );
  if (kinds.length > 0 && !isKindAllowed) return false;
  return (
    !facts.hostnames ||
    doHostnamesMeet(textField(spec, "hostname") ?? "", textsIn(fieldAt(route.raw, "spec.hostnames")))
  );
}

/** "allowedListeners defines which ListenerSets can be attached to this Gateway"; by default none. */
export function isListenerSetAccepted(
  objects: readonly ClusterObject[],
  gateway: ClusterObject,
  set: ClusterObject,
  unknown: UnknownLabels,
): boolean {
  const allowed = fieldAt(gateway.raw, "spec.allowedListeners.namespaces");
  return isNamespaceAllowed(objects, allowed, gateway, set, { byDefault: "None", unknown });
}

function isNamespaceAllowed(
  objects: readonly ClusterObject[],
  allowed: Json | undefined,
  parent: ClusterObject,
  child: ClusterObject,
  { byDefault, unknown }: { readonly byDefault: "Same" | "None"; readonly unknown: UnknownLabels },
): boolean {
  const from = field(allowed, "from") ?? byDefault;
  if (from === "All") return true;
  if (from === "Same") return child.ref.namespace === parent.ref.namespace;
  if (from !== "Selector") return false;
  const home = findObject(objects, { ...namespaceKind, namespace: "", name: child.ref.namespace });
  const selector = field(allowed, "selector");
  if (home !== undefined && selects(selector, labelsOf(home))) return true;
  // An implied Namespace has no document, so its labels are not known.
  const isImplied = home === undefined || field(home.raw, "metadata") === undefined;
  return isImplied && unknown === "Selected" && isSelector(selector);
}

/** No hostname on either side means any. */
function doHostnamesMeet(listener: string, route: readonly string[]): boolean {
  return listener === "" || route.length === 0 || route.some((hostname) => doesHostnameMeet(listener, hostname));
}

/** "*.example.com" is a suffix match of one or more labels, so it does not match "example.com". */
function doesHostnameMeet(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  if (a === b) return true;
  const isUnder = (name: string, wildcard: string) => wildcard.startsWith("*.") && name.endsWith(wildcard.slice(1));
  return isUnder(a, b) || isUnder(b, a);
}

/** True if the parentRef names this listener: without name and port it names all. */
export function isNamed({ section }: TargetNode, { sectionName, port }: ParentRef): boolean {
  const isNamed = sectionName === undefined || textField(section?.value, "name") === sectionName;
  return isNamed && (port === undefined || field(section?.value, "port") === port);
}

/** Mesh (GEP-1294): a route whose parent is a Service; `port` and `sectionName` must name one of its ports. */
export function isServiceNamed(service: ClusterObject, ref: ParentRef, definition: PolicyDefinition): boolean {
  if (ref.sectionName === undefined && ref.port === undefined) return true;
  return sectionNodes(service, definition).some((port) => isNamed(port, ref));
}
