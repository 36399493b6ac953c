/** Paths and their nodes. */
import type { JsonObject } from "../../model/json.ts";
import { type ObjectId, type ObjectRef, type TargetId, targetId } from "../../model/refs.ts";
import type { Section } from "../../topology/sections-of.ts";
import type { KindLevel } from "../world/kind-levels.ts";
import type { NodeSets, Stack } from "../world/stack.ts";
import type { PathNode } from "./path-node.ts";

/** A node of the topology: an object, or a section of one. */
export interface Node {
  readonly id: ObjectId;
  readonly ref: ObjectRef;
  /** Absent if the object is implied or virtual. */
  readonly raw: JsonObject | undefined;
  readonly section: Section | undefined;
  readonly level: KindLevel;
  /** The policies on the object and its sections. */
  readonly sets: NodeSets | undefined;
  /** The sections of the object, computed on first access. */
  sections: readonly Section[] | undefined;
  /** The node as plain data, computed on first access. Paths through the node share it. */
  target: TargetId | undefined;
  plain: PathNode | undefined;
}

/** One path down to a node, as a chain, with its stack so far. */
export interface Path {
  readonly up: Path | undefined;
  readonly node: Node;
  readonly stack: Stack;
  /** Mesh: the source of the traffic (`trafficFrom`, or `OTHERS`); undefined for paths that begin at a Gateway. */
  readonly from: string | undefined;
  /** Mesh: the namespaces whose traffic takes another path. */
  readonly elsewhere: ReadonlySet<string> | undefined;
  /**
   * True if an object above the path is not in the snapshot (a parent, or the GatewayClass that names the controller of a Gateway), or if it is
   * not defined which policy takes effect on a target.
   */
  readonly incomplete: boolean;
  /** The first namespaced object: the Gateway, or the mesh Service. */
  readonly ancestor: ObjectId | undefined;
  /** The ports by which a Service was reached. */
  readonly ports: readonly number[];
}

export const sectionNode = ({ id, ref, raw, level, sets }: Node, section: Section): Node => ({
  id,
  ref,
  raw,
  section,
  level,
  sets,
  sections: undefined,
  target: undefined,
  plain: undefined,
});

/** The nodes of a path, the root first. */
export function nodesOf(path: Path): readonly Node[] {
  const nodes: Node[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.up) nodes.push(at.node);
  return nodes.reverse();
}

export function targetOf(node: Node): TargetId {
  node.target ??= targetId(node.id, node.section?.name);
  return node.target;
}

/** A path as plain data: its effective target, and its nodes, the root first. */
export interface PathData {
  readonly target: TargetId;
  readonly nodes: readonly PathNode[];
}

export const pathData = (path: Path): PathData => ({ target: targetOf(path.node), nodes: plainPath(path) });

/** The nodes of a path as plain data, the root first. `last`: one more node at the end. */
export function plainPath(path: Path, last?: PathNode): readonly PathNode[] {
  let length = last === undefined ? 0 : 1;
  for (let at: Path | undefined = path; at !== undefined; at = at.up) length++;
  const nodes = nodeList(length);
  if (last !== undefined) nodes[--length] = last;
  for (let at: Path | undefined = path; at !== undefined; at = at.up) nodes[--length] = plainNode(at.node);
  return nodes;
}

// oxlint-disable-next-line unicorn/no-new-array -- of just this length: a million are made, and a list that grows is three times as large
const nodeList = (length: number): PathNode[] => new Array<PathNode>(length);

function plainNode(node: Node): PathNode {
  const { section } = node;
  node.plain ??= section === undefined ? plainObject(node.ref) : plainSection(node.ref, section.name);
  return node.plain;
}

const plainObject = ({ group, kind, namespace, name }: ObjectRef): PathNode => ({ group, kind, namespace, name });

/** A section of an object as plain data. */
export const plainSection = ({ group, kind, namespace, name }: ObjectRef, sectionName: string): PathNode => ({
  group,
  kind,
  namespace,
  name,
  sectionName,
});

/** The owner of paths that begin at a node: the first object that has a namespace. */
export const ancestorOf = ({ ref, id }: Node): ObjectId | undefined => (ref.namespace === "" ? undefined : id);
