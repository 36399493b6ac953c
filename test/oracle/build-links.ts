/** All links between the nodes of one definition's hierarchy. Each row of the link table is evaluated for each node. */
import type { LevelKind, LinkRow, PolicyDefinition } from "../../src/core/model/definition.ts";
import type { Json } from "../../src/core/model/json.ts";
import type { GroupKind, ObjectId, ObjectRef, TargetId } from "../../src/core/model/refs.ts";
import { type ClusterObject, findObject, labelsOf } from "./cluster-objects.ts";
import {
  isListenerSetAccepted,
  isNamed,
  isRouteAccepted,
  isServiceNamed,
  type ParentRef,
  type UnknownLabels,
} from "./gateway-attachment.ts";
import { field, fieldAt, isList, isMap, textField } from "./json-value.ts";
import { factsOf, gatewayGroup, isPassable, isSameKind, namespaceKind, rowsOf } from "./kind-table.ts";
import { isGranted } from "./reference-grants.ts";
import { isOfLevel, objectNode, sectionNodes, type TargetNode } from "./target-node.ts";

export interface Link {
  readonly parent: TargetNode;
  readonly child: TargetNode;
  /** The link from a mesh Service to its route. A path can contain it only at the start. */
  readonly isMesh: boolean;
  /** The port that a backendRef names. The path continues to this port only. */
  readonly port?: Json | undefined;
}

export interface Links {
  readonly nodes: readonly TargetNode[];
  readonly links: readonly Link[];
  /** Nodes that name a parent which does not exist. */
  readonly orphans: readonly TargetId[];
  /** The parents that objects name and that do not exist; a Namespace whose labels are not known. */
  readonly absentParents: readonly AbsentParent[];
}

interface AbsentParent {
  readonly child: ObjectId;
  readonly parent: ObjectRef;
}

interface Hierarchy {
  readonly objects: readonly ClusterObject[];
  readonly nodes: readonly TargetNode[];
  readonly definition: PolicyDefinition;
}

export function buildLinks(objects: readonly ClusterObject[], definition: PolicyDefinition): Links {
  const nodes = objects.flatMap((object) => [objectNode(object), ...sectionNodes(object, definition)]);
  const hierarchy = { objects, nodes, definition };
  const rows = rowsOf(definition);
  const parents = rows.filter(({ via }) => via !== "ChildRefs").map((row) => followParents(row, hierarchy));
  const upwards = parents.flatMap(({ links }) => links);
  const isMeshOnly = ({ id }: ClusterObject) => {
    const own = upwards.filter(({ child }) => child.object.id === id);
    const isBelowAbsent = parents.some(({ absent }) => absent.some((child) => child === id));
    const isBelowService = own.length > 0 || parents.some(({ absentServices }) => absentServices.includes(id));
    return isBelowService && own.every(({ isMesh }) => isMesh) && !isBelowAbsent;
  };
  const children = rows
    .filter(({ via }) => via === "ChildRefs")
    .flatMap((row) => followChildRefs(row, hierarchy, isMeshOnly));
  const isUsed = ({ object }: TargetNode) => isPassable(object.ref, definition);
  return {
    nodes: nodes.filter(isUsed),
    links: [...ownSections(nodes), ...upwards, ...children].filter(
      ({ parent, child }) => isUsed(parent) && isUsed(child),
    ),
    orphans: parents.flatMap(({ orphans }) => orphans),
    absentParents: parents.flatMap(({ absentParents }) => absentParents),
  };
}

/** A section is a node of its own, one level below its object. */
function ownSections(nodes: readonly TargetNode[]): readonly Link[] {
  return nodes
    .filter(({ section }) => section !== undefined)
    .map((child) => ({ parent: objectNode(child.object), child, isMesh: false }));
}

interface Reference extends ParentRef {
  readonly ref: ObjectRef;
}

interface Parents extends Pick<Links, "links" | "orphans" | "absentParents"> {
  /** Objects that name a parent, other than a Service, which does not exist. */
  readonly absent: readonly ObjectId[];
  /** Objects that name a Service as their parent, which does not exist. */
  readonly absentServices: readonly ObjectId[];
}

