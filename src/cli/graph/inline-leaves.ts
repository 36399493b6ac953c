import type { Graph, GraphNode } from "../../core/explain/graph/result.ts";
import { remember } from "../../core/model/collections/remember.ts";
import type { TargetId } from "../../core/model/refs.ts";

/** A graph for a drawing, and the nodes that are drawn as lines in the boxes of their parents. */
export interface InlinedGraph {
  readonly graph: Graph;
  /** By the node whose box they are in. */
  readonly leaves: ReadonlyMap<TargetId, readonly GraphNode[]>;
}

/** Takes out the nodes that have nothing to show but their name: no policies, no children, one parent, in its namespace. They become lines in the box of the parent. Nodes in `whole` stay. */
export function inlineLeaves(graph: Graph, whole: ReadonlySet<TargetId>): InlinedGraph {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const parents = new Map<TargetId, TargetId[]>();
  const hasChildren = new Set<TargetId>();
  for (const { from, to } of graph.edges) {
    if (byId.get(from)?.ref.kind === "Namespace") continue;
    remember(parents, to, () => []).push(from);
    hasChildren.add(from);
  }
  const leaves = new Map<TargetId, GraphNode[]>();
  const inlined = new Set<TargetId>();
  for (const node of graph.nodes) {
    const [parent, another] = parents.get(node.id) ?? [];
    const owner = parent === undefined ? undefined : byId.get(parent);
    if (parent === undefined || owner === undefined || another !== undefined || hasChildren.has(node.id)) continue;
    const isPlain =
      node.policies.length === 0 && (node.fold?.policies.length ?? 0) === 0 && !node.absent && !node.implied;
    if (whole.has(node.id) || node.sectionName !== undefined || !isPlain || node.ref.namespace !== owner.ref.namespace)
      continue;
    remember(leaves, parent, () => []).push(node);
    inlined.add(node.id);
  }
  return {
    graph: {
      ...graph,
      nodes: graph.nodes.filter(({ id }) => !inlined.has(id)),
      edges: graph.edges.filter(({ to }) => !inlined.has(to)),
    },
    leaves,
  };
}
