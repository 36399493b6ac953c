/** Every target path of a definition: each way from a root down to an effective target. */
import type { LevelKind, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Json } from "../../src/core/model/json.ts";
import type { GroupKind } from "../../src/core/model/refs.ts";
import { buildLinks, type Links } from "./build-links.ts";
import { type ClusterObject, findObject } from "./cluster-objects.ts";
import { field, textField, unique } from "./json-value.ts";
import { gatewayClassKind, isSameKind, namespaceKind, rowsOf, serviceKind } from "./kind-table.ts";
import { isOfLevel, objectNode, type TargetNode } from "./target-node.ts";

export interface TargetPath {
  /** From the root (first) to the effective target (last). */
  readonly nodes: readonly TargetNode[];
  /** Mesh: the namespace whose traffic takes this path (`trafficOf`), or `others`. */
  readonly from?: string;
  /** Mesh, with `from: others`: the namespaces that have routes of their own for their traffic. */
  readonly elsewhere?: readonly string[];
  readonly incomplete?: true;
}

/** Parts that take effect at levels of their own are like kinds of their own, so the paths of each part are found apart. */
export function findPaths(objects: readonly ClusterObject[], definition: PolicyDefinition): readonly TargetPath[] {
  const { parts = [], hierarchy } = definition;
  const lists = parts.flatMap(({ effectiveTargets }) => (effectiveTargets === undefined ? [] : [effectiveTargets]));
  if (lists.length === 0) return findPathsTo(objects, definition);
  const isListed = (level: LevelKind) =>
    lists.flat().some((one) => isSameKind(one, level) && one.section === level.section);
  const rest = hierarchy.effectiveTargets.filter((level) => !isListed(level));
  return distinct(
    [...lists, rest].flatMap((effectiveTargets) =>
      findPathsTo(objects, { ...definition, hierarchy: { ...hierarchy, effectiveTargets } }),
    ),
  );
}

function findPathsTo(objects: readonly ClusterObject[], definition: PolicyDefinition): readonly TargetPath[] {
  const graph = buildLinks(objects, definition);
  const isEnforced = ({ nodes }: TargetPath) => nodes.every(({ object }) => !isForeign(object, objects, definition));
  const judged = (path: TargetPath): TargetPath =>
    path.nodes.some(({ object }) => isOfUnknownClass(object, objects, definition))
      ? { ...path, incomplete: true }
      : path;
  if (definition.class === "Direct") return distinct(directPaths(graph, definition)).filter(isEnforced).map(judged);
  const starts = graph.nodes.filter((node) => isRoot(node, graph, definition));
  const orphans = graph.nodes.filter((node) => graph.orphans.includes(node.id) && !starts.includes(node));
  const paths = [
    ...starts.flatMap((start) =>
      isSameKind(start.object.ref, serviceKind)
        ? [...meshPaths(start, graph, definition), ...ownPaths(start, graph, definition)]
        : walkDown(start, graph, definition).map((nodes) => ({ nodes })),
    ),
    ...orphans.flatMap((orphan) =>
      walkDown(orphan, graph, definition).map((nodes) => ({ nodes, incomplete: true as const })),
    ),
  ];
  return distinct(paths.filter(isEnforced).map(judged));
}

/** A Gateway whose GatewayClass names a controller that the definition does not list: no policy of the kind takes effect behind it. */
export function isForeign(
  { ref, raw }: ClusterObject,
  objects: readonly ClusterObject[],
  definition: PolicyDefinition,
): boolean {
  if (definition.controllers.length === 0 || !isSameKind(ref, { ...gatewayClassKind, kind: "Gateway" })) return false;
  const controller = controllerOf(raw, objects);
  return controller !== undefined && !definition.controllers.includes(controller);
}

/** A Gateway whose GatewayClass is not in the cluster: whether a controller carries the kind out behind it is not known. */
function isOfUnknownClass(
  { ref, raw }: ClusterObject,
  objects: readonly ClusterObject[],
  definition: PolicyDefinition,
): boolean {
  if (definition.controllers.length === 0 || !isSameKind(ref, { ...gatewayClassKind, kind: "Gateway" })) return false;
  return controllerOf(raw, objects) === undefined;
}

function controllerOf(gateway: ClusterObject["raw"], objects: readonly ClusterObject[]): string | undefined {
  const name = textField(field(gateway, "spec"), "gatewayClassName") ?? "";
  const gatewayClass = findObject(objects, { ...gatewayClassKind, namespace: "", name });
  return textField(field(gatewayClass?.raw, "spec"), "controllerName") || undefined;
}

/** Duplicate parentRefs or backends give one path. */
function distinct(paths: readonly TargetPath[]): readonly TargetPath[] {
  const keyOf = ({ nodes, from, incomplete }: TargetPath) =>
    JSON.stringify([nodes.map(({ id }) => id), from ?? null, incomplete ?? null]);
  return paths.filter((path, i) => paths.findIndex((other) => keyOf(other) === keyOf(path)) === i);
}

/** True for a root of the hierarchy; if the definition names root kinds, for the objects of these kinds. */
function isRoot(node: TargetNode, { links }: Links, definition: PolicyDefinition): boolean {
  if (node.section !== undefined) return false;
  const { roots } = definition.hierarchy;
  const kind: GroupKind = node.object.ref;
  if (roots.length > 0) return roots.some((root) => isSameKind(root, kind));
  if (definition.hierarchy.mesh && isSameKind(kind, serviceKind)) return true;
  const isMeshParent = links.some(({ isMesh, parent }) => isMesh && parent.id === node.id);
  return isMeshParent || !rowsOf(definition).some(({ to }) => isSameKind(to, kind));
}

