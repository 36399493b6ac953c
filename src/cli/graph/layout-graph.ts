/** The positions of the nodes of a graph: one column for each rank, ordered so that few edges cross. */

export interface LaidOut<Id> {
  /** The nodes of each column, from top to bottom. */
  readonly columns: readonly (readonly Id[])[];
}

const SWEEPS = 8;

/** Ranks nodes by the longest path from a root, then sorts each column by the positions of the neighbours, alternating directions. */
export function layoutGraph<Id>(
  nodes: readonly Id[],
  edges: readonly { readonly from: Id; readonly to: Id }[],
): LaidOut<Id> {
  const parents = table(edges, "to", "from");
  const children = table(edges, "from", "to");
  const columns = rankedColumns(nodes, parents, children);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const toTheRight = sweep % 2 === 0;
    const order = toTheRight ? columns.keys() : [...columns.keys()].reverse();
    for (const column of order) {
      const neighbours = toTheRight ? parents : children;
      sortByNeighbours(columns, column, neighbours);
    }
  }
  return { columns };
}

type Neighbours<Id> = ReadonlyMap<Id, readonly Id[]>;

function table<Id>(
  edges: readonly { readonly from: Id; readonly to: Id }[],
  key: "from" | "to",
  value: "from" | "to",
): Neighbours<Id> {
  const found = new Map<Id, Id[]>();
  for (const edge of edges) found.set(edge[key], [...(found.get(edge[key]) ?? []), edge[value]]);
  return found;
}

/** Ranks nodes in topological order (Kahn's algorithm). Nodes on a cycle come last. */
function rankedColumns<Id>(nodes: readonly Id[], parents: Neighbours<Id>, children: Neighbours<Id>): Id[][] {
  const ranks = new Map<Id, number>();
  const waiting = new Map(nodes.map((id) => [id, parents.get(id)?.length ?? 0]));
  const open = nodes.filter((id) => waiting.get(id) === 0);
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const rank = Math.max(0, ...(parents.get(next) ?? []).map((parent) => (ranks.get(parent) ?? 0) + 1));
    ranks.set(next, rank);
    for (const child of children.get(next) ?? []) {
      const left = (waiting.get(child) ?? 0) - 1;
      waiting.set(child, left);
      if (left === 0) open.push(child);
    }
  }
  const last = Math.max(0, ...ranks.values());
  const columns: Id[][] = [];
  for (const id of nodes) {
    const rank = ranks.get(id) ?? last + 1;
    while (columns.length <= rank) columns.push([]);
    columns[rank]?.push(id);
  }
  return columns.filter((column) => column.length > 0);
}

function sortByNeighbours<Id>(columns: Id[][], index: number, neighbours: Neighbours<Id>): void {
  const column = columns[index];
  if (column === undefined) return;
  const positions = new Map<Id, number>();
  for (const other of columns) {
    other.forEach((id, at) => positions.set(id, (at + 0.5) / other.length));
  }
  const weights = new Map(
    column.map((id): [Id, number] => {
      const rows = (neighbours.get(id) ?? []).map((other) => positions.get(other) ?? 0);
      const mean = rows.reduce((sum, row) => sum + row, 0) / rows.length;
      return [id, rows.length === 0 ? (positions.get(id) ?? 0) : mean];
    }),
  );
  columns[index] = column.toSorted((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0));
}
