import type { Node } from "../effective/paths/path.ts";
import type { World } from "../effective/world/world.ts";
import { isJsonList, isJsonObject, type JsonObject, jsonEqual, ownValue } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { parseCrd } from "../model/parse/parse-crd.ts";
import { isNamespace, type KindId, kindId, type ObjectRef, objectId, targetId } from "../model/refs.ts";
import { namedParent, withParentDefaults } from "./named-parent.ts";
import type { StatusLocation } from "./status-report.ts";

/** A location with a unique key to sort by. */
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

/** Finds the part of an object's status that has the conditions of a node. A section without a status of its own uses that of its object. */
export class StatusLocationFinder {
  readonly #world: World;
  readonly #controllerName: string;
  readonly #withConditions: ReadonlySet<KindId>;
  readonly #parents: Map<string, readonly FoundLocation[]> = new Map();

  constructor(world: World, controllerName: string) {
    this.#world = world;
    this.#controllerName = controllerName;
    this.#withConditions = new Set([...WITH_CONDITIONS, ...kindsWithConditions(world)]);
  }

  /** `nodes`: the path, root first; `at`: the index of the node. */
  find(object: KubeObject, nodes: readonly Node[], at: number): readonly FoundLocation[] {
    const node = nodes[at] as Node;
    if (node.section?.section === "Listener") {
      const { name } = node.section;
      return [{ location: { at: "Listener", name }, key: `${object.id}\n1${name}` }];
    }
    const kind = object.family.kindId;
    if (this.#world.rulebook.factsOf(kind)?.route !== undefined) return this.#parentsAbove(object, nodes, at);
    const location: StatusLocation = { at: this.#withConditions.has(kind) ? "Conditions" : "Annotations" };
    return [{ location, key: object.id }];
  }

  /** Gateway API, RouteParentStatus: an entry for each of the route's parentRefs that the path comes through. */
  #parentsAbove(route: KubeObject, nodes: readonly Node[], at: number): readonly FoundLocation[] {
    const parent = parentOf(nodes, at);
    // The path is incomplete: its parent is not in the snapshot.
    if (parent === undefined) return NO_LOCATIONS;
    const key = `${route.id}\n${targetId(parent.id, parent.section?.name)}`;
    let found = this.#parents.get(key);
    if (found === undefined) {
      found = this.#parentRefs(route, parent);
      this.#parents.set(key, found);
    }
    return found;
  }

  #parentRefs(route: KubeObject, parent: Node): readonly FoundLocation[] {
    const spec = ownValue(route.raw, "spec");
    const own = isJsonObject(spec) ? ownValue(spec, "parentRefs") : undefined;
    if (!isJsonList(own)) return NO_LOCATIONS;
    const refs = own.map((ref) => (isJsonObject(ref) ? withParentDefaults(ref) : ref));
    const found: FoundLocation[] = [];
    for (const [index, parentRef] of refs.entries()) {
      if (!isJsonObject(parentRef) || !this.#leadsTo(parentRef, route.ref, parent)) continue;
      if (refs.findIndex((ref) => jsonEqual(ref, parentRef)) < index) continue;
      found.push({
        location: { at: "Parent", parentRef, controllerName: this.#controllerName },
        key: `${route.id}\n2${String(index).padStart(6, "0")}`,
      });
    }
    return found;
  }

  #leadsTo(ref: JsonObject, route: ObjectRef, { ref: parent, section }: Node): boolean {
    const named = namedParent(this.#world, route, ref);
    if (named === undefined || objectId(named) !== objectId(parent)) return false;
    if (section === undefined) return true;
    const [name, port] = [ownValue(ref, "sectionName"), ownValue(ref, "port")];
    const isNamed = typeof name !== "string" || name === "" || name === section.name;
    return isNamed && (typeof port !== "number" || port === section.raw["port"]);
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

const CRD = kindId({ group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" });

/** Kinds whose CRD has `status.conditions`. */
function kindsWithConditions(world: World): readonly KindId[] {
  const kinds: KindId[] = [];
  world.objects.ofKind(CRD).forEach((object) => {
    const crd = parseCrd(object);
    if (crd?.hasConditions) kinds.push(kindId(crd));
  });
  return kinds;
}
