import type { GraphNode } from "../../../core/explain/graph/result.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import type { TargetId } from "../../../core/model/refs.ts";
import type { Redaction } from "../../args/redaction.ts";
import { type SvgElement, svg } from "../../print/markup/xml-element.ts";
import { shorten } from "../../print/terminal/styled-text.ts";
import {
  COLOURS,
  fitNames,
  formatPolicy,
  nodeLabel,
  nodeWords,
  type PolicyColour,
  type PolicyLabel,
  policyLabels,
} from "../labels.ts";
import type { Row } from "./make-boxes.ts";
import type { DrawnBox, DrawnEdge, DrawnFrame, NamespaceNodes } from "./measure.ts";
import { BOX, FONT, FRAME, lettersIn } from "./sizes.ts";

const INK = { text: "#202124", dim: "#5f6368", border: "#5f6368", frame: "#9aa0a6", focus: "#1a56db" } as const;
/** The lines of different sources. Green, orange and red are for policies. */
const LINES = ["#475569", "#2563eb", "#7c3aed", "#0e7490", "#8a5a2b", "#be185d"] as const;

export function drawFrame(
  { frame, x, y, width, height }: DrawnFrame,
  namespaces: NamespaceNodes,
  redaction: Redaction,
): SvgElement {
  const node = namespaces.get(frame.namespace);
  const title = frame.namespace === "" ? "cluster-scoped" : `namespace ${frame.namespace}`;
  return svg(
    "g",
    { transform: `translate(${x} ${y})` },
    svg("rect", { width, height, rx: 8, fill: "#fafbfc", stroke: INK.frame, "stroke-dasharray": "2 3" }),
    svg("text", { x: FRAME.pad, y: 15, fill: INK.dim, "font-size": FONT.small, "font-weight": 600 }, title),
    ...(node === undefined ? [] : policyLabels(node, redaction)).map((label, index) =>
      drawPolicy(label, { x: FRAME.pad, y: FRAME.title + index * BOX.row, width: width - 2 * FRAME.pad }),
    ),
  );
}

export function drawBox({ box, x, y, width, height }: DrawnBox, focus: ReadonlySet<TargetId>): SvgElement {
  const { node, rows } = box;
  const { kind, name } = nodeWords(node);
  const isFocus = focus.has(node.id);
  const border = {
    width,
    height,
    rx: 6,
    fill: "#ffffff",
    stroke: isFocus ? INK.focus : INK.border,
    ...(isFocus ? { "stroke-width": 2 } : {}),
    ...(node.implied || node.absent ? { "stroke-dasharray": "4 3" } : {}),
  };
  const letters = lettersIn(width - 2 * BOX.indent, "name");
  const own = node.fold === undefined ? node.ref.name : fitNames(node.fold, letters);
  return svg(
    "g",
    { transform: `translate(${x} ${y})` },
    svg("title", {}, `${kind} ${name}`),
    // A second border behind the first: several objects.
    ...(node.fold === undefined ? [] : [svg("rect", { ...border, x: 4, y: 4, fill: "#eceff1" })]),
    svg("rect", border),
    svg("text", { x: BOX.indent, y: 15, fill: INK.dim, "font-size": FONT.small }, kind),
    svg(
      "text",
      { x: BOX.indent, y: 31, fill: INK.text, "font-size": FONT.name, "font-weight": 600 },
      shorten(own, letters),
    ),
    ...rows.flatMap((row) => drawRow(row, width)),
  );
}

function drawRow(row: Row, width: number): readonly SvgElement[] {
  switch (row.row) {
    case "policy":
      return [drawPolicy(row.label, { x: row.indent, y: row.y, width: width - row.indent })];
    case "section":
      return [
        svg("line", { x1: 0, x2: width, y1: row.y, y2: row.y, stroke: "#dadce0" }),
        svg(
          "text",
          {
            x: BOX.indent,
            y: row.y + 12,
            fill: row.isFocus ? INK.focus : INK.text,
            "font-size": FONT.small,
            "font-weight": 600,
          },
          shorten(row.text, lettersIn(width - 2 * BOX.indent, "small")),
        ),
      ];
    case "leaf":
      return [drawLeaf(row.leaf, { x: row.indent, y: row.y, width: width - row.indent - BOX.pad })];
  }
}

interface RowPosition {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** A child that is a line in the box of its parent. */
function drawLeaf(leaf: GraphNode, { x, y, width }: RowPosition): SvgElement {
  const letters = lettersIn(width, "small");
  const { kind } = nodeWords(leaf);
  const head = `→ ${kind}`;
  const text =
    leaf.fold === undefined ? `${head} ${leaf.ref.name}` : `${head}: ${fitNames(leaf.fold, letters - head.length - 2)}`;
  return svg(
    "g",
    {},
    svg("title", {}, nodeLabel(leaf)),
    svg("text", { x, y: y + 12, fill: INK.dim, "font-size": FONT.small }, shorten(text, letters)),
  );
}

/** A mark, the name of the policy, and its state if there is room for it. The mark shows the state, too. */
function drawPolicy(label: PolicyLabel, { x, y, width }: RowPosition): SvgElement {
  const { colour } = COLOURS[label.colour];
  const whole = formatPolicy(label);
  const letters = lettersIn(width - MARK_WIDTH, "small");
  const text = whole.length <= letters ? whole : shorten(label.name, letters);
  return svg(
    "g",
    {},
    svg("title", {}, whole),
    ...drawMark(label.colour, { x: x + 4, y: y + 8 }),
    svg("text", { x: x + MARK_WIDTH, y: y + 12, fill: colour, "font-size": FONT.small }, text),
  );
}

const MARK_WIDTH = 14;

/** A full, half or empty disc: not everybody can distinguish the colours. */
export function drawMark(
  kind: PolicyColour,
  { x, y }: { readonly x: number; readonly y: number },
): readonly SvgElement[] {
  const { colour } = COLOURS[kind];
  const ring = svg("circle", { cx: x, cy: y, r: 4, stroke: colour, fill: kind === "good" ? colour : "#ffffff" });
  return kind === "partly" ? [ring, svg("path", { d: `M${x} ${y - 4}a4 4 0 0 0 0 8z`, fill: colour })] : [ring];
}

/** The edges of one source: lines around the boxes, and an arrow where each arrives. */
export function drawEdges(edges: readonly DrawnEdge[]): readonly SvgElement[] {
  const bySource = new Map<TargetId, DrawnEdge[]>();
  for (const edge of edges) remember(bySource, edge.source, () => []).push(edge);
  return [...bySource.values()].map((own, index) => {
    const colour = LINES[index % LINES.length] ?? LINES[0];
    const lines = own.map(({ corners }) => `M${corners.map(([x, y]) => `${x} ${y}`).join("L")}`);
    const arrows = own.map(({ corners }) => {
      const [x, y] = corners.at(-1) ?? [0, 0];
      return `M${x} ${y}l-7 -3.5v7z`;
    });
    return svg(
      "g",
      {},
      svg("path", { d: lines.join(""), fill: "none", stroke: colour, "stroke-linejoin": "round" }),
      svg("path", { d: arrows.join(""), fill: colour }),
    );
  });
}
