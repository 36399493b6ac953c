import type { Graph, GraphNode } from "../../core/explain/graph/result.ts";
import type { TargetId } from "../../core/model/refs.ts";
import type { Redaction } from "../args/redaction.ts";
import { shorten } from "../print/styled-text.ts";
import { renderSvg, type SvgElement, svg } from "../print/xml-element.ts";
import { colourClassOf, nodeWords, policyWords } from "./labels.ts";
import { layoutGraph } from "./layout-graph.ts";

const BOX = { width: 264, head: 40, policy: 18, pad: 6 };
const GAP = { column: 70, row: 14, margin: 20 };
/** The number of characters that fit into a box. */
const LETTERS = { name: 34, policy: 42 };
/** The usual width of a character of the small text. */
const LETTER_WIDTH = 6;
const COLOURS = { good: "#2e7d32", partly: "#b26a00", bad: "#b3261e" } as const;

interface Box {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/** Formats the graph as SVG: one column for each level, with the roots on the left. */
export function graphSvg({ nodes, edges }: Graph, redaction: Redaction, caveats: readonly string[]): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const { columns } = layoutGraph(
    nodes.map(({ id }) => id),
    edges,
  );
  const boxes = layOutBoxes(columns, byId);
  const all = [...boxes.values()];
  const width = Math.max(0, ...all.map(({ x }) => x + BOX.width)) + GAP.margin;
  const bottom = Math.max(0, ...all.map((box) => box.y + box.height)) + GAP.margin;
  const height = bottom + caveats.length * BOX.policy;
  const lines = edges.flatMap(({ from, to }) => {
    const [start, end] = [boxes.get(from), boxes.get(to)];
    return start === undefined || end === undefined ? [] : [edge(start, end)];
  });
  return renderSvg(
    svg(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        width,
        height,
        viewBox: `0 0 ${width} ${height}`,
        "font-family": "system-ui, sans-serif",
        "font-size": 12,
      },
      svg("title", {}, "Topology, and the policies that prevail in it"),
      svg("rect", { width: "100%", height: "100%", fill: "#ffffff" }),
      svg("g", { fill: "none", stroke: "#9aa0a6" }, ...lines),
      ...all.map((box) => drawBox(box, redaction)),
      ...caveats.map((caveat, index) =>
        svg(
          "text",
          { x: GAP.margin, y: bottom + index * BOX.policy, fill: COLOURS.partly, "font-size": 11 },
          svg("title", {}, caveat),
          shorten(caveat, Math.max(LETTERS.policy, Math.floor(width / LETTER_WIDTH))),
        ),
      ),
    ),
  );
}

function layOutBoxes(
  columns: readonly (readonly TargetId[])[],
  byId: ReadonlyMap<TargetId, GraphNode>,
): ReadonlyMap<TargetId, Box> {
  const sized = columns.map((ids) =>
    ids.flatMap((id) => {
      const node = byId.get(id);
      return node === undefined ? [] : [{ node, height: heightOf(node) }];
    }),
  );
  const heights = sized.map((column) => column.reduce((sum, { height }) => sum + height + GAP.row, -GAP.row));
  const tallest = Math.max(0, ...heights);
  const boxes = new Map<TargetId, Box>();
  sized.forEach((column, index) => {
    let y = GAP.margin + (tallest - (heights[index] ?? 0)) / 2;
    for (const { node, height } of column) {
      boxes.set(node.id, { node, height, x: GAP.margin + index * (BOX.width + GAP.column), y });
      y += height + GAP.row;
    }
  });
  return boxes;
}

const heightOf = ({ policies }: GraphNode): number =>
  BOX.head + (policies.length === 0 ? 0 : policies.length * BOX.policy + BOX.pad);

function edge(start: Box, end: Box): SvgElement {
  const from = { x: start.x + BOX.width, y: start.y + BOX.head / 2 };
  const to = { x: end.x, y: end.y + BOX.head / 2 };
  const bend = GAP.column / 2;
  return svg("path", { d: `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}` });
}

function drawBox({ node, x, y, height }: Box, redaction: Redaction): SvgElement {
  const { kind, name } = nodeWords(node);
  const border = { width: BOX.width, height, rx: 6, fill: node.sectionName === undefined ? "#f1f3f4" : "#ffffff" };
  return svg(
    "g",
    { transform: `translate(${x} ${y})` },
    svg("title", {}, `${kind} ${name}`),
    svg("rect", {
      ...border,
      stroke: "#5f6368",
      ...(node.implied || node.absent ? { "stroke-dasharray": "4 3" } : {}),
    }),
    svg("text", { x: 10, y: 16, fill: "#5f6368", "font-size": 11 }, kind),
    svg("text", { x: 10, y: 32, fill: "#202124", "font-weight": 600 }, shorten(name, LETTERS.name)),
    ...node.policies.flatMap((policy, index) => {
      const top = BOX.head + index * BOX.policy;
      const colour = COLOURS[colourClassOf(policy)];
      const words = policyWords(policy, redaction);
      return [
        svg("circle", { cx: 14, cy: top + 8, r: 4, fill: colour }),
        svg(
          "text",
          { x: 24, y: top + 12, fill: colour, "font-size": 11 },
          svg("title", {}, words),
          shorten(words, LETTERS.policy),
        ),
      ];
    }),
  );
}