function followParents(row: LinkRow, hierarchy: Hierarchy): Parents {
  const links: Link[] = [];
  const orphans: TargetId[] = [];
  const absent: ObjectId[] = [];
  const absentServices: ObjectId[] = [];
  const absentParents: AbsentParent[] = [];
  for (const child of hierarchy.nodes.filter((node) => isOfLevel(node, row.to))) {
    for (const reference of parentsNamedBy(child, row, hierarchy.definition)) {
      const parent = findObject(hierarchy.objects, reference.ref);
      if (parent === undefined) {
        orphans.push(child.id);
        absentParents.push({ child: child.object.id, parent: reference.ref });
        (row.attachment === "RouteToService" ? absentServices : absent).push(child.object.id);
        continue;
      }
      const found = linksTo(parent, child, reference, row, hierarchy, "NotSelected");
      for (const link of found) links.push(link);
      if (found.length === 0 && linksTo(parent, child, reference, row, hierarchy, "Selected").length > 0) {
        orphans.push(child.id);
        absent.push(child.object.id);
        absentParents.push({
          child: child.object.id,
          parent: { ...namespaceKind, namespace: "", name: child.object.ref.namespace },
        });
      }
    }
  }
  return { links, orphans, absent, absentServices, absentParents };
}

function parentsNamedBy(child: TargetNode, row: LinkRow, definition: PolicyDefinition): readonly Reference[] {
  const isClusterScoped = factsOf(row.from, definition).scope === "Cluster";
  const namespace = isClusterScoped ? "" : child.object.ref.namespace;
  const value = valueAt(child, row.path);
  if (row.via === "ParentName") {
    if (typeof value !== "string" || value === "") return [];
    return [{ ref: { group: row.from.group, kind: row.from.kind, namespace, name: value } }];
  }
  const byDefault = child.object.ref.group === gatewayGroup ? { group: gatewayGroup, kind: "Gateway" } : row.from;
  return readReferences(value, row.from, { byDefault, namespace, isClusterScoped });
}

/** A field path is relative to the section if the node is one, else to the object. */
const valueAt = ({ object, section }: TargetNode, path: string): Json | undefined =>
  fieldAt(section === undefined ? object.raw : section.value, path);

/** The references to the wanted kind. The field is a list of references or a single one. */
function readReferences(
  value: Json | undefined,
  wanted: GroupKind,
  { byDefault, namespace, isClusterScoped }: { byDefault: GroupKind; namespace: string; isClusterScoped: boolean },
): readonly Reference[] {
  const items = isList(value) ? value : [value];
  return items.filter(isMap).flatMap((item) => {
    const group = textField(item, "group") ?? byDefault.group;
    const kind = textField(item, "kind") ?? byDefault.kind;
    const name = textField(item, "name");
    if (!name || !isSameKind({ group, kind }, wanted)) return [];
    const home = isClusterScoped ? "" : (textField(item, "namespace") ?? namespace);
    const sectionName = textField(item, "sectionName") || undefined;
    return [{ ref: { group, kind, namespace: home, name }, sectionName, port: field(item, "port") }];
  });
}

function linksTo(
  parent: ClusterObject,
  child: TargetNode,
  reference: Reference,
  row: LinkRow,
  hierarchy: Hierarchy,
  unknown: UnknownLabels,
): readonly Link[] {
  return levelOf(parent, row.from, hierarchy.definition)
    .filter((node) => row.from.section === undefined || isNamed(node, reference))
    .filter((node) => doesAttach(row.attachment, node, child.object, reference, hierarchy, unknown))
    .map((node) => ({ parent: node, child, isMesh: row.attachment === "RouteToService" }));
}

