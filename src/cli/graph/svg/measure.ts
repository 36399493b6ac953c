/** Coordinates on the page: of frames, boxes and the corners of edges. */
import type { GraphNode } from "../../../core/explain/graph/result.ts";
import type { TargetId } from "../../../core/model/refs.ts";
import type { Arranged, Arrangement, PageFrame } from "./arrange-boxes.ts";
import type { Box } from "./make-boxes.ts";
import type { Channel, RoutedEdge, Routing } from "./route-edges.ts";
import { BOX, CHANNEL, FRAME, MARGIN, PAGE_WIDTH } from "./sizes.ts";

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DrawnBox extends Rectangle {
  readonly box: Box;
}

export interface DrawnFrame extends Rectangle {
  readonly frame: PageFrame;
}

export interface DrawnEdge {
  readonly source: TargetId;
  readonly corners: readonly (readonly [x: number, y: number])[];
}

export interface Drawing {
  readonly boxes: readonly DrawnBox[];
  readonly frames: readonly DrawnFrame[];
  readonly edges: readonly DrawnEdge[];
  readonly height: number;
}

/** Where the columns and lanes of a band are. */
interface BandPosition {
  /** The left side of each column. */
  readonly columns: readonly number[];
  readonly boxWidth: number;
  /** The left side of each gutter. */
  readonly gutters: readonly number[];
  /** The top of the corridor, and of the boxes. */
  readonly corridor: number;
  readonly top: number;
}

/** `headRows` is the number of rows in the title of a frame, such as policies of the Namespace. */
export function measure(arrangement: Arrangement, routing: Routing, headRows: (frame: PageFrame) => number): Drawing {
  const busLanes = routing.laneCount({ channel: "bus" });
  const left = MARGIN + (busLanes === 0 ? 0 : busLanes * CHANNEL.lane + CHANNEL.lane);
  const positions: BandPosition[] = [];
  const frames: DrawnFrame[] = [];
  let y = MARGIN;
  for (const frame of arrangement.frames) {
    const top = y;
    y += FRAME.title + headRows(frame) * BOX.row;
    for (let index = frame.firstBand; index < frame.firstBand + frame.bandCount; index++) {
      const position = layOutBand(index, { x: left, y }, arrangement, routing);
      positions[index] = position;
      y = position.top + (arrangement.bands[index]?.height ?? 0) + FRAME.pad;
    }
    frames.push({ frame, x: left, y: top, width: PAGE_WIDTH - MARGIN - left, height: y - top });
    y += FRAME.gap;
  }
  const boxes = [...arrangement.arranged.values()].map((arranged) => drawnBox(arranged, positions));
  const page: Page = { positions, routing, busLeft: MARGIN };
  return {
    boxes,
    frames,
    edges: routing.edges.map((edge) => ({ source: edge.edge.source, corners: cornersOf(edge, page) })),
    height: y - FRAME.gap,
  };
}

function layOutBand(
  index: number,
  at: { readonly x: number; readonly y: number },
  { bands }: Arrangement,
  { laneCount }: Routing,
): BandPosition {
  const count = bands[index]?.columns ?? 1;
  const widths = Array.from({ length: count + 1 }, (_, gutter) => {
    const lanes = laneCount({ channel: "gutter", band: index, gutter });
    const needed = lanes === 0 ? 0 : CHANNEL.arrow + (lanes + 1) * CHANNEL.lane;
    const isOutside = gutter === 0 || gutter === count;
    return Math.max(needed, isOutside ? FRAME.pad + (gutter === 0 ? CHANNEL.arrow : 0) : CHANNEL.between);
  });
  const room = PAGE_WIDTH - MARGIN - at.x - widths.reduce((sum, width) => sum + width, 0);
  const boxWidth = Math.min(BOX.widest, Math.floor(room / count));
  const [columns, gutters]: [number[], number[]] = [[], []];
  let x = at.x;
  widths.forEach((width, gutter) => {
    gutters.push(x);
    x += width;
    if (gutter < count) columns.push(x);
    x += boxWidth;
  });
  const lanes = laneCount({ channel: "corridor", band: index });
  return { columns, gutters, boxWidth, corridor: at.y, top: at.y + (lanes === 0 ? 0 : (lanes + 1) * CHANNEL.lane) };
}

function drawnBox({ box, band, column, y }: Arranged, positions: readonly BandPosition[]): DrawnBox {
  const { columns, boxWidth, top } = bandAt(positions, band);
  return { box, x: columns[column] ?? 0, y: top + y, width: boxWidth, height: box.height };
}

function bandAt(positions: readonly BandPosition[], band: number): BandPosition {
  const position = positions[band];
  if (position === undefined) throw new Error("every band has a position");
  return position;
}

interface Page {
  readonly positions: readonly BandPosition[];
  readonly routing: Routing;
  readonly busLeft: number;
}

/** The corners of an edge: it changes its direction at each channel. */
function cornersOf(routed: RoutedEdge, page: Page): DrawnEdge["corners"] {
  const { start, end, channels, edge } = routed;
  const [from, to] = [bandAt(page.positions, start.arranged.band), bandAt(page.positions, end.arranged.band)];
  let x = (from.columns[start.arranged.column] ?? 0) + (start.side === "right" ? from.boxWidth : 0);
  let y = from.top + start.y;
  const corners: [number, number][] = [[x, y]];
  for (const channel of channels) {
    if (channel.channel === "corridor") y = laneAt(channel, edge.source, page);
    else x = laneAt(channel, edge.source, page);
    corners.push([x, y]);
  }
  y = to.top + end.y;
  corners.push([x, y], [to.columns[end.arranged.column] ?? 0, y]);
  return corners;
}

/** The coordinate of a source's line in a channel. */
function laneAt(channel: Channel, source: TargetId, { positions, routing, busLeft }: Page): number {
  const offset = (routing.laneOf(channel, source) + 1) * CHANNEL.lane;
  if (channel.channel === "bus") return busLeft + offset - CHANNEL.lane;
  const position = bandAt(positions, channel.band);
  return channel.channel === "corridor" ? position.corridor + offset : (position.gutters[channel.gutter] ?? 0) + offset;
}

/** The Namespaces of the graph by name. */
export type NamespaceNodes = ReadonlyMap<string, GraphNode>;
