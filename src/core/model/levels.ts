/** Levels of a definition's hierarchy: which may be targeted, and which is above which. */
import type { DefinitionPart, Hierarchy, LevelKind, LinkRow, Targeting, TargetKind } from "./definition.ts";
import { kinds } from "./kinds.ts";
import { type GroupKind, isNamespace, kindId } from "./refs.ts";

/** `HTTPRouteRule`, as definitions spell a level. */
export const formatLevel = (level: LevelKind): string => `${level.kind}${level.section ?? ""}`;

export const sameKind = (a: GroupKind, b: GroupKind): boolean => a.kind === b.kind && a.group === b.group;

export const sameLevel = (a: LevelKind, b: LevelKind): boolean => sameKind(a, b) && a.section === b.section;

/** Every level that policies may target: each kind and each of its sections. */
export const targetLevels = (targets: readonly TargetKind[]): readonly LevelKind[] =>
  targets.flatMap(({ group, kind, sections, sectionRequired }) => [
    ...(sectionRequired ? [] : [{ group, kind }]),
    ...sections.map((section) => ({ group, kind, section })),
  ]);

/** Every level that policies may be attached to: those that they may target, and those that may name them. */
export function attachableLevels({
  kinds: targets,
  namedBy = [],
  absent,
}: Pick<Targeting, "kinds" | "namedBy" | "absent">): readonly LevelKind[] {
  const workloads = absent?.workloads?.map(({ group, kind }) => ({ group, kind })) ?? [];
  const withoutTarget = absent?.means === "OwnNamespace" ? [{ group: "", kind: "Namespace" }, ...workloads] : [];
  const levels = [...targetLevels(targets), ...namedBy.map(({ level }) => level), ...withoutTarget];
  return levels.filter((level, at) => levels.findIndex((other) => sameLevel(other, level)) === at);
}

/** The levels that have no other of these levels below them: the default of `effectiveTargets`. */
export function lowestLevels(levels: readonly LevelKind[], links: readonly LinkRow[]): readonly LevelKind[] {
  const hierarchy = { roots: [], links };
  return levels.filter((level) => !levels.some((other) => isAbove(level, other, hierarchy)));
}

type Order = Pick<Hierarchy, "roots" | "links">;

/** True if objects of `lower` can be below objects of `higher` on a path. */
export function isAbove(higher: LevelKind, lower: LevelKind, hierarchy: Order): boolean {
  if (sameKind(higher, lower)) return higher.section === undefined && lower.section !== undefined;
  if (isNamespace(higher)) return !isNamespace(lower);
  return isAboveBuiltIn(higher, lower, hierarchy) || isAboveByLinks(higher, lower, hierarchy);
}

const ROUTE_DEPTH = 3;

/** Depths in `GatewayClass > Gateway > ListenerSet > xRoute > Service`. */
const depths: ReadonlyMap<string, number> = new Map([
  ...[["GatewayClass"], ["Gateway"], ["ListenerSet", "XListenerSet"], [], ["Service"]].flatMap((names, depth) =>
    kinds.filter(({ kind }) => names.includes(kind)).map((kind): [string, number] => [kindId(kind), depth]),
  ),
  ...kinds.filter(({ route }) => route !== undefined).map((kind): [string, number] => [kindId(kind), ROUTE_DEPTH]),
]);

function isAboveBuiltIn(higher: LevelKind, lower: LevelKind, { roots }: Order): boolean {
  const above = depths.get(kindId(higher));
  const below = depths.get(kindId(lower));
  if (above === undefined || below === undefined) return false;
  // In a mesh, routes are below Services. A definition chooses this order with Service among its roots.
  if (above > ROUTE_DEPTH && below === ROUTE_DEPTH) return roots.some((root) => sameKind(root, higher));
  // A ListenerSet is below its Gateway, not below a listener of the Gateway.
  if (higher.section !== undefined && above < ROUTE_DEPTH && below < ROUTE_DEPTH) return false;
  return above < below;
}

/** Follows the definition's own link rows, with steps of the built-in order between them. */
function isAboveByLinks(higher: LevelKind, lower: LevelKind, hierarchy: Order): boolean {
  const reached: LevelKind[] = [higher];
  const leadsTo = (level: LevelKind): boolean =>
    reached.some((from, i) => (i > 0 && sameKind(from, level)) || isAboveBuiltIn(from, level, hierarchy));
  let open = hierarchy.links;
  for (let size = -1; size !== open.length; ) {
    size = open.length;
    open = open.filter(({ from, to }) => {
      const isReached = sameKind(from, higher) || leadsTo(from);
      if (isReached) reached.push(to);
      return !isReached;
    });
  }
  return leadsTo(lower);
}

/** The levels at which parts take effect, in groups: parts that share a level share a group. */
export function joinedEnds(parts: readonly DefinitionPart[]): readonly (readonly LevelKind[])[] {
  let groups: readonly (readonly LevelKind[])[] = [];
  for (const { effectiveTargets = [] } of parts) {
    if (effectiveTargets.length === 0) continue;
    const isShared = (group: readonly LevelKind[]): boolean =>
      group.some((level) => effectiveTargets.some((own) => sameLevel(own, level)));
    const joined = [...groups.filter(isShared).flat(), ...effectiveTargets];
    const distinct = joined.filter((level, at) => joined.findIndex((one) => sameLevel(one, level)) === at);
    groups = [...groups.filter((group) => !isShared(group)), distinct];
  }
  return groups;
}

/**
 * Paths end for each part
 *
 * A path ends at the lowest level at which its settings take effect. With parts that have levels of their own this is true for each part: the
 * settings for clients may end at listeners, and those for requests at rules of routes below them. Paths also end at the levels of the
 * definition that no part has.
 * GEP-713, "Hierarchy of target kinds and mechanics for calculating Effective meta resources"
 *
 * Undefined: all settings take effect at the same levels.
 */
export function endGroups(
  effectiveTargets: readonly LevelKind[],
  parts: readonly DefinitionPart[],
): readonly (readonly LevelKind[])[] | undefined {
  const groups = joinedEnds(parts);
  const rest = effectiveTargets.filter((level) => !groups.some((group) => group.some((one) => sameLevel(one, level))));
  const all = rest.length === 0 ? groups : [...groups, rest];
  return all.length < 2 ? undefined : all;
}
