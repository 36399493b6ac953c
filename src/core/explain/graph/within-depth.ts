/** The part of a graph near some nodes. */
import { parseTargetId, splitId, type TargetId } from "../../model/refs.ts";
import { edgeTables, type Ids, type Neighbours } from "./edge-tables.ts";
import type { GraphEdge } from "./result.ts";

interface Near extends Ids {
  /** The starts and the nodes below them. Of an object above, only the sections that lead to a start belong to the graph. */
  readonly below: ReadonlySet<TargetId>;
  /** Nodes that would be drawn without a limit. */
  readonly farther: readonly TargetId[];
}

/** The nodes without parents. A Namespace is neither a root nor a parent here: it is above objects at every level. */
function findRoots(ids: Iterable<TargetId>, edges: readonly GraphEdge[]): readonly TargetId[] {
  const below = new Set(edges.filter(({ from }) => !isNamespace(from)).map(({ to }) => to));
  return [...ids].filter((id) => !below.has(id) && !isNamespace(id));
}

/** The nodes at most `depth` levels below the roots, with their edges. Without a limit that is every node. */
export function belowRoots({ ids, edges }: Ids, depth: number | undefined): Near {
  // Nodes on a cycle have no root above them.
  if (depth === undefined) return { ids, edges, below: ids, farther: [] };
  const { down } = edgeTables(edges);
  const kept = withNamespaces(reachable(findRoots(ids, edges), down, depth), ids, down);
  return { ids: kept, below: kept, edges: edgesWithin(edges, kept), farther: [...ids].filter((id) => !kept.has(id)) };
}

/** The nodes above and below the starts, at most `depth` levels away, with the edges that lead to and from the starts. */
export function aboveAndBelow(
  edges: readonly GraphEdge[],
  starts: readonly TargetId[],
  depth: number | undefined,
): Near {
  const { up, down } = edgeTables(edges);
  const limit = depth ?? Number.POSITIVE_INFINITY;
  const [above, below] = [reachable(starts, up, limit), reachable(starts, down, limit)];
  const kept = new Set([...above, ...below]);
  const all =
    depth === undefined ? [] : [up, down].flatMap((next) => [...reachable(starts, next, Number.POSITIVE_INFINITY)]);
  return {
    ids: kept,
    below,
    edges: [...new Set([...edgesWithin(edges, above), ...edgesWithin(edges, below)])],
    farther: [...new Set(all)].filter((id) => !kept.has(id)),
  };
}

const edgesWithin = (edges: readonly GraphEdge[], ids: ReadonlySet<TargetId>): readonly GraphEdge[] =>
  edges.filter(({ from, to }) => ids.has(from) && ids.has(to));

/** Adds the Namespaces above kept objects, and those without members. */
function withNamespaces(kept: ReadonlySet<TargetId>, ids: Iterable<TargetId>, down: Neighbours): ReadonlySet<TargetId> {
  const above = [...ids].filter((id) => {
    const members = isNamespace(id) ? down.get(id) : [];
    return members === undefined || members.some((member) => kept.has(member));
  });
  return new Set([...kept, ...above]);
}

/** Visits level by level. A section is at the level of its object, and the members of a Namespace are at its level. */
function reachable(starts: readonly TargetId[], next: Neighbours, depth: number): ReadonlySet<TargetId> {
  const seen = new Set(starts);
  let level = [...starts];
  for (let at = 0; level.length > 0; at++) {
    const beyond: TargetId[] = [];
    for (let index = 0; index < level.length; index++) {
      const id = level[index];
      if (id === undefined) continue;
      for (const other of next.get(id) ?? []) {
        if (seen.has(other)) continue;
        if (!isSameLevel(id, other)) beyond.push(other);
        else {
          seen.add(other);
          level.push(other);
        }
      }
    }
    if (at >= depth) break;
    level = [...new Set(beyond)].filter((id) => !seen.has(id));
    for (const id of level) seen.add(id);
  }
  return seen;
}

const isSameLevel = (a: TargetId, b: TargetId): boolean =>
  isNamespace(a) || isNamespace(b) || parseTargetId(a).object === parseTargetId(b).object;

const isNamespace = (id: TargetId): boolean => splitId(parseTargetId(id).object).kind === "Namespace.";
