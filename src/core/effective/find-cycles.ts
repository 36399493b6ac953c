import { kindId, type ObjectId } from "../model/refs.ts";
import type { World } from "./world.ts";

type Tables = Pick<World, "rulebook" | "objects" | "links">;

const NO_CYCLES: ReadonlyMap<ObjectId, readonly ObjectId[]> = new Map();

/**
 * Objects on a cycle of links, each with everything on it. Only rows that definitions add can form one: Gateway API's
 * own kinds are in a fixed order. Tarjan's strongly connected components, without recursion: input is hostile.
 */
export function findCycles({ rulebook, objects, links }: Tables): ReadonlyMap<ObjectId, readonly ObjectId[]> {
  const graph = new Map<ObjectId, ObjectId[]>();
  links.forEach(({ up, down }, id) => {
    const ref = objects.byId.get(id)?.ref;
    if (ref === undefined || !rulebook.isForeign(kindId(ref))) return;
    const edges = [...up.filter(({ frontend }) => !frontend).map(({ parent }) => parent)];
    graph.set(id, [...(graph.get(id) ?? []), ...edges]);
    for (const { child } of down) graph.set(child, [...(graph.get(child) ?? []), id]);
  });
  if (graph.size === 0) return NO_CYCLES;
  const cycles = new Map<ObjectId, readonly ObjectId[]>();
  for (const component of components(graph)) {
    const [only] = component;
    if (component.length === 1 && only !== undefined && graph.get(only)?.includes(only) !== true) continue;
    const sorted = [...component].sort();
    for (const id of sorted) cycles.set(id, sorted);
  }
  return cycles;
}

function components(graph: ReadonlyMap<ObjectId, readonly ObjectId[]>): ObjectId[][] {
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
      const component = open.splice(open.indexOf(id));
      for (const member of component) isOpen.delete(member);
      found.push(component);
    }
  }
  return found;
}
