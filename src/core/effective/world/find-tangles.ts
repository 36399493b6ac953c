import type { ObjectId } from "../../model/refs.ts";
import type { Tangle } from "./tangle.ts";
import type { World } from "./world.ts";

type Tables = Pick<World, "rulebook" | "objects" | "links">;
type Graph = ReadonlyMap<ObjectId, readonly ObjectId[]>;

const NO_TANGLES: ReadonlyMap<ObjectId, Tangle> = new Map();
/** Kinds below kinds give a handful of levels. Only a kind below itself can nest on and on. */
const MAX_LEVELS = 64;
/** Ways down to one object: proper hierarchies have at most about as many as links; diamonds upon diamonds double them. */
const MIN_WAYS = 10_000;
const WAYS_PER_LINK = 4;

/** Only rows that definitions add can tangle: Gateway API's own kinds are in a fixed order. */
export function findTangles(tables: Tables): ReadonlyMap<ObjectId, Tangle> {
  const graph = linksUp(tables);
  if (graph.size === 0) return NO_TANGLES;
  const tangles = new Map<ObjectId, Tangle>();
  const sizes = new Map<ObjectId, Size>();
  let links = 0;
  for (const parents of graph.values()) links += parents.length;
  const maxWays = Math.max(MIN_WAYS, WAYS_PER_LINK * links);
  // Parents come before their children.
  for (const component of components(graph)) {
    const [first] = component;
    if (first === undefined) continue;
    if (component.length > 1 || graph.get(first)?.includes(first) === true) {
      const cycle: Tangle = { reason: "Cycle", members: [...component].sort() };
      for (const id of component) tangles.set(id, cycle);
    }
    for (const id of component) measure(id, graph, { tangles, sizes, maxWays });
  }
  return tangles;
}

/** Of what is above an object: the longest way up, and the number of ways. */
interface Size {
  readonly levels: number;
  readonly ways: number;
}

const ROOT: Size = { levels: 1, ways: 1 };
const NO_PATH: Size = { levels: 0, ways: 0 };
const BELOW: Tangle = { reason: "Below" };

interface Measuring {
  readonly tangles: Map<ObjectId, Tangle>;
  readonly sizes: Map<ObjectId, Size>;
  readonly maxWays: number;
}

function measure(id: ObjectId, graph: Graph, { tangles, sizes, maxWays }: Measuring): void {
  const cycle = tangles.get(id);
  const parents = (graph.get(id) ?? []).filter((parent) => cycle === undefined || tangles.get(parent) !== cycle);
  let levels = 0;
  let ways = 0;
  for (const parent of parents) {
    const above = sizes.get(parent) ?? ROOT;
    if (above.levels > levels) levels = above.levels;
    ways += above.ways;
  }
  if (parents.length === 0) {
    sizes.set(id, ROOT);
  } else if (ways === 0) {
    tangles.set(id, BELOW);
    sizes.set(id, NO_PATH);
  } else if (levels >= MAX_LEVELS || ways > maxWays) {
    tangles.set(
      id,
      ways > maxWays ? { reason: "TooManyWays", limit: maxWays } : { reason: "TooDeep", limit: MAX_LEVELS },
    );
    sizes.set(id, NO_PATH);
  } else {
    sizes.set(id, { levels: levels + 1, ways });
  }
}

/** From each object that a definition's rows can link to those above it. */
function linksUp({ rulebook, objects, links }: Tables): Graph {
  const graph = new Map<ObjectId, ObjectId[]>();
  const parentsOf = (id: ObjectId): ObjectId[] => {
    let parents = graph.get(id);
    if (parents === undefined) {
      parents = [];
      graph.set(id, parents);
    }
    return parents;
  };
  const addLinksOf = (id: ObjectId): void => {
    const own = links.get(id);
    if (own === undefined) return;
    const parents = parentsOf(id);
    for (const { parent, frontend } of own.up) if (!frontend) parents.push(parent);
    for (const { child } of own.down) parentsOf(child).push(id);
  };
  for (const kind of objects.byKind.kinds())
    if (rulebook.isForeign(kind)) objects.byKind.get(kind)?.forEach(addLinksOf);
  return graph;
}

/** Tarjan's strongly connected components, without recursion: input is hostile. What an edge leads to comes first. */
function components(graph: Graph): ObjectId[][] {
  const found: ObjectId[][] = [];
  const order = new Map<ObjectId, number>();
  const low = new Map<ObjectId, number>();
  const open: ObjectId[] = [];
  const isOpen = new Set<ObjectId>();
  for (const start of graph.keys()) {
    if (order.has(start)) continue;
    const work: Array<{ id: ObjectId; next: number }> = [{ id: start, next: 0 }];
    while (work.length > 0) {
      const frame = work.at(-1) as { id: ObjectId; next: number };
      const { id } = frame;
      if (frame.next === 0) {
        order.set(id, order.size);
        low.set(id, order.size - 1);
        open.push(id);
        isOpen.add(id);
      }
      const edge = graph.get(id)?.[frame.next++];
      if (edge !== undefined) {
        if (!order.has(edge)) work.push({ id: edge, next: 0 });
        else if (isOpen.has(edge)) low.set(id, Math.min(low.get(id) ?? 0, order.get(edge) ?? 0));
        continue;
      }
      work.pop();
      const parent = work.at(-1);
      if (parent !== undefined) low.set(parent.id, Math.min(low.get(parent.id) ?? 0, low.get(id) ?? 0));
      if (low.get(id) !== order.get(id)) continue;
      const component = open.splice(open.lastIndexOf(id));
      for (const member of component) isOpen.delete(member);
      found.push(component);
    }
  }
  return found;
}
