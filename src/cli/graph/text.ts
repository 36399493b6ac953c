/** The topology as a tree, for a terminal. */
import { edgeTables } from "../../core/explain/graph/edge-tables.ts";
import type { Graph, GraphNode } from "../../core/explain/graph/result.ts";
import type { TargetId } from "../../core/model/refs.ts";
import type { Printer } from "../print/terminal/create-printer.ts";
import { type Style, styled } from "../print/terminal/styled-text.ts";
import type { Drawn } from "./drawn.ts";
import { formatPolicy, nodeLabel, type PolicyColour, policyLabels } from "./labels.ts";

const STYLES: Readonly<Record<PolicyColour, Style>> = {
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
export function printGraph(
  { nodes, edges }: Pick<Graph, "nodes" | "edges">,
  { redaction, notes }: Pick<Drawn, "redaction" | "notes">,
  print: Printer,
): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const { up, down } = edgeTables(edges);
  const childrenOf = ({ id }: GraphNode): readonly GraphNode[] =>
    (down.get(id) ?? []).flatMap((child) => byId.get(child) ?? []);
  const printed = new Set<TargetId>();
  const printNode = (node: GraphNode, { own, below }: Margin): void => {
    const under = childrenOf(node);
    const policies = policyLabels(node, redaction);
    const isPrinted = printed.has(node.id);
    const hasMore = under.length + policies.length > 0;
    print.line(styled(own, "dim"), nodeLabel(node), isPrinted && hasMore ? styled(" (above)", "dim") : "");
    if (isPrinted) return;
    printed.add(node.id);
    const bar = under.length > 0 ? "│ " : "  ";
    for (const label of policies)
      print.line(styled(`${below}${bar}`, "dim"), styled(`◆ ${formatPolicy(label)}`, STYLES[label.colour]));
    under.forEach((child, index) => {
      const isLast = index === under.length - 1;
      printNode(child, { own: `${below}${isLast ? "└─ " : "├─ "}`, below: `${below}${isLast ? "   " : "│  "}` });
    });
  };
  for (const node of nodes) if (!up.has(node.id)) printNode(node, ROOT);
  // Nodes on a cycle have no root above them.
  for (const node of nodes) if (!printed.has(node.id)) printNode(node, ROOT);
  if (nodes.length === 0) return;
  print.line();
  print.line(styled("◆ a policy that is attached here, and whether it takes effect", "dim"));
  for (const note of notes) print.line(styled(note, "dim"));
}