/** Evaluates the attachment rule that the row names. */
function doesAttach(
  attachment: LinkRow["attachment"],
  parent: TargetNode,
  child: ClusterObject,
  reference: Reference,
  { objects, definition }: Hierarchy,
  unknown: UnknownLabels,
): boolean {
  switch (attachment) {
    case undefined:
      return true;
    case "RouteToListener":
      return isRouteAccepted(objects, parent, child, definition, unknown);
    case "ListenerSetToGateway":
      return isListenerSetAccepted(objects, parent.object, child, unknown);
    case "RouteToService":
      return isServiceNamed(parent.object, reference, definition);
  }
}

/** The nodes of the object that belong to the level: the object itself, or its sections. */
function levelOf(object: ClusterObject, level: LevelKind, definition: PolicyDefinition): readonly TargetNode[] {
  return [objectNode(object), ...sectionNodes(object, definition)].filter((node) => isOfLevel(node, level));
}

/**
 * A backendRef across namespaces needs a ReferenceGrant; without one there is no link. A mesh route needs none
 * (GEP-1294: "Unlike `Gateway` bound routes").
 */
function followChildRefs(
  row: LinkRow,
  { objects, nodes, definition }: Hierarchy,
  isMeshOnly: (object: ClusterObject) => boolean,
): readonly Link[] {
  const isClusterScoped = factsOf(row.to, definition).scope === "Cluster";
  return nodes
    .filter((node) => isOfLevel(node, row.from))
    .flatMap((parent) => {
      const { ref } = parent.object;
      const byDefault = ref.group === gatewayGroup ? { group: "", kind: "Service" } : row.to;
      const options = { byDefault, namespace: ref.namespace, isClusterScoped };
      const selected = selectedChildren(row, parent, objects)
        .filter((child) => isNearOrGranted(row, parent.object, child.ref, objects))
        .flatMap((child) => levelOf(child, row.to, definition))
        .map((node): Link => ({ parent, child: node, isMesh: false }));
      const named = readReferences(valueAt(parent, row.path), row.to, options).flatMap((reference): Link[] => {
        const child = findObject(objects, reference.ref);
        if (child === undefined) return [];
        const isNear = isClusterScoped || ref.namespace === "" || reference.ref.namespace === ref.namespace;
        const isFree = isNear || row.grants === "NotNeeded" || isMeshOnly(parent.object);
        if (!isFree && !isGranted(objects, ref, reference.ref)) return [];
        return levelOf(child, row.to, definition)
          .filter((node) => row.to.section === undefined || isNamed(node, { sectionName: reference.sectionName }))
          .map((node) => ({ parent, child: node, isMesh: false, port: reference.port }));
      });
      return [...selected, ...named];
    });
}

/** The children of references that name none: every object of the kind, or those with a label. */
function selectedChildren(
  { to, path, anyName, byLabel }: LinkRow,
  parent: TargetNode,
  objects: readonly ClusterObject[],
): readonly ClusterObject[] {
  const value = valueAt(parent, path);
  const items = (isList(value) ? value : [value]).filter(isMap);
  const others = objects.filter((object) => isSameKind(object.ref, to) && object.id !== parent.object.id);
  return items.flatMap((item) => {
    const home = textField(item, "namespace") || parent.object.ref.namespace;
    const name = textField(item, "name");
    const [group, kind] = [textField(item, "group"), textField(item, "kind")];
    if (byLabel !== undefined && group === byLabel.group && kind === byLabel.kind)
      return others.filter(
        (object) =>
          (home === byLabel.allNamespaces || object.ref.namespace === home) &&
          labelsOf(object).get(byLabel.label) === name,
      );
    const isWanted = isSameKind({ group: group ?? to.group, kind: kind ?? to.kind }, to);
    return isWanted && anyName !== undefined && name === anyName
      ? others.filter((object) => object.ref.namespace === home)
      : [];
  });
}

const isNearOrGranted = (
  { grants }: LinkRow,
  { ref }: ClusterObject,
  child: ObjectRef,
  objects: readonly ClusterObject[],
): boolean => grants === "NotNeeded" || child.namespace === ref.namespace || isGranted(objects, ref, child);