/**
 * A path continues down as long as an effective target is reachable, and ends at the lowest one. `ports` are the ports
 * that the backendRefs to this node name.
 */
function walkDown(
  node: TargetNode,
  graph: Links,
  definition: PolicyDefinition,
  ports: readonly (Json | undefined)[] = [],
  visited: readonly TargetNode[] = [],
): readonly (readonly TargetNode[])[] {
  const links = graph.links.filter(({ parent, isMesh }) => parent.id === node.id && !isMesh);
  const children = unique(links.map(({ child }) => child.id)).flatMap((id) =>
    graph.nodes.filter((one) => one.id === id),
  );
  const below = children
    .filter((child) => [...visited, node].every(({ id }) => id !== child.id))
    .filter((child) => isPortNamed(child, ports))
    // Paths begin at the roots that a definition names: none leads into one.
    .filter(
      ({ object, section }) =>
        section !== undefined || !definition.hierarchy.roots.some((root) => isSameKind(root, object.ref)),
    )
    .flatMap((child) => {
      const named = links.filter((link) => link.child.id === child.id).map(({ port }) => port);
      return walkDown(child, graph, definition, named, [...visited, node]);
    })
    .map((tail) => [node, ...tail]);
  if (below.length > 0) return below;
  return isEffectiveTarget(node, definition) ? [[node]] : [];
}

/** A backendRef with `port: 80` leads to port 80 of the Service and to no other port. */
function isPortNamed({ section }: TargetNode, ports: readonly (Json | undefined)[]): boolean {
  if (section?.type !== "Port" || ports.length === 0 || ports.includes(undefined)) return true;
  return ports.includes(field(section.value, "port"));
}

function isEffectiveTarget(node: TargetNode, { hierarchy }: PolicyDefinition): boolean {
  return hierarchy.effectiveTargets.some((level) => isOfLevel(node, level));
}

/** A Direct kind is not inherited: its paths consist of an object and its sections. */
function directPaths(graph: Links, definition: PolicyDefinition): readonly TargetPath[] {
  const sectionLinks = graph.links.filter(({ parent, child }) => parent.object === child.object);
  return graph.nodes
    .filter(({ section }) => section === undefined)
    .flatMap((node) => walkDown(node, { ...graph, links: sectionLinks }, definition))
    .map((nodes) => ({ nodes }));
}

/**
 * GEP-1294: a producer route (in the Service's namespace) carries the traffic of all namespaces; a consumer route carries
 * the traffic of its own namespace instead of the producer's route. A Service without routes has no mesh path.
 */
function meshPaths(service: TargetNode, graph: Links, definition: PolicyDefinition): readonly TargetPath[] {
  const routes = graph.links
    .filter(({ isMesh, parent }) => isMesh && parent.id === service.id)
    .map(({ child }) => child);
  const home = service.object.ref.namespace;
  const namespaceOf = ({ object }: TargetNode) => object.ref.namespace;
  const consumers = unique(routes.map(namespaceOf).filter((namespace) => namespace !== home)).map(trafficOf);
  return routes.flatMap((route) => {
    const isProducer = namespaceOf(route) === home;
    const whose = isProducer ? { from: "others", elsewhere: consumers } : { from: trafficOf(namespaceOf(route)) };
    return walkDown(route, graph, definition).map((tail) => ({ nodes: [service, ...tail], ...whose }));
  });
}

/** In a mesh the requests that no route carries go to the Service itself. A Service that is a root has a path in any case. */
function ownPaths(service: TargetNode, graph: Links, definition: PolicyDefinition): readonly TargetPath[] {
  const { mesh, roots } = definition.hierarchy;
  const alone = walkDown(service, graph, definition).map((nodes) => ({ nodes }));
  if (!mesh) return roots.length > 0 ? alone : [];
  const routes = graph.links.filter(({ isMesh, parent }) => isMesh && parent.id === service.id);
  const homes = routes.map(({ child }) => child.object.ref.namespace);
  const home = service.object.ref.namespace;
  if (homes.includes(home)) return [];
  return alone.map((path) => ({ ...path, from: "others", elsewhere: unique(homes).map(trafficOf) }));
}

/** A namespace called `others` is written `namespace/others`. */
export const trafficOf = (namespace: string): string => (namespace === "others" ? "namespace/others" : namespace);

/**
 * A Namespace is directly above each object of the listed kinds, once on a path, at its highest level. In a mesh the Namespace
 * that requests come from is the highest level, and the frontend has none: its Namespace is above the backend.
 */
export function withNamespaces(
  { nodes, from }: TargetPath,
  objects: readonly ClusterObject[],
  { class: policyClass, hierarchy }: PolicyDefinition,
): readonly TargetNode[] {
  if (policyClass === "Direct" || hierarchy.namespacesAbove.length === 0) return nodes;
  const namespaceNamed = (name: string) => findObject(objects, { ...namespaceKind, namespace: "", name });
  const consumer = from === undefined || from === "others" ? undefined : namespaceNamed(from.replace("namespace/", ""));
  const found: TargetNode[] = consumer === undefined ? [] : [objectNode(consumer)];
  for (const [at, node] of nodes.entries()) {
    const isFrontend = from !== undefined && at === 0 && nodes.some(({ object }) => object.id !== node.object.id);
    const isBelow =
      node.section === undefined &&
      !isFrontend &&
      hierarchy.namespacesAbove.some((kind) => isSameKind(kind, node.object.ref));
    const home = namespaceNamed(node.object.ref.namespace);
    if (isBelow && home !== undefined && found.every(({ object }) => object.id !== home.id))
      found.push(objectNode(home));
    found.push(node);
  }
  return found;
}
