/** Formats the graph for Graphviz and Mermaid. Every name is quoted by the rules of the format. */
import type { Graph } from "../../core/explain/graph/result.ts";
import type { Redaction } from "../args/redaction.ts";
import { colourClassOf, nodeLabel, policyWords } from "./labels.ts";

const COLOURS = { good: "#2e7d32", partly: "#b26a00", bad: "#b3261e" } as const;

const quoteDot = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", " ")}"`;

/** Formats the graph for Graphviz. */
export function graphDot({ nodes, edges }: Graph, redaction: Redaction, caveats: readonly string[]): string {
  const lines = ["digraph prevail {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];'];
  for (const node of nodes) {
    const style = node.implied || node.absent ? ", style=dashed" : "";
    lines.push(`  ${quoteDot(node.id)} [label=${quoteDot(nodeLabel(node))}${style}];`);
    for (const policy of node.policies) {
      const id = quoteDot(`${policy.policy} on ${node.id}`);
      const colour = COLOURS[colourClassOf(policy)];
      lines.push(
        `  ${id} [label=${quoteDot(policyWords(policy, redaction))}, shape=note, color="${colour}", fontcolor="${colour}"];`,
        `  ${id} -> ${quoteDot(node.id)} [style=dashed, color="${colour}"];`,
      );
    }
  }
  for (const { from, to } of edges) lines.push(`  ${quoteDot(from)} -> ${quoteDot(to)};`);
  if (caveats.length > 0) lines.push('  labelloc="b"; labeljust="l";', `  label=${quoteDot(caveats.join(" | "))};`);
  return `${[...lines, "}"].join("\n")}\n`;
}

/** Escapes special characters as Mermaid entities. */
const quoteMermaid = (text: string): string =>
  `"${text.replaceAll(/[#"<>&\\`]/g, (character) => `#${character.codePointAt(0) ?? 0};`).replaceAll("\n", " ")}"`;

/** Formats the graph for Mermaid. */
export function graphMermaid({ nodes, edges }: Graph, redaction: Redaction, caveats: readonly string[]): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = ["flowchart LR"];
  nodes.forEach((node, index) => {
    lines.push(`  n${index}[${quoteMermaid(nodeLabel(node))}]`);
    node.policies.forEach((policy, at) => {
      const id = `n${index}p${at}`;
      lines.push(`  ${id}(${quoteMermaid(policyWords(policy, redaction))}):::${colourClassOf(policy)} -.-> n${index}`);
    });
  });
  for (const { from, to } of edges) lines.push(`  ${names.get(from) ?? ""} --> ${names.get(to) ?? ""}`);
  for (const [effect, colour] of Object.entries(COLOURS))
    lines.push(`  classDef ${effect} stroke:${colour},color:${colour}`);
  caveats.forEach((caveat, at) => lines.push(`  caveat${at}>${quoteMermaid(caveat)}]:::partly`));
  return `${lines.join("\n")}\n`;
}
