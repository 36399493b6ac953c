/**
 * The ways of edges around boxes. Edges run in channels: gutters beside columns, a corridor above each band, and a bus at the left side of
 * the page that connects bands. All edges of one source share a line in each channel, its lane.
 */
import { remember } from "../../../core/model/collections/remember.ts";
import type { TargetId } from "../../../core/model/refs.ts";
import type { Arranged, Arrangement } from "./arrange-boxes.ts";
import type { BoxEdge } from "./make-boxes.ts";
import { BOX, MOST_LANES } from "./sizes.ts";

/** A strip for lines. */
export type Channel =
  | { readonly channel: "gutter"; readonly band: number; readonly gutter: number }
  | { readonly channel: "corridor"; readonly band: number }
  | { readonly channel: "bus" };

/** An edge as the channels that it passes. Its coordinates are known when the channels have their sizes. */
export interface RoutedEdge {
  readonly edge: BoxEdge;
  readonly start: { readonly arranged: Arranged; readonly side: "left" | "right"; readonly y: number };
  readonly end: { readonly arranged: Arranged; readonly y: number };
  /** The channels that the edge passes, in order: vertical and horizontal ones alternate. */
  readonly channels: readonly Channel[];
}

export interface Routing {
  readonly edges: readonly RoutedEdge[];
  /** The lane of a source in a channel. */
  readonly laneOf: (channel: Channel, source: TargetId) => number;
  readonly laneCount: (channel: Channel) => number;
}

export function routeEdges(edges: readonly BoxEdge[], { arranged }: Arrangement): Routing {
  const arrivals = new Map<string, TargetId[]>();
  for (const { source, to } of edges) {
    const sources = remember(arrivals, to, () => []);
    if (!sources.includes(source) && sources.length < MOST_ARRIVALS) sources.push(source);
  }
  const routed = edges.flatMap((edge): readonly RoutedEdge[] => {
    const [from, to] = [arranged.get(edge.from), arranged.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    const sources = arrivals.get(edge.to) ?? [];
    const spread = (Math.max(0, sources.indexOf(edge.source)) - (sources.length - 1) / 2) * ARRIVAL_GAP;
    const channels = channelsOf(from, to);
    const isSideways = from.band !== to.band;
    const middle = from.box.middles.get(edge.source) ?? BOX.head / 2;
    // The head is also where edges arrive from the left: leave a little below.
    const y = from.y + middle + (isSideways && edge.source === from.box.node.id ? BOX.head / 4 : 0);
    return [
      {
        edge,
        start: { arranged: from, side: isSideways ? "left" : "right", y },
        end: { arranged: to, y: to.y + BOX.head / 2 + spread },
        channels,
      },
    ];
  });
  return { edges: routed, ...assignLanes(routed) };
}

const MOST_ARRIVALS = 7;
const ARRIVAL_GAP = 4;

function channelsOf(from: Arranged, to: Arranged): readonly Channel[] {
  const gutter = (band: number, index: number): Channel => ({ channel: "gutter", band, gutter: index });
  const corridor = (band: number): Channel => ({ channel: "corridor", band });
  if (from.band === to.band) {
    const [out, into] = [gutter(from.band, from.column + 1), gutter(to.band, to.column)];
    return to.column === from.column + 1 ? [out] : [out, corridor(from.band), into];
  }
  // The bus is beside the first column.
  const leave = from.column === 0 ? [] : [gutter(from.band, from.column), corridor(from.band)];
  const arrive = to.column === 0 ? [] : [corridor(to.band), gutter(to.band, to.column)];
  return [...leave, { channel: "bus" }, ...arrive];
}

interface Interval {
  readonly source: TargetId;
  low: number;
  high: number;
}

const keyOf = (channel: Channel): string =>
  channel.channel === "bus"
    ? "bus"
    : channel.channel === "corridor"
      ? `corridor ${channel.band}`
      : `gutter ${channel.band} ${channel.gutter}`;

/** Sources whose lines do not overlap in a channel share a lane. */
function assignLanes(routed: readonly RoutedEdge[]): Pick<Routing, "laneOf" | "laneCount"> {
  const intervals = new Map<string, Map<TargetId, Interval>>();
  for (const one of routed) {
    one.channels.forEach((channel, at) => {
      const own = remember(intervals, keyOf(channel), () => new Map<TargetId, Interval>());
      const { source } = one.edge;
      const interval = remember(own, source, () => ({
        source,
        low: Number.POSITIVE_INFINITY,
        high: Number.NEGATIVE_INFINITY,
      }));
      for (const position of endsIn(one, channel, at)) {
        interval.low = Math.min(interval.low, position);
        interval.high = Math.max(interval.high, position);
      }
    });
  }
  const lanes = new Map([...intervals].map(([key, own]) => [key, packIntervals([...own.values()])]));
  return {
    laneOf: (channel, source) => lanes.get(keyOf(channel))?.laneOf.get(source) ?? 0,
    laneCount: (channel) => lanes.get(keyOf(channel))?.count ?? 0,
  };
}

/** Positions in a gutter are distances from the top of its band, in a corridor indexes of gutters, in the bus distances from the top of the page as if each band were this high. */
const BAND = 1_000_000;

/** Where an edge enters and leaves a channel. */
function endsIn({ start, end, channels }: RoutedEdge, channel: Channel, at: number): readonly number[] {
  const before = channels[at - 1];
  const after = channels[at + 1];
  switch (channel.channel) {
    case "gutter":
      return [before === undefined ? start.y : -1, after === undefined ? end.y : -1];
    case "corridor":
      return [before, after].map((other) => (other?.channel === "gutter" ? other.gutter : -1));
    case "bus":
      return [
        start.arranged.band * BAND + (before === undefined ? start.y : -1),
        end.arranged.band * BAND + (after === undefined ? end.y : -1),
      ];
  }
}

function packIntervals(intervals: readonly Interval[]): {
  readonly laneOf: ReadonlyMap<TargetId, number>;
  readonly count: number;
} {
  const ends: number[] = [];
  const laneOf = new Map<TargetId, number>();
  for (const { source, low, high } of intervals.toSorted((a, b) => a.low - b.low)) {
    const free = ends.findIndex((last) => last < low);
    const lane = free !== -1 ? free : ends.length < MOST_LANES ? ends.length : ends.indexOf(Math.min(...ends));
    ends[lane] = Math.max(high, ends[lane] ?? high);
    laneOf.set(source, lane);
  }
  return { laneOf, count: ends.length };
}
