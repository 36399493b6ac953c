/** The topology as a tree, for a terminal. */
import type { Graph, GraphNode } from "../../core/explain/graph/result.ts";
import type { TargetId } from "../../core/model/refs.ts";
import type { Redaction } from "../args/redaction.ts";
import type { Printer } from "../print/create-printer.ts";
import { type Style, styled } from "../print/styled-text.ts";
import { colourClassOf, nodeLabel, policyWords } from "./labels.ts";

const STYLES: Readonly<Record<ReturnType<typeof colourClassOf>, Style>> = {
  good: "green",
  partly: "yellow",
  bad: "red",
};

/** The prefixes of the lines of a node: of its own line and of the lines below it. */
interface Margin {
  readonly own: string;
  readonly below: string;
}

const ROOT: Margin = { own: "", below: "" };

/** Prints the topology as a tree. A node with several parents is printed in full below the first, and by name only below the others. */
export function printGraph({ nodes, edges }: Graph, redaction: Redaction, print: Printer): void {
  const children = childrenOf({ nodes, edges });
  const printed = new Set<TargetId>();
  const printNode = (node: GraphNode, { own, below }: Margin): void => {
    const under = children.get(node.id) ?? [];
    const isPrinted = printed.has(node.id);
    const hasMore = under.length + node.policies.length > 0;
    print.line(styled(own, "dim"), nodeLabel(node), isPrinted && hasMore ? styled(" (above)", "dim") : "");
    if (isPrinted) return;
    printed.add(node.id);
    const bar = under.length > 0 ? "│ " : "  ";
    for (const policy of node.policies) {
      print.line(
        styled(`${below}${bar}`, "dim"),
        styled(`◆ ${policyWords(policy, redaction)}`, STYLES[colourClassOf(policy)]),
      );
    }
    under.forEach((child, index) => {
      const isLast = index === under.length - 1;
      printNode(child, { own: `${below}${isLast ? "└─ " : "├─ "}`, below: `${below}${isLast ? "   " : "│  "}` });
    });
  };
  const hasParent = new Set(edges.map(({ to }) => to));
  for (const node of nodes) if (!hasParent.has(node.id)) printNode(node, ROOT);
  // Nodes on a cycle have no root above them.
  for (const node of nodes) if (!printed.has(node.id)) printNode(node, ROOT);
}

function childrenOf({ nodes, edges }: Graph): ReadonlyMap<TargetId, readonly GraphNode[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const children = new Map<TargetId, GraphNode[]>();
  for (const { from, to } of edges) {
    const child = byId.get(to);
    if (child === undefined) continue;
    const siblings = children.get(from);
    if (siblings === undefined) children.set(from, [child]);
    else siblings.push(child);
  }
  return children;
}
