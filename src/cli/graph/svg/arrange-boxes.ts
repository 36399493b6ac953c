/** The positions of boxes: a frame for each namespace, and in it columns from parents on the left to children on the right. */
import { rankNodes } from "../../../core/explain/graph/rank-nodes.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import { compareText, type KindId, kindId, type ObjectId } from "../../../core/model/refs.ts";
import type { Box, BoxEdge, Boxes } from "./make-boxes.ts";
import { FRAME, MOST_COLUMNS, TALL_COLUMN } from "./sizes.ts";

/** The position of a box before widths are known: the index of its band, its column in the band, and its distance from the top of the band. */
export interface Arranged {
  readonly box: Box;
  readonly band: number;
  readonly column: number;
  readonly y: number;
  /** The number of boxes that were arranged before. */
  readonly order: number;
}

/** A row of columns. */
export interface Band {
  /** The number of columns. */
  readonly columns: number;
  readonly height: number;
}

/** The objects of one namespace; cluster-scoped objects if the name is empty. */
export interface PageFrame {
  readonly namespace: string;
  /** The bands of the frame: the first, and how many. */
  readonly firstBand: number;
  readonly bandCount: number;
}

export interface Arrangement {
  readonly frames: readonly PageFrame[];
  readonly bands: readonly Band[];
  readonly arranged: ReadonlyMap<ObjectId, Arranged>;
}

export function arrangeBoxes({ boxes, edges, namespaces }: Boxes): Arrangement {
  const frames: PageFrame[] = [];
  const bands: Band[] = [];
  const arranged = new Map<ObjectId, Arranged>();
  const parents = new Map<ObjectId, ObjectId[]>();
  for (const { from, to } of edges) remember(parents, to, () => []).push(from);
  const inOrder = orderFrames(boxes, edges);
  for (const name of namespaces.keys()) if (!inOrder.has(name)) inOrder.set(name, []);
  const isInside = groupEdges(edges, boxes);
  for (const [namespace, own] of inOrder) {
    const levels = levelsOf(own, isInside.get(namespace) ?? []);
    const firstBand = bands.length;
    for (let at = 0; at < levels.length; at += MOST_COLUMNS)
      layOutBand(levels.slice(at, at + MOST_COLUMNS), { bands, arranged, parents });
    frames.push({ namespace, firstBand, bandCount: bands.length - firstBand });
  }
  return { frames, bands, arranged };
}

/** Namespaces whose objects are mostly parents come first. */
function orderFrames(boxes: readonly Box[], edges: readonly BoxEdge[]): Map<string, readonly Box[]> {
  const ranks = rankNodes(
    boxes.map(({ object }) => object),
    edges,
  );
  const byName = new Map<string, Box[]>();
  for (const box of boxes) remember(byName, box.node.ref.namespace, () => []).push(box);
  const meanRank = (own: readonly Box[]): number =>
    own.reduce((sum, { object }) => sum + (ranks.get(object) ?? 0), 0) / own.length;
  const weighed = [...byName].map(([name, own]) => ({ name, own, rank: name === "" ? -1 : meanRank(own) }));
  weighed.sort((a, b) => a.rank - b.rank || compareText(a.name, b.name));
  return new Map(weighed.map(({ name, own }) => [name, own]));
}

/** The edges within each namespace. */
function groupEdges(edges: readonly BoxEdge[], boxes: readonly Box[]): ReadonlyMap<string, readonly BoxEdge[]> {
  const namespaceOf = new Map(boxes.map(({ object, node }) => [object, node.ref.namespace]));
  const inside = new Map<string, BoxEdge[]>();
  for (const edge of edges) {
    const namespace = namespaceOf.get(edge.from);
    if (namespace !== undefined && namespace === namespaceOf.get(edge.to))
      remember(inside, namespace, () => []).push(edge);
  }
  return inside;
}

/** Columns from left to right. Objects of one kind share a column, unless kinds are above each other in both directions, as in a mesh. */
function levelsOf(boxes: readonly Box[], edges: readonly BoxEdge[]): readonly (readonly Box[])[] {
  const kindOf = new Map(boxes.map(({ object, node }): [ObjectId, KindId] => [object, kindId(node.ref)]));
  const kinds = [...new Set(kindOf.values())];
  const byKind = new Map<string, { readonly from: KindId | undefined; readonly to: KindId | undefined }>();
  for (const { from, to } of edges) {
    const edge = { from: kindOf.get(from), to: kindOf.get(to) };
    byKind.set(`${edge.from}>${edge.to}`, edge);
  }
  const kindRanks = rankNodes<KindId | undefined>(kinds, [...byKind.values()]);
  const nodeRanks =
    kindRanks.size < kinds.length
      ? rankNodes(
          boxes.map(({ object }) => object),
          edges,
        )
      : undefined;
  const levels = new Map<number, Box[]>();
  for (const box of boxes) {
    const rank = nodeRanks === undefined ? kindRanks.get(kindOf.get(box.object)) : nodeRanks.get(box.object);
    remember(levels, rank ?? 0, () => []).push(box);
  }
  return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
}

interface Draft {
  readonly bands: Band[];
  readonly arranged: Map<ObjectId, Arranged>;
  readonly parents: ReadonlyMap<ObjectId, readonly ObjectId[]>;
}

/** Splits tall levels into several columns as long as there is room. */
function layOutBand(levels: readonly (readonly Box[])[], { bands, arranged, parents }: Draft): void {
  const heights = levels.map((level) => heightOf(level));
  const parts = levels.map(() => 1);
  const share = (at: number): number => (heights[at] ?? 0) / (parts[at] ?? 1);
  for (let columns = levels.length; columns < MOST_COLUMNS; columns++) {
    const tallest = levels.reduce((most, _, at) => (share(at) > share(most) ? at : most), 0);
    if (share(tallest) <= TALL_COLUMN) break;
    parts[tallest] = (parts[tallest] ?? 1) + 1;
  }
  let column = 0;
  let tallest = 0;
  const band = bands.length;
  levels.forEach((level, at) => {
    const limit = share(at);
    let y = 0;
    let left = parts[at] ?? 1;
    for (const box of sortByParents(level, parents, arranged)) {
      if (y > 0 && y + box.height / 2 > limit && left > 1) {
        column++;
        left--;
        y = 0;
      }
      arranged.set(box.object, { box, band, column, y, order: arranged.size });
      y += box.height + FRAME.gap;
      tallest = Math.max(tallest, y - FRAME.gap);
    }
    column++;
  });
  bands.push({ columns: column, height: tallest });
}

const heightOf = (level: readonly Box[]): number =>
  level.reduce((sum, { height }) => sum + height + FRAME.gap, -FRAME.gap);

/** Children are in the order of their parents, so that few edges cross. */
function sortByParents(
  level: readonly Box[],
  parents: ReadonlyMap<ObjectId, readonly ObjectId[]>,
  arranged: ReadonlyMap<ObjectId, Arranged>,
): readonly Box[] {
  const keys = new Map(
    level.map(({ object }) => {
      const known = (parents.get(object) ?? []).flatMap((parent) => arranged.get(parent)?.order ?? []);
      const mean = known.reduce((sum, at) => sum + at, 0) / known.length;
      return [object, known.length === 0 ? Number.POSITIVE_INFINITY : mean] as const;
    }),
  );
  const keyOf = ({ object }: Box): number => keys.get(object) ?? 0;
  const compare = (a: Box, b: Box): number => (keyOf(a) === keyOf(b) ? 0 : keyOf(a) - keyOf(b));
  return level.toSorted((a, b) => compare(a, b) || compareText(a.object, b.object));
}
