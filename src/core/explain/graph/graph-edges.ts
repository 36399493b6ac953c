/** The edges of the topology, from parents to children. Sections that are not drawn are passed over. */
import type { World } from "../../effective/world/world.ts";
import { NAMESPACE } from "../../model/kinds.ts";
import { attachableLevels } from "../../model/levels.ts";
import {
  compareText,
  isNamespace,
  type KindId,
  kindId,
  namespaceRef,
  type ObjectId,
  objectId,
  parseTargetId,
  splitId,
  type TargetId,
  targetId,
} from "../../model/refs.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import type { GraphEdge } from "./result.ts";

/**
 * A listener that routes are attached to is always drawn, and so is each section of `drawn`: a target, or a section with policies. With
 * `all` every section with children is. The backends of a rule that is not drawn are below its route.
 */
export function graphEdges(
  world: World,
  { drawn, all }: { readonly drawn: ReadonlySet<TargetId>; readonly all: boolean },
): readonly GraphEdge[] {
  const edges = new Map<string, GraphEdge>();
  const add = (from: TargetId, to: TargetId): void => void edges.set(`${from}>${to}`, { from, to });
  const withOwner = (id: TargetId): TargetId => {
    const { object, sectionName } = parseTargetId(id);
    if (sectionName !== undefined) add(targetId(object), id);
    return id;
  };
  world.links.forEach(({ up, absentParents }, id) => {
    for (const parent of absentParents) if (!isNamespace(parent)) add(targetId(objectId(parent)), targetId(id));
    for (const { parent, section } of up) add(withOwner(targetId(parent, section)), targetId(id));
    const down = world.childLinksOf(id)?.down ?? [];
    const names = down.length === 0 ? [] : sectionNames(world, id);
    for (const { child, uses } of down) {
      for (const { sectionIndex } of uses) {
        const section = targetId(id, names[sectionIndex]);
        add(all || drawn.has(section) ? withOwner(section) : targetId(id), targetId(child));
      }
    }
  });
  for (const target of drawn) withOwner(target);
  for (const edge of membership(world, drawn)) add(edge.from, edge.to);
  return [...edges.values()];
}

export const compareEdges = (a: GraphEdge, b: GraphEdge): number =>
  compareText(a.from, b.from) || compareText(a.to, b.to);

/** The objects that can have parents, children or policies. A Namespace is drawn only if it has policies. */
export function topologyObjects({ links, objects, rulebook }: World): readonly ObjectId[] {
  const ids = new Set<ObjectId>();
  links.forEach((_, id) => void ids.add(id));
  const targetable = rulebook.kinds.flatMap(({ definition }) =>
    attachableLevels(definition.targeting).map((level) => kindId(level)),
  );
  for (const kind of new Set(targetable)) {
    if (kind !== NAMESPACE) objects.ofKind(kind).forEach(({ id }) => void ids.add(id));
  }
  return [...ids];
}

function sectionNames({ objects, rulebook }: World, id: ObjectId): readonly string[] {
  const object = objects.get(id);
  const facts = object === undefined ? undefined : rulebook.factsOf(object.family.kindId);
  return object === undefined || facts === undefined ? [] : sectionsOf(object, facts).map(({ name }) => name);
}

/** From each object to each of its sections. */
export const sectionEdges = (world: World, drawn: Iterable<TargetId>): readonly GraphEdge[] =>
  [...drawn].flatMap((id) => {
    const { object, sectionName } = parseTargetId(id);
    return sectionName === undefined
      ? sectionNames(world, object).map((name) => ({ from: id, to: targetId(object, name) }))
      : [];
  });

/** How many sections of the drawn objects are no nodes, by the kind of the object. */
export function countUndrawnSections(
  world: World,
  drawn: Iterable<TargetId>,
  nodes: ReadonlySet<TargetId>,
): ReadonlyMap<KindId, number> {
  const counts = new Map<KindId, number>();
  for (const { from, to } of sectionEdges(world, drawn)) {
    const { kind } = splitId(parseTargetId(from).object);
    if (!nodes.has(to)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** From each drawn Namespace that is a level of a policy kind to the objects in it. No link records that they are below it. */
function* membership({ rulebook, objects, attached }: World, drawn: ReadonlySet<TargetId>): Iterable<GraphEdge> {
  for (const { index, namespacesAbove } of rulebook.kinds) {
    for (const kind of namespacesAbove) {
      for (const { id, ref } of objects.ofKind(kind)) {
        const above = objectId(namespaceRef(ref.namespace));
        if (attached[index]?.has(above) && drawn.has(targetId(above)))
          yield { from: targetId(above), to: targetId(id) };
      }
    }
  }
}
