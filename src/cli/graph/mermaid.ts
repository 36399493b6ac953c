/** Formats the graph for Mermaid. Every name is quoted by the rules of the format. */
import type { Graph, GraphNode } from "../../core/explain/graph/result.ts";
import type { Drawn } from "./drawn.ts";
import { inlineLeaves } from "./inline-leaves.ts";
import { COLOURS, formatPolicy, nodeLabel, policyLabels } from "./labels.ts";
import { namespaceFrames } from "./namespace-frames.ts";

/** The largest drawing of Mermaid, unless a page configures more (`maxEdges`, `maxTextSize`). */
const MOST_EDGES = 500;
const MOST_CHARACTERS = 50_000;

/** Why Mermaid would not draw a text as it is by default. Undefined: it would. */
export function mermaidExcess(text: string): string | undefined {
  // Every edge has a line of its own, and arrows in names are escaped.
  const edges = text.split("\n").filter((line) => / (?:-->|-\.->) /.test(line)).length;
  const excess = [
    ...(edges > MOST_EDGES
      ? [`${edges} edges, where Mermaid draws at most ${MOST_EDGES} unless the page sets maxEdges`]
      : []),
    ...(text.length > MOST_CHARACTERS
      ? [`${text.length} characters, where Mermaid reads at most ${MOST_CHARACTERS} unless the page sets maxTextSize`]
      : []),
  ];
  return excess.length === 0 ? undefined : excess.join("; ");
}

/** Escapes special characters as Mermaid entities. */
const escapeText = (text: string): string =>
  text.replaceAll(/[#"<>&\\`]/g, (character) => `#${character.codePointAt(0) ?? 0};`).replaceAll("\n", " ");

const quoteLines = (lines: readonly string[]): string => `"${lines.map(escapeText).join("<br>")}"`;

/** Formats the graph for Mermaid: a subgraph for each namespace. */
export function graphMermaid(whole: Graph, { redaction, focus, notes, caveats }: Drawn): string {
  const { graph, leaves } = inlineLeaves(whole, focus);
  const names = new Map(graph.nodes.map(({ id }, index) => [id, `n${index}`]));
  const nameOf = ({ id }: GraphNode): string => names.get(id) ?? "";
  const lines = ["flowchart LR"];
  namespaceFrames(graph).forEach(({ namespace, node, nodes }, index) => {
    const body = nodes.flatMap((one) => {
      const inside = (leaves.get(one.id) ?? []).map((leaf) => `→ ${nodeLabel(leaf)}`);
      return [
        `${nameOf(one)}[${quoteLines([nodeLabel(one), ...inside])}]${classOf(one, focus.has(one.id))}`,
        ...policyLabels(one, redaction).map(
          (label, at) =>
            `${nameOf(one)}p${at}(${quoteLines([formatPolicy(label)])}):::${label.colour} -.-> ${nameOf(one)}`,
        ),
      ];
    });
    // A title of two lines would overlap the nodes: policies of the Namespace are nodes without an arrow.
    const own = (node === undefined ? [] : policyLabels(node, redaction)).map(
      (label, at) => `ns${index}p${at}(${quoteLines([formatPolicy(label)])}):::${label.colour}`,
    );
    const title = quoteLines([`namespace ${namespace}`]);
    if (namespace === "") lines.push(...body.map((line) => `  ${line}`));
    else lines.push(`  subgraph ns${index}[${title}]`, ...[...own, ...body].map((line) => `    ${line}`), "  end");
  });
  const drawn = new Set(graph.nodes.filter(({ ref }) => ref.kind !== "Namespace").map(({ id }) => id));
  for (const { from, to } of graph.edges)
    if (drawn.has(from)) lines.push(`  ${names.get(from) ?? ""} --> ${names.get(to) ?? ""}`);
  lines.push(...legendLines(graph));
  [...notes, ...caveats].forEach((note, at) => lines.push(`  note${at}>${quoteLines([note])}]:::note`));
  return `${lines.join("\n")}\n`;
}

function classOf({ implied, absent, fold }: GraphNode, isFocus: boolean): string {
  if (isFocus) return ":::focus";
  if (implied === true || absent === true) return ":::absent";
  return fold === undefined ? "" : ":::folded";
}

/** Policies say their state in words, so the legend explains the boxes. */
function legendLines({ nodes }: Graph): readonly string[] {
  const hasFolds = nodes.some(({ fold }) => fold !== undefined);
  const hasAbsent = nodes.some(({ implied, absent }) => implied === true || absent === true);
  return [
    "  subgraph legend[Legend]",
    '    legend0["parent"] --> legend1["child"]',
    '    legend2("policy") -.-> legend3["its target"]',
    '    legend6("policy on the namespace around it")',
    ...(hasFolds ? ['    legend4["several objects"]:::folded'] : []),
    ...(hasAbsent ? ['    legend5["named, but not in the input"]:::absent'] : []),
    "  end",
    ...Object.entries(COLOURS).map(([name, { colour }]) => `  classDef ${name} stroke:${colour},color:${colour}`),
    "  classDef folded stroke-width:3px",
    "  classDef absent stroke-dasharray:4 3",
    "  classDef focus stroke:#1a56db,stroke-width:3px",
    "  classDef note fill:none,stroke:#9aa0a6,color:#5f6368",
  ];
}
