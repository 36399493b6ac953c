import type { TargetId } from "../../model/refs.ts";
import { edgeTables, type Ids, type Neighbours } from "./edge-tables.ts";
import type { GraphEdge } from "./result.ts";

/** The graph without some nodes. Edges that led over removed nodes lead to what is behind them. */
export function withoutNodes({ ids, edges }: Ids, removed: ReadonlySet<TargetId>): Ids {
  if (removed.size === 0) return { ids, edges };
  const kept = new Set([...ids].filter((id) => !removed.has(id)));
  const { down } = edgeTables(edges);
  const direct: GraphEdge[] = [];
  for (const from of kept) for (const to of firstKept(from, down, removed)) direct.push({ from, to });
  return { ids: kept, edges: direct };
}

/** The first nodes on the ways down that are not removed. */
function firstKept(from: TargetId, down: Neighbours, removed: ReadonlySet<TargetId>): readonly TargetId[] {
  const seen = new Set([from]);
  const found: TargetId[] = [];
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const child of down.get(id) ?? []) {
      if (seen.has(child)) continue;
      seen.add(child);
      if (removed.has(child)) open.push(child);
      else found.push(child);
    }
  }
  return found;
}
