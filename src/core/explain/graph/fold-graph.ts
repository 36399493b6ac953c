/** Draws many similar objects as one node. */
import { remember } from "../../model/collections/remember.ts";
import {
  compareText,
  isNamespace,
  kindId,
  type ObjectId,
  parseObjectId,
  parseTargetId,
  type TargetId,
} from "../../model/refs.ts";
import { edgeTables, type Neighbours } from "./edge-tables.ts";
import { compareEdges } from "./graph-edges.ts";
import { rankNodes } from "./rank-nodes.ts";
import type { Graph, GraphEdge, GraphNode } from "./result.ts";

/** The smallest number of similar objects that become one node: without policies of their own, and with. */
const FEWEST = { bare: 4, withPolicies: 25 };

/**
 * Folds objects of one kind and namespace that have the same parents, no drawn section and no policies of their own into one node; many
 * objects also if each has policies of the same kinds in the same states. Children of folded objects have the one node as their parent,
 * so they fold, too. Nodes in `whole` are never folded.
 */
export function foldGraph(graph: Graph, whole: ReadonlySet<TargetId>): Graph {
  const { up, down } = edgeTables(graph.edges);
  const ranks = rankNodes(
    graph.nodes.map(({ id }) => id),
    graph.edges,
  );
  const folds = new Map<TargetId, GraphNode>();
  const drawnAs = new Map<TargetId, TargetId>();
  for (const rank of byRank(graph.nodes, ranks)) {
    const groups = new Map<string, GraphNode[]>();
    for (const node of rank) {
      if (!whole.has(node.id) && isFoldable(node, down))
        remember(groups, likeness(node, up, drawnAs), () => []).push(node);
    }
    for (const group of groups.values()) {
      const [first] = group;
      if (first === undefined || group.length < (first.policies.length === 0 ? FEWEST.bare : FEWEST.withPolicies))
        continue;
      folds.set(first.id, foldOf(first, group));
      for (const { id } of group) drawnAs.set(id, first.id);
    }
  }
  if (folds.size === 0) return graph;
  const nodes = graph.nodes
    .filter(({ id }) => (drawnAs.get(id) ?? id) === id)
    .map((node) => folds.get(node.id) ?? node);
  return { ...graph, nodes, edges: redirect(graph.edges, drawnAs) };
}

/** Nodes with the same parents have the same rank. Nodes on a cycle have none and are not folded. */
function byRank(nodes: readonly GraphNode[], ranks: ReadonlyMap<TargetId, number>): readonly (readonly GraphNode[])[] {
  const levels = new Map<number, GraphNode[]>();
  for (const node of nodes) {
    const rank = ranks.get(node.id);
    if (rank !== undefined) remember(levels, rank, () => []).push(node);
  }
  return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
}

/** A Namespace is not folded: a drawing frames each. */
function isFoldable({ id, ref, sectionName, implied, absent }: GraphNode, down: Neighbours): boolean {
  if (sectionName !== undefined || implied || absent || isNamespace(ref)) return false;
  const { object } = parseTargetId(id);
  return (down.get(id) ?? []).every((child) => parseTargetId(child).object !== object);
}

/** Equal for nodes that may be one: the kind, the namespace, the parents as they are drawn, and the kinds and states of the policies. */
function likeness({ id, ref, policies }: GraphNode, up: Neighbours, drawnAs: ReadonlyMap<TargetId, TargetId>): string {
  const parents = new Set((up.get(id) ?? []).map((parent) => drawnAs.get(parent) ?? parent));
  const states = policies.map(({ policy, state }) => `${kindId(parseObjectId(policy))} ${state}`);
  return [kindId(ref), ref.namespace, ...states.sort(compareText), "", ...[...parents].sort(compareText)].join("\n");
}

const foldOf = (first: GraphNode, group: readonly GraphNode[]): GraphNode => ({
  id: first.id,
  ref: first.ref,
  policies: [],
  fold: { members: group.map(({ id }): ObjectId => parseTargetId(id).object), policies: first.policies },
});

function redirect(edges: readonly GraphEdge[], drawnAs: ReadonlyMap<TargetId, TargetId>): readonly GraphEdge[] {
  const seen = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const [from, to] = [drawnAs.get(edge.from) ?? edge.from, drawnAs.get(edge.to) ?? edge.to];
    seen.set(`${from}>${to}`, { from, to });
  }
  return [...seen.values()].sort(compareEdges);
}
