import type { Node } from "../effective/paths/path.ts";
import type { Rulebook } from "../effective/world/rulebook.ts";
import type { World } from "../effective/world/world.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, jsonEqual, ownValue } from "../model/json.ts";
import { CRD, GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { parseCrd } from "../model/parse/definition/parse-crd.ts";
import { isNamespace, type KindId, kindId, type ObjectId, type ObjectRef, objectId, targetId } from "../model/refs.ts";
import { namedParent, withParentDefaults } from "./named-parent.ts";
import type { StatusLocation } from "./status-report.ts";

/** A location with a key to sort by that is unique within its object. */
export interface FoundLocation {
  readonly location: StatusLocation;
  readonly key: string;
}

const NO_LOCATIONS: readonly FoundLocation[] = [];

/** Built-in kinds with `status.conditions`. */
const WITH_CONDITIONS: ReadonlySet<KindId> = new Set(
  [
    { group: "", kind: "Namespace" },
    { group: "", kind: "Service" },
    { group: GATEWAY_API, kind: "GatewayClass" },
    { group: GATEWAY_API, kind: "Gateway" },
    { group: GATEWAY_API, kind: "ListenerSet" },
    { group: "gateway.networking.x-k8s.io", kind: "XListenerSet" },
  ].map(kindId),
);

/** Where a node of a path is within the status of its object, as far as the path says it. */
export type StatusPosition =
  | { readonly at: "Object" }
  | { readonly at: "Listener"; readonly name: string }
  /** The entries of a route for the parentRefs that lead to this parent. */
  | { readonly at: "Parent"; readonly parent: ObjectId; readonly section?: string; readonly port?: Json };

const THE_OBJECT: StatusPosition = { at: "Object" };

/** Finds the part of an object's status that has the conditions of a node. A section without a status of its own uses that of its object. */
export class StatusLocationFinder {
  readonly #rulebook: Rulebook;
  readonly #controllerName: string;
  readonly #withConditions: ReadonlySet<KindId>;

  constructor(world: World, controllerName: string) {
    this.#rulebook = world.rulebook;
    this.#controllerName = controllerName;
    this.#withConditions = new Set([...WITH_CONDITIONS, ...kindsWithConditions(world)]);
  }

  /** `nodes`: the path, root first; `at`: the index of the node. Undefined: the path is incomplete, the parent of the route is not in the snapshot. */
  positionOf({ family }: KubeObject, nodes: readonly Node[], at: number): StatusPosition | undefined {
    const node = nodes[at] as Node;
    if (node.section?.section === "Listener") return { at: "Listener", name: node.section.name };
    if (this.#rulebook.factsOf(family.kindId)?.route === undefined) return THE_OBJECT;
    const parent = parentOf(nodes, at);
    if (parent === undefined) return undefined;
    if (parent.section === undefined) return { at: "Parent", parent: parent.id };
    const { name, raw } = parent.section;
    return { at: "Parent", parent: parent.id, section: name, port: raw["port"] ?? null };
  }

  /** The locations of a position in the object as it is now. */
  locationsAt(object: KubeObject, position: StatusPosition): readonly FoundLocation[] {
    switch (position.at) {
      case "Listener":
        return [{ location: { at: "Listener", name: position.name }, key: `1${position.name}` }];
      case "Parent":
        return this.#parentRefs(object, position);
      case "Object":
        return [
          { location: { at: this.#withConditions.has(object.family.kindId) ? "Conditions" : "Annotations" }, key: "" },
        ];
    }
  }

  /** Gateway API, RouteParentStatus: an entry for each of the route's parentRefs that the path comes through. */
  #parentRefs(route: KubeObject, position: ParentPosition): readonly FoundLocation[] {
    const spec = ownValue(route.raw, "spec");
    const own = isJsonObject(spec) ? ownValue(spec, "parentRefs") : undefined;
    if (!isJsonList(own)) return NO_LOCATIONS;
    const refs = own.map((ref) => (isJsonObject(ref) ? withParentDefaults(ref) : ref));
    const found: FoundLocation[] = [];
    for (const [index, parentRef] of refs.entries()) {
      if (!isJsonObject(parentRef) || !this.#leadsTo(parentRef, route.ref, position)) continue;
      if (refs.findIndex((ref) => jsonEqual(ref, parentRef)) < index) continue;
      found.push({
        location: { at: "Parent", parentRef, controllerName: this.#controllerName },
        key: `2${String(index).padStart(6, "0")}`,
      });
    }
    return found;
  }

  #leadsTo(ref: JsonObject, route: ObjectRef, { parent, section, port: portOfSection }: ParentPosition): boolean {
    const named = namedParent({ rulebook: this.#rulebook }, route, ref);
    if (named === undefined || objectId(named) !== parent) return false;
    if (section === undefined) return true;
    const [name, port] = [ownValue(ref, "sectionName"), ownValue(ref, "port")];
    const isNamed = typeof name !== "string" || name === "" || name === section;
    return isNamed && (typeof port !== "number" || port === portOfSection);
  }
}

type ParentPosition = Extract<StatusPosition, { readonly at: "Parent" }>;

/** A unique key of a position within its object. */
export function positionKey(position: StatusPosition): string {
  switch (position.at) {
    case "Object":
      return "";
    case "Listener":
      return `1${position.name}`;
    case "Parent":
      return `2${targetId(position.parent, position.section)} ${JSON.stringify(position.port ?? null)}`;
  }
}

/** The nearest node above the object that is neither it nor a Namespace. */
function parentOf(nodes: readonly Node[], at: number): Node | undefined {
  const id = nodes[at]?.id;
  for (let i = at - 1; i >= 0; i--) {
    const node = nodes[i] as Node;
    if (node.id !== id && !isNamespace(node.ref)) return node;
  }
  return undefined;
}

/** Kinds whose CRD has `status.conditions`. */
function kindsWithConditions(world: World): readonly KindId[] {
  const kinds: KindId[] = [];
  world.objects.ofKind(CRD).forEach((object) => {
    const crd = parseCrd(object);
    if (crd?.hasConditions) kinds.push(kindId(crd));
  });
  return kinds;
}
