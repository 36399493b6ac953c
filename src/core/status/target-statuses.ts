/** The `<domain>/<Kind>Affected` conditions of the objects that policies affect (GEP-713, "Target object status"). */

import type { Node } from "../effective/paths/path.ts";
import { affectedSteps } from "../effective/verdicts/affected-targets.ts";
import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { compareText, formatRef, type PolicyId, parseObjectId } from "../model/refs.ts";
import { affectedType } from "./affected-type.ts";
import { condition } from "./conditions.ts";
import { StatusLocationFinder } from "./status-location-finder.ts";
import type { Condition, StatusLocation, TargetStatus } from "./status-report.ts";

/** The number of policies that one message names. */
const MAX_NAMED = 50;

interface Draft {
  readonly object: KubeObject;
  readonly location: StatusLocation;
  /** By condition type: the policies, each with the sections that it affects; no section: the whole object. */
  readonly byType: Map<string, AffectedByType>;
}

interface AffectedByType {
  readonly certain: PolicySections;
  /** Policies on incomplete paths. */
  readonly possible: PolicySections;
}

type PolicySections = Map<PolicyId, Set<string>>;

/** The conditions of all targets, in steps. */
export function* targetStatusSteps(
  world: World,
  controllerName: string,
  owns: (kind: CompiledKind) => boolean,
): Generator<void, readonly TargetStatus[]> {
  const locations = new StatusLocationFinder(world, controllerName);
  const drafts = new Map<string, Draft>();
  for (const kind of world.rulebook.kinds) {
    if (!owns(kind)) continue;
    const type = affectedType(controllerName, kind.policyKind.kind);
    yield* affectedSteps(world, kind, (nodes, at, policy, isIncomplete) => {
      const node = nodes[at] as Node;
      const object = world.objects.get(node.id);
      // Implied and virtual objects have no status.
      if (object === undefined) return;
      for (const { location, key } of locations.find(object, nodes, at)) {
        const draft: Draft = drafts.get(key) ?? { object, location, byType: new Map() };
        drafts.set(key, draft);
        const both: AffectedByType = draft.byType.get(type) ?? {
          certain: new Map<PolicyId, Set<string>>(),
          possible: new Map<PolicyId, Set<string>>(),
        };
        draft.byType.set(type, both);
        const section = location.at === "Listener" ? undefined : node.section?.name;
        note(isIncomplete ? both.possible : both.certain, policy, section);
      }
    });
  }
  return [...drafts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, { object, location, byType }]) => ({
      object: object.id,
      location,
      conditions: conditionsOf(object, byType),
    }));
}

function note(policies: PolicySections, policy: PolicyId, section: string | undefined): void {
  const sections = policies.get(policy);
  // No section means the whole object, so a further section adds nothing.
  if (section === undefined) policies.set(policy, new Set());
  else if (sections === undefined) policies.set(policy, new Set([section]));
  else if (sections.size > 0) sections.add(section);
}

const conditionsOf = (object: KubeObject, byType: Draft["byType"]): readonly Condition[] =>
  [...byType]
    .sort(([a], [b]) => compareText(a, b))
    .map(([type, { certain, possible }]) =>
      certain.size > 0
        ? condition(object, {
            type,
            status: "True",
            reason: "Affected",
            message: `affected by ${formatPolicies(certain)}`,
          })
        : condition(object, {
            type,
            status: "Unknown",
            reason: "Incomplete",
            message: `possibly affected by ${formatPolicies(possible)}: an object above is not in the input`,
          }),
    );

function formatPolicies(policies: ReadonlyMap<PolicyId, ReadonlySet<string>>): string {
  const sorted = [...policies].sort(([a], [b]) => compareText(a, b));
  const names = sorted.slice(0, MAX_NAMED).map(([policy, sections]) => {
    const where = sections.size === 0 ? "" : ` (in ${[...sections].sort().join(", ")})`;
    return `${formatRef(parseObjectId(policy))}${where}`;
  });
  const more = sorted.length > MAX_NAMED ? ` and ${sorted.length - MAX_NAMED} more` : "";
  return `${names.join(", ")}${more}`;
}
