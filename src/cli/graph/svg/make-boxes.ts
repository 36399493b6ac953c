import type { GraphEdge, GraphNode } from "../../../core/explain/graph/result.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import { isNamespace, type ObjectId, parseTargetId, type TargetId } from "../../../core/model/refs.ts";
import type { Redaction } from "../../args/redaction.ts";
import type { InlinedGraph } from "../inline-leaves.ts";
import { nodeLabel, type PolicyLabel, policyLabels } from "../labels.ts";
import { BOX } from "./sizes.ts";

/** One line below the head of a box. `y` is its top, from the top of the box. */
export type Row =
  | { readonly row: "policy"; readonly y: number; readonly label: PolicyLabel; readonly indent: number }
  | { readonly row: "section"; readonly y: number; readonly text: string; readonly isFocus: boolean }
  | { readonly row: "leaf"; readonly y: number; readonly leaf: GraphNode; readonly indent: number };

/** An object with its policies, sections and inlined children. */
export interface Box {
  readonly object: ObjectId;
  readonly node: GraphNode;
  readonly rows: readonly Row[];
  readonly height: number;
  /** The vertical middle of the head and of each section, from the top of the box: where their edges begin. */
  readonly middles: ReadonlyMap<TargetId, number>;
}

/** An edge between two boxes. */
export interface BoxEdge {
  /** The object or section that the edge begins at. */
  readonly source: TargetId;
  readonly from: ObjectId;
  readonly to: ObjectId;
}

export interface Boxes {
  readonly boxes: readonly Box[];
  readonly edges: readonly BoxEdge[];
  /** The Namespaces of the graph by name. They are drawn as frames. */
  readonly namespaces: ReadonlyMap<string, GraphNode>;
}

/** Puts sections into the boxes of their objects. Edges from a Namespace to its members are left out: its frame shows them. */
export function makeBoxes(
  { graph, leaves }: InlinedGraph,
  { redaction, focus }: { readonly redaction: Redaction; readonly focus: ReadonlySet<TargetId> },
): Boxes {
  const nodes = new Map<ObjectId, GraphNode>();
  const sections = new Map<ObjectId, GraphNode[]>();
  const namespaces = new Map<string, GraphNode>();
  for (const node of graph.nodes) {
    const { object } = parseTargetId(node.id);
    if (isNamespace(node.ref)) namespaces.set(node.ref.name, node);
    else if (node.sectionName === undefined) nodes.set(object, node);
    else remember(sections, object, () => []).push(node);
  }
  const boxes = [...nodes].map(([object, node]) =>
    makeBox(object, node, sections.get(object) ?? [], { leaves, redaction, focus }),
  );
  return { boxes, edges: boxEdges(graph.edges, nodes), namespaces };
}

function boxEdges(edges: readonly GraphEdge[], nodes: ReadonlyMap<ObjectId, GraphNode>): readonly BoxEdge[] {
  return edges.flatMap(({ from, to }) => {
    const [start, end] = [parseTargetId(from).object, parseTargetId(to).object];
    return start === end || !nodes.has(start) || !nodes.has(end) ? [] : [{ source: from, from: start, to: end }];
  });
}

interface BoxContent {
  readonly leaves: InlinedGraph["leaves"];
  readonly redaction: Redaction;
  readonly focus: ReadonlySet<TargetId>;
}

function makeBox(
  object: ObjectId,
  node: GraphNode,
  sections: readonly GraphNode[],
  { leaves, redaction, focus }: BoxContent,
): Box {
  const rows: Row[] = [];
  const middles = new Map<TargetId, number>([[node.id, BOX.head / 2]]);
  const nextY = (): number => BOX.head + rows.length * BOX.row;
  const addContent = (owner: GraphNode, indent: number): void => {
    for (const label of policyLabels(owner, redaction)) rows.push({ row: "policy", y: nextY(), label, indent });
    for (const leaf of leaves.get(owner.id) ?? []) rows.push({ row: "leaf", y: nextY(), leaf, indent });
  };
  addContent(node, BOX.indent);
  for (const section of sections) {
    middles.set(section.id, nextY() + BOX.row / 2);
    rows.push({ row: "section", y: nextY(), text: nodeLabel(section), isFocus: focus.has(section.id) });
    addContent(section, BOX.indent * 2);
  }
  const height = BOX.head + (rows.length === 0 ? 0 : rows.length * BOX.row + BOX.pad);
  return { object, node, rows, height, middles };
}
