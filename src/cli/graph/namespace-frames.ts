import type { Graph, GraphNode } from "../../core/explain/graph/result.ts";
import { remember } from "../../core/model/collections/remember.ts";
import { compareText } from "../../core/model/refs.ts";

/** The nodes of one namespace. */
export interface NamespaceFrame {
  /** Empty: cluster-scoped objects, which have no frame. */
  readonly namespace: string;
  /** The Namespace itself, if it is in the graph. Its policies are in the title of the frame. */
  readonly node: GraphNode | undefined;
  readonly nodes: readonly GraphNode[];
}

/** Groups nodes by namespace, sorted by name. A Namespace with members is the frame around them and no node of its own. */
export function namespaceFrames({ nodes }: Graph): readonly NamespaceFrame[] {
  const members = new Map<string, GraphNode[]>();
  const own = new Map<string, GraphNode>();
  for (const node of nodes) {
    const { group, kind, namespace, name } = node.ref;
    if (kind === "Namespace" && group === "") own.set(name, node);
    else remember(members, namespace, () => []).push(node);
  }
  return [...new Set([...members.keys(), ...own.keys()])]
    .sort(compareText)
    .map((namespace) => ({ namespace, node: own.get(namespace), nodes: members.get(namespace) ?? [] }));
}
