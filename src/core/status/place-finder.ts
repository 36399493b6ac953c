import type { Node } from "../effective/paths/path.ts";
import type { World } from "../effective/world/world.ts";
import { isJsonList, isJsonObject, type JsonObject, jsonEqual, ownValue } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { parseCrd } from "../model/parse/parse-crd.ts";
import { type KindId, kindId, type ObjectRef, targetId } from "../model/refs.ts";
import type { StatusPlace } from "./status-report.ts";

/** A place with a name that sorts and tells it from every other. */
export interface FoundPlace {
  readonly place: StatusPlace;
  readonly key: string;
}

const NO_PLACES: readonly FoundPlace[] = [];

/** Kinds that are built in and have `status.conditions`. */
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

/** Where in an object a node of a path has its conditions. Sections without a status of their own have them on their object. */
export class PlaceFinder {
  readonly #world: World;
  readonly #controllerName: string;
  readonly #withConditions: ReadonlySet<KindId>;
  readonly #parents: Map<string, readonly FoundPlace[]> = new Map();

  constructor(world: World, controllerName: string) {
    this.#world = world;
    this.#controllerName = controllerName;
    this.#withConditions = new Set([...WITH_CONDITIONS, ...kindsWithConditions(world)]);
  }

  /** `nodes`: the path, root first; `at`: the place of the node in it. */
  find(object: KubeObject, nodes: readonly Node[], at: number): readonly FoundPlace[] {
    const node = nodes[at] as Node;
    if (node.section?.section === "Listener") {
      const { name } = node.section;
      return [{ place: { at: "Listener", name }, key: `${object.id}\n1${name}` }];
    }
    const kind = object.family.kindId;
    if (this.#world.rulebook.factsOf(kind)?.route !== undefined) return this.#parentsAbove(object, nodes, at);
    const place: StatusPlace = { at: this.#withConditions.has(kind) ? "Conditions" : "Annotations" };
    return [{ place, key: object.id }];
  }

  /** Gateway API, RouteParentStatus: an entry for each of the route's parentRefs that the path comes through. */
  #parentsAbove(route: KubeObject, nodes: readonly Node[], at: number): readonly FoundPlace[] {
    const parent = parentOf(nodes, at);
    // An incomplete path: the parent is not there, and nothing of ours can be said about it.
    if (parent === undefined) return NO_PLACES;
    const key = `${route.id}\n${targetId(parent.id, parent.section?.name)}`;
    let found = this.#parents.get(key);
    if (found === undefined) {
      found = this.#parentRefs(route, parent);
      this.#parents.set(key, found);
    }
    return found;
  }

  #parentRefs(route: KubeObject, parent: Node): readonly FoundPlace[] {
    const spec = ownValue(route.raw, "spec");
    const refs = isJsonObject(spec) ? ownValue(spec, "parentRefs") : undefined;
    if (!isJsonList(refs)) return NO_PLACES;
    const found: FoundPlace[] = [];
    for (const [index, parentRef] of refs.entries()) {
      if (!isJsonObject(parentRef) || !this.#leadsTo(parentRef, route.ref, parent)) continue;
      if (refs.findIndex((ref) => jsonEqual(ref, parentRef)) < index) continue;
      found.push({
        place: { at: "Parent", parentRef, controllerName: this.#controllerName },
        key: `${route.id}\n2${String(index).padStart(6, "0")}`,
      });
    }
    return found;
  }

  #leadsTo(ref: JsonObject, route: ObjectRef, { ref: parent, section }: Node): boolean {
    const text = (key: string, byDefault: string): string => {
      const value = ownValue(ref, key);
      return typeof value === "string" && value !== "" ? value : byDefault;
    };
    const group = ownValue(ref, "group");
    const kind = this.#world.rulebook.findKind(
      typeof group === "string" ? group : GATEWAY_API,
      text("kind", "Gateway"),
    );
    if (kind === undefined || kindId(kind) !== kindId(parent)) return false;
    if (text("name", "") !== parent.name || text("namespace", route.namespace) !== parent.namespace) return false;
    if (section === undefined) return true;
    const port = ownValue(ref, "port");
    return (
      text("sectionName", section.name) === section.name && (typeof port !== "number" || port === section.raw["port"])
    );
  }
}

/** The nearest node above the object that is neither it nor a Namespace. */
function parentOf(nodes: readonly Node[], at: number): Node | undefined {
  const id = nodes[at]?.id;
  for (let i = at - 1; i >= 0; i--) {
    const node = nodes[i] as Node;
    if (node.id !== id && !(node.ref.kind === "Namespace" && node.ref.group === "")) return node;
  }
  return undefined;
}

const CRD = kindId({ group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" });

/** Kinds whose CRD has `status.conditions`. */
function kindsWithConditions(world: World): readonly KindId[] {
  const kinds: KindId[] = [];
  world.objects.byKind.get(CRD)?.forEach((_, object) => {
    const crd = parseCrd(object);
    if (crd?.hasConditions) kinds.push(kindId(crd));
  });
  return kinds;
}
