import type { CompiledKind } from "../effective/world/compiled-kind.ts";
import type { World } from "../effective/world/world.ts";
import type { Finding } from "../model/finding.ts";
import { compareText, kindId, type PolicyId } from "../model/refs.ts";
import { AffectedCounts } from "./affected-counts.ts";
import { ancestorsOf, conditionsOf } from "./ancestors-of.ts";
import { limitAncestors } from "./limit-ancestors.ts";
import { PartialEnforcementFinder } from "./partial-enforcement-finder.ts";
import { StatusLocationFinder } from "./status-location-finder.ts";
import type { PolicyStatus, StatusOptions, StatusReport, TargetStatus } from "./status-report.ts";
import { targetStatusesOf } from "./target-statuses.ts";

/** The status of every policy of the owned kinds and of every target that one of them affects, in a defined order. */
export function statusReportOf(world: World, options: StatusOptions): StatusReport {
  const ids: PolicyId[] = [];
  world.policies.forEach((_, id) => {
    ids.push(id);
  });
  return { ...policyStatuses(world, ids.sort(), options), targets: targetStatuses(world, options) };
}

function targetStatuses(world: World, options: StatusOptions): readonly TargetStatus[] {
  const owns = ownership(options);
  const locations = new StatusLocationFinder(world, options.controllerName);
  const counts = new AffectedCounts(options.controllerName, locations);
  for (const kind of world.rulebook.kinds.filter(owns)) for (const _ of counts.count(world, kind, 1));
  return [...counts.objects()].sort(compareText).flatMap((id) => targetStatusesOf(world, id, counts, locations));
}

/** The status of these policies, in this order, without those of kinds that the controller does not own. */
export function policyStatuses(
  world: World,
  ids: readonly PolicyId[],
  options: StatusOptions,
): Pick<StatusReport, "policies" | "findings"> {
  const draft = { policies: [] as PolicyStatus[], findings: [] as Finding[] };
  const how = { ...options, owns: ownership(options), parts: new PartialEnforcementFinder(world) };
  for (const id of ids) {
    const found = policyStatus(world, id, how);
    if (found === undefined) continue;
    draft.policies.push(found.status);
    if (found.finding !== undefined) draft.findings.push(found.finding);
  }
  return draft;
}

/** The status of these policies in steps; undefined for those that do not exist or are of a kind that the controller does not own. */
export function* policyStatusSteps(
  world: World,
  ids: Iterable<PolicyId>,
  options: StatusOptions,
): Generator<void, ReadonlyMap<PolicyId, PolicyStatus | undefined>> {
  const statuses = new Map<PolicyId, PolicyStatus | undefined>();
  const how = { ...options, owns: ownership(options), parts: new PartialEnforcementFinder(world) };
  for (const id of ids) {
    statuses.set(id, policyStatus(world, id, how)?.status);
    yield;
  }
  return statuses;
}

interface PolicyStatusOptions extends StatusOptions {
  readonly owns: (kind: CompiledKind) => boolean;
  readonly parts: PartialEnforcementFinder;
}

function policyStatus(
  world: World,
  id: PolicyId,
  { owns, parts, ...options }: PolicyStatusOptions,
): { readonly status: PolicyStatus; readonly finding: Finding | undefined } | undefined {
  const record = world.policies.get(id);
  if (record === undefined || !owns(record.kind)) return undefined;
  const { policyKind } = record.kind;
  const conditions = conditionsOf(world, id, record, options, parts);
  if (conditions !== undefined)
    return { status: { policy: id, policyKind, ancestors: [], conditions }, finding: undefined };
  const { ancestors, finding } = limitAncestors(id, ancestorsOf(world, id, record, options, parts));
  const { controllerName } = options;
  const entries = ancestors.map((one) => ({ ancestorRef: one.ref, controllerName, conditions: one.conditions }));
  return { status: { policy: id, policyKind, ancestors: entries }, finding };
}

/** A function that is true if the controller owns a policy kind. */
export function ownership({ ownedKinds }: StatusOptions): (kind: CompiledKind) => boolean {
  if (ownedKinds === undefined) return () => true;
  const owned = new Set(ownedKinds.map(kindId));
  return ({ definition }) => definition.policies.some((policy) => owned.has(kindId(policy)));
}
