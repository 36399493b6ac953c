import { remember } from "../../model/collections/remember.ts";
import type { TargetId } from "../../model/refs.ts";
import type { GraphEdge } from "./result.ts";

/** Ids of nodes, and the edges among them and others. */
export interface Ids {
  readonly ids: ReadonlySet<TargetId>;
  readonly edges: readonly GraphEdge[];
}

export type Neighbours = ReadonlyMap<TargetId, readonly TargetId[]>;

export interface EdgeTables {
  readonly up: Neighbours;
  readonly down: Neighbours;
}

/** Parents and children of each node. */
export function edgeTables(edges: readonly GraphEdge[]): EdgeTables {
  const up = new Map<TargetId, TargetId[]>();
  const down = new Map<TargetId, TargetId[]>();
  for (const { from, to } of edges) {
    remember(down, from, () => []).push(to);
    remember(up, to, () => []).push(from);
  }
  return { up, down };
}
