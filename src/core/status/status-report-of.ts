import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { Finding } from "../model/finding.ts";
import { kindId, type PolicyId } from "../model/refs.ts";
import { ancestorsOf } from "./ancestors-of.ts";
import { limitAncestors } from "./limit-ancestors.ts";
import { PartialEnforcementFinder } from "./partial-enforcement-finder.ts";
import type { PolicyStatus, StatusOptions, StatusReport } from "./status-report.ts";
import { targetStatusSteps } from "./target-statuses.ts";

/** The status of every policy of the owned kinds and of every target that one of them affects, in a defined order. */
export function statusReportOf(world: World, options: StatusOptions): StatusReport {
  const steps = statusReportSteps(world, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** `statusReportOf` in small steps, for a process that must not be busy for long. */
export function* statusReportSteps(world: World, options: StatusOptions): Generator<void, StatusReport> {
  const ids: PolicyId[] = [];
  world.policies.forEach((_, id) => {
    ids.push(id);
  });
  const owns = ownership(options);
  const draft = { policies: [] as PolicyStatus[], findings: [] as Finding[] };
  const parts = new PartialEnforcementFinder(world);
  for (const id of ids.sort()) {
    addPolicy(draft, world, id, { ...options, owns, parts });
    yield;
  }
  const targets = yield* targetStatusSteps(world, options.controllerName, owns);
  return { ...draft, targets };
}

/** The status of these policies, in this order, without those of kinds that the controller does not own. */
export function policyStatuses(
  world: World,
  ids: readonly PolicyId[],
  options: StatusOptions,
): Pick<StatusReport, "policies" | "findings"> {
  const draft = { policies: [] as PolicyStatus[], findings: [] as Finding[] };
  const how = { ...options, owns: ownership(options), parts: new PartialEnforcementFinder(world) };
  for (const id of ids) addPolicy(draft, world, id, how);
  return draft;
}

interface PolicyStatusOptions extends StatusOptions {
  readonly owns: (kind: CompiledKind) => boolean;
  readonly parts: PartialEnforcementFinder;
}

function addPolicy(
  { policies, findings }: { readonly policies: PolicyStatus[]; readonly findings: Finding[] },
  world: World,
  id: PolicyId,
  { owns, parts, ...options }: PolicyStatusOptions,
): void {
  const record = world.policies.get(id);
  if (record === undefined || !owns(record.kind)) return;
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

function ownership({ ownedKinds }: StatusOptions): (kind: CompiledKind) => boolean {
  if (ownedKinds === undefined) return () => true;
  const owned = new Set(ownedKinds.map(kindId));
  return ({ definition }) => definition.policies.some((policy) => owned.has(kindId(policy)));
}
