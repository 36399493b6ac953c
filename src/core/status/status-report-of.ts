import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { Finding } from "../model/finding.ts";
import { kindId, type PolicyId } from "../model/refs.ts";
import { ancestorsOf } from "./ancestors-of.ts";
import { limitAncestors } from "./limit-ancestors.ts";
import { PartialEnforcementFinder } from "./partial-enforcement-finder.ts";
import type { PolicyStatus, StatusOptions, StatusReport } from "./status-report.ts";
import { targetStatuses } from "./target-statuses.ts";

/** The status of every policy of the owned kinds and of every target that one of them affects, in a defined order. */
export function statusReportOf(world: World, options: StatusOptions): StatusReport {
  const ids: PolicyId[] = [];
  world.policies.forEach((_, id) => {
    ids.push(id);
  });
  const { policies, findings } = policyStatuses(world, ids.sort(), options);
  return { policies, targets: targetStatuses(world, options.controllerName, ownership(options)), findings };
}

/** The status of these policies, in this order, without those of kinds that the controller does not own. */
export function policyStatuses(
  world: World,
  ids: readonly PolicyId[],
  options: StatusOptions,
): Pick<StatusReport, "policies" | "findings"> {
  const owns = ownership(options);
  const policies: PolicyStatus[] = [];
  const findings: Finding[] = [];
  const parts = new PartialEnforcementFinder(world);
  for (const id of ids) {
    const record = world.policies.get(id);
    if (record === undefined || !owns(record.kind)) continue;
    const { ancestors, finding } = limitAncestors(id, ancestorsOf(world, id, record, options, parts));
    policies.push({
      policy: id,
      policyKind: record.kind.policyKind,
      ancestors: ancestors.map(({ ref, conditions }) => ({
        ancestorRef: ref,
        controllerName: options.controllerName,
        conditions,
      })),
    });
    if (finding !== undefined) findings.push(finding);
  }
  return { policies, findings };
}

function ownership({ ownedKinds }: StatusOptions): (kind: CompiledKind) => boolean {
  if (ownedKinds === undefined) return () => true;
  const owned = new Set(ownedKinds.map(kindId));
  return ({ definition }) => definition.policies.some((policy) => owned.has(kindId(policy)));
}
