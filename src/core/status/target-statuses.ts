/** The `<domain>/<Kind>Affected` conditions of the objects that policies affect (GEP-713, "Target object status"). */

import type { World } from "../effective/world/world.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText, formatRef, type GroupKind, type ObjectId, type PolicyId, parseObjectId } from "../model/refs.ts";
import type { AffectedCounts } from "./affected-counts.ts";
import { condition } from "./conditions.ts";
import type { StatusLocationFinder } from "./status-location-finder.ts";
import type { Condition, StatusLocation, TargetStatus } from "./status-report.ts";

/** The number of policies that one message names. */
const MAX_NAMED = 50;

/** By condition type: the policies, each with the sections that it affects; no section: the whole object. */
type PoliciesByType = Map<string, { readonly certain: NamedSections; readonly possible: NamedSections }>;

type NamedSections = Map<PolicyId, Set<string>>;

const noPolicies = (): { readonly certain: NamedSections; readonly possible: NamedSections } => ({
  certain: new Map<PolicyId, Set<string>>(),
  possible: new Map<PolicyId, Set<string>>(),
});

/** The conditions of one object, by location in a defined order. Several positions of a route may have the same entry. */
export function targetStatusesOf(
  world: World,
  id: ObjectId,
  counts: AffectedCounts,
  locations: StatusLocationFinder,
): readonly TargetStatus[] {
  const object = world.objects.get(id);
  if (object === undefined) return [];
  const drafts = new Map<string, { readonly location: StatusLocation; readonly byType: PoliciesByType }>();
  for (const { position, byType } of counts.positionsOf(id)) {
    for (const { location, key } of locations.locationsAt(object, position)) {
      const draft = drafts.get(key) ?? { location, byType: new Map<string, ReturnType<typeof noPolicies>>() };
      drafts.set(key, draft);
      for (const [type, { certain, possible }] of byType) {
        const both = draft.byType.get(type) ?? noPolicies();
        draft.byType.set(type, both);
        for (const [policy, sections] of certain) note(both.certain, policy, sections.keys());
        for (const [policy, sections] of possible) note(both.possible, policy, sections.keys());
      }
    }
  }
  return [...drafts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, { location, byType }]) => ({ object: id, location, conditions: conditionsOf(object, byType, world) }));
}

function note(policies: NamedSections, policy: PolicyId, sections: Iterable<string>): void {
  const all = policies.get(policy) ?? new Set();
  policies.set(policy, all);
  for (const section of sections) all.add(section);
}

const conditionsOf = (
  object: KubeObject,
  byType: PoliciesByType,
  world: Pick<World, "rulebook">,
): readonly Condition[] =>
  [...byType]
    .sort(([a], [b]) => compareText(a, b))
    .map(([type, { certain, possible }]) =>
      certain.size > 0
        ? condition(object, {
            type,
            status: "True",
            reason: "Affected",
            message: `affected by ${formatPolicies(certain, world)}`,
          })
        : condition(object, {
            type,
            status: "Unknown",
            reason: "Incomplete",
            message: `possibly affected by ${formatPolicies(possible, world)}: an object above is not in the input`,
          }),
    );

function formatPolicies(
  policies: ReadonlyMap<PolicyId, ReadonlySet<string>>,
  { rulebook }: Pick<World, "rulebook">,
): string {
  // Kinds of one name in several groups have one type of condition.
  const isShared = ({ group, kind }: GroupKind): boolean =>
    rulebook.kinds.some(({ definition }) =>
      definition.policies.some((one) => one.kind === kind && one.group !== group),
    );
  const sorted = [...policies].sort(([a], [b]) => compareText(a, b));
  const names = sorted.slice(0, MAX_NAMED).map(([policy, sections]) => {
    // The section without a name is the object as a whole, so that a further section adds nothing.
    const where = sections.has("") ? "" : ` (in ${[...sections].sort().join(", ")})`;
    const ref = parseObjectId(policy);
    const kind = isShared(ref) ? `${ref.kind}.${ref.group}` : ref.kind;
    return `${formatRef({ ...ref, kind })}${where}`;
  });
  const more = sorted.length > MAX_NAMED ? ` and ${sorted.length - MAX_NAMED} more` : "";
  return `${names.join(", ")}${more}`;
}
