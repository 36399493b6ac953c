/** Formats the graph for Graphviz. Every name is quoted by the rules of the format. */
import type { Graph, GraphNode } from "../../core/explain/graph/result.ts";
import type { TargetId } from "../../core/model/refs.ts";
import type { Redaction } from "../args/redaction.ts";
import type { Drawn } from "./drawn.ts";
import { inlineLeaves } from "./inline-leaves.ts";
import { COLOURS, formatPolicy, nodeLabel, policyLabels } from "./labels.ts";
import { namespaceFrames } from "./namespace-frames.ts";

const quote = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", " ")}"`;

/** A label of several lines, each flush left. */
const quoteLines = (lines: readonly string[]): string =>
  lines.length === 1 ? quote(lines[0] ?? "") : `"${lines.map((line) => quote(line).slice(1, -1)).join("\\l")}\\l"`;

/** Formats the graph for Graphviz: a cluster for each namespace. */
export function graphDot(whole: Graph, { redaction, focus, notes, caveats }: Drawn): string {
  const { graph, leaves } = inlineLeaves(whole, focus);
  const context: DotContext = { redaction, focus, leaves };
  const lines = ["digraph prevail {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];'];
  namespaceFrames(graph).forEach(({ namespace, node, nodes }, index) => {
    const body = nodes.flatMap((one) => nodeLines(one, context));
    if (namespace === "") {
      lines.push(...body.map((line) => `  ${line}`));
      return;
    }
    const policies = node === undefined ? [] : policyLabels(node, redaction).map(formatPolicy);
    lines.push(
      `  subgraph cluster_${index} {`,
      `    label=${quoteLines([`namespace ${namespace}`, ...policies])}; style="dashed,rounded"; fontname="sans-serif";`,
      ...(body.length === 0
        ? [`    ${quote(`namespace ${namespace}`)} [style=invis];`]
        : body.map((line) => `    ${line}`)),
      "  }",
    );
  });
  const drawn = new Set(graph.nodes.filter(({ ref }) => ref.kind !== "Namespace").map(({ id }) => id));
  for (const { from, to } of graph.edges) if (drawn.has(from)) lines.push(`  ${quote(from)} -> ${quote(to)};`);
  const words = [...legendLines(graph), ...notes, ...caveats];
  lines.push('  labelloc="b"; labeljust="l"; fontname="sans-serif";', `  label=${quoteLines(words)};`);
  return `${[...lines, "}"].join("\n")}\n`;
}

interface DotContext {
  readonly redaction: Redaction;
  readonly focus: ReadonlySet<TargetId>;
  readonly leaves: ReadonlyMap<TargetId, readonly GraphNode[]>;
}

function nodeLines(node: GraphNode, { redaction, focus, leaves }: DotContext): readonly string[] {
  const inside = (leaves.get(node.id) ?? []).map((leaf) => `→ ${nodeLabel(leaf)}`);
  const style = [
    ...(node.implied || node.absent ? [", style=dashed"] : []),
    ...(node.fold === undefined ? [] : [", peripheries=2"]),
    ...(focus.has(node.id) ? [", penwidth=2"] : []),
  ].join("");
  return [
    `${quote(node.id)} [label=${quoteLines([nodeLabel(node), ...inside])}${style}];`,
    ...policyLabels(node, redaction).flatMap((label, index) => {
      const id = quote(`policy ${index} on ${node.id}`);
      const { colour } = COLOURS[label.colour];
      return [
        `${id} [label=${quote(formatPolicy(label))}, shape=note, color="${colour}", fontcolor="${colour}"];`,
        `${id} -> ${quote(node.id)} [style=dashed, color="${colour}"];`,
      ];
    }),
  ];
}

/** Policies say their state in words, so the legend explains lines and boxes. */
function legendLines({ nodes }: Graph): readonly string[] {
  return [
    "Solid arrow: from parent to child. Dashed arrow: policy on its target. Dashed frame: namespace.",
    ...(nodes.some(({ fold }) => fold !== undefined) ? ["Double box: several objects."] : []),
    ...(nodes.some(({ implied, absent }) => implied === true || absent === true)
      ? ["Dashed box: named, but not in the input."]
      : []),
  ];
}
