import type { ObjectId } from "../../model/refs.ts";
import type { UnfollowedLinks } from "./unfollowed-links.ts";
import type { WithLinks } from "./world.ts";

type Tables = Pick<WithLinks, "rulebook" | "objects" | "links" | "childLinksOf">;
type ObjectGraph = ReadonlyMap<ObjectId, readonly ObjectId[]>;

const NONE: ReadonlyMap<ObjectId, UnfollowedLinks> = new Map();
/** The most levels of one path. Kinds below kinds give a handful of levels; only a kind below itself can nest without end. */
const MAX_LEVELS = 64;
/** The most paths down to one object: a usual hierarchy has about as many paths as links; each diamond of links doubles them. */
const MIN_PATHS = 10_000;
const PATHS_PER_LINK = 4;

/**
 * A cycle of links gives no path
 *
 * Links among the objects of a cycle are not followed, nor are the links of an object that is nested too deep or has too many
 * paths. Only rows that definitions add can form a cycle: Gateway API's own kinds are in a fixed order.
 * GEP-713, "Hierarchy of target kinds and mechanics for calculating Effective meta resources"
 */
export function findUnfollowedLinks(tables: Tables): ReadonlyMap<ObjectId, UnfollowedLinks> {
  const graph = linksUp(tables);
  if (graph.size === 0) return NONE;
  const unfollowed = new Map<ObjectId, UnfollowedLinks>();
  const sizes = new Map<ObjectId, Size>();
  let links = 0;
  for (const parents of graph.values()) links += parents.length;
  const maxPaths = Math.max(MIN_PATHS, PATHS_PER_LINK * links);
  // Parents come before their children.
  for (const component of components(graph)) {
    const [first] = component;
    if (first === undefined) continue;
    if (component.length > 1 || graph.get(first)?.includes(first) === true) {
      const cycle: UnfollowedLinks = { reason: "Cycle", members: [...component].sort() };
      for (const id of component) unfollowed.set(id, cycle);
    }
    for (const id of component) measure(id, graph, { unfollowed, sizes, maxPaths });
  }
  return unfollowed;
}

/** How many levels are above an object on the longest path, and how many paths lead to it. */
interface Size {
  readonly levels: number;
  readonly paths: number;
}

const ROOT: Size = { levels: 1, paths: 1 };
const NO_PATH: Size = { levels: 0, paths: 0 };
const BELOW: UnfollowedLinks = { reason: "Below" };

interface Measuring {
  readonly unfollowed: Map<ObjectId, UnfollowedLinks>;
  readonly sizes: Map<ObjectId, Size>;
  readonly maxPaths: number;
}

function measure(id: ObjectId, graph: ObjectGraph, { unfollowed, sizes, maxPaths }: Measuring): void {
  const cycle = unfollowed.get(id);
  const parents = (graph.get(id) ?? []).filter((parent) => cycle === undefined || unfollowed.get(parent) !== cycle);
  let levels = 0;
  let paths = 0;
  for (const parent of parents) {
    const above = sizes.get(parent) ?? ROOT;
    if (above.levels > levels) levels = above.levels;
    paths += above.paths;
  }
  if (parents.length === 0) {
    sizes.set(id, ROOT);
  } else if (paths === 0) {
    unfollowed.set(id, BELOW);
    sizes.set(id, NO_PATH);
  } else if (levels >= MAX_LEVELS || paths > maxPaths) {
    unfollowed.set(
      id,
      paths > maxPaths ? { reason: "TooManyPaths", limit: maxPaths } : { reason: "TooDeep", limit: MAX_LEVELS },
    );
    sizes.set(id, NO_PATH);
  } else {
    sizes.set(id, { levels: levels + 1, paths });
  }
}

/** The parents of each object of a kind that definitions add to the link table. */
function linksUp({ rulebook, objects, links, childLinksOf }: Tables): ObjectGraph {
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
    for (const { child } of childLinksOf(id)?.down ?? []) parentsOf(child).push(id);
  };
  for (const kind of objects.kinds())
    if (rulebook.isForeign(kind)) for (const { id } of objects.ofKind(kind)) addLinksOf(id);
  return graph;
}

/** Tarjan's strongly connected components, without recursion because the input may be hostile. A component comes after those that its edges lead to. */
function components(graph: ObjectGraph): ObjectId[][] {
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
