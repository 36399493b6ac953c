import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { Finding } from "../model/finding.ts";
import { displayRef, kindId, type PolicyId, parseObjectId } from "../model/refs.ts";
import { type Ancestor, ancestorsOf } from "./ancestors-of.ts";
import { PartsFinder } from "./parts-finder.ts";
import type { PolicyStatus, StatusOptions, StatusReport } from "./status-report.ts";
import { targetStatuses } from "./target-statuses.ts";

/** Gateway API, PolicyStatus: the list takes sixteen entries. */
const MAX_ANCESTORS = 16;
const MAX_NAMED = 10;

/** The status of every policy of the owned kinds and of every target that one of them affects, in a defined order. */
export function statusReportOf(world: World, options: StatusOptions): StatusReport {
  const owns = ownership(options);
  const policies: PolicyStatus[] = [];
  const findings: Finding[] = [];
  const parts = new PartsFinder(world);
  const ids: PolicyId[] = [];
  world.policies.forEach((_, id) => {
    ids.push(id);
  });
  for (const id of ids.sort()) {
    const record = world.policies.get(id);
    if (record === undefined || !owns(record.kind)) continue;
    const ancestors = ancestorsOf(world, id, record, options, parts);
    policies.push({
      policy: id,
      policyKind: record.kind.policyKind,
      ancestors: ancestors.slice(0, MAX_ANCESTORS).map(({ ref, conditions }) => ({
        ancestorRef: ref,
        controllerName: options.controllerName,
        conditions,
      })),
    });
    if (ancestors.length > MAX_ANCESTORS) findings.push(leftOut(id, ancestors));
  }
  return { policies, targets: targetStatuses(world, options.controllerName, owns), findings };
}

function ownership({ ownedKinds }: StatusOptions): (kind: CompiledKind) => boolean {
  if (ownedKinds === undefined) return () => true;
  const owned = new Set(ownedKinds.map(kindId));
  return ({ definition }) => definition.policies.some((policy) => owned.has(kindId(policy)));
}

function leftOut(id: PolicyId, ancestors: readonly Ancestor[]): Finding {
  const missing = ancestors.slice(MAX_ANCESTORS);
  const names = missing
    .slice(0, MAX_NAMED)
    .map(({ ref }) => displayRef({ ...ref, namespace: ref.namespace ?? "" }, ref.sectionName));
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : "";
  return {
    code: "AncestorsLeftOut",
    severity: "warning",
    object: id,
    field: "status.ancestors",
    message: `${displayRef(parseObjectId(id))} has ${ancestors.length} ancestors, and its status has room for ${MAX_ANCESTORS}; left out: ${names.join(", ")}${more}`,
  };
}
