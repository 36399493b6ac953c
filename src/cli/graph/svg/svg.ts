import type { Graph } from "../../../core/explain/graph/result.ts";
import { renderSvg, svg } from "../../print/markup/xml-element.ts";
import type { Drawn } from "../drawn.ts";
import { inlineLeaves } from "../inline-leaves.ts";
import { COLOURS } from "../labels.ts";
import { arrangeBoxes } from "./arrange-boxes.ts";
import { drawBox, drawEdges, drawFrame } from "./draw.ts";
import { drawLegend, drawNotes, legendItems } from "./draw-legend.ts";
import { makeBoxes } from "./make-boxes.ts";
import { measure } from "./measure.ts";
import { routeEdges } from "./route-edges.ts";
import { FRAME, MARGIN, PAGE_WIDTH } from "./sizes.ts";

/** Formats the graph as SVG of the width of a page: a frame for each namespace, parents above or left of their children. */
export function graphSvg(graph: Graph, { redaction, focus, notes, caveats }: Drawn): string {
  const boxes = makeBoxes(inlineLeaves(graph, focus), { redaction, focus });
  const arrangement = arrangeBoxes(boxes);
  const routing = routeEdges(boxes.edges, arrangement);
  const { namespaces } = boxes;
  const drawing = measure(arrangement, routing, ({ namespace }) => namespaces.get(namespace)?.policies.length ?? 0);
  const legend = drawLegend(legendItems(featuresOf(graph)), drawing.height + FRAME.gap);
  const below = drawing.height + FRAME.gap + legend.height + FRAME.gap / 2;
  const words = [
    ...notes.map((text) => ({ text, colour: "#5f6368" })),
    ...caveats.map((text) => ({ text, colour: COLOURS.partly.colour })),
  ];
  const sentences = drawNotes(words, below);
  const height = Math.ceil(below + sentences.height + MARGIN);
  return renderSvg(
    svg(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        width: PAGE_WIDTH,
        height,
        viewBox: `0 0 ${PAGE_WIDTH} ${height}`,
        "font-family": "system-ui, sans-serif",
        "font-size": 12,
      },
      svg("title", {}, "Topology, and the policies attached to it"),
      svg("rect", { width: "100%", height: "100%", fill: "#ffffff" }),
      ...drawing.frames.map((frame) => drawFrame(frame, namespaces, redaction)),
      ...drawEdges(drawing.edges),
      ...drawing.boxes.map((box) => drawBox(box, focus)),
      legend.element,
      sentences.element,
    ),
  );
}

const featuresOf = ({ nodes }: Graph): { readonly folds: boolean; readonly absent: boolean } => ({
  folds: nodes.some(({ fold }) => fold !== undefined),
  absent: nodes.some(({ implied, absent }) => implied === true || absent === true),
});
