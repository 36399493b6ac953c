/** Findings about Gateways, GatewayClasses, ListenerSets and their listeners, with the reasons of Gateway API. */
import {
  conflictsAt,
  LISTENER_OWNERS,
  listenerProblemsOf,
  parentProblemsOf,
  referenceProblemsOf,
} from "../../effective/world/gateway-problems.ts";
import type { World } from "../../effective/world/world.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { kindId } from "../../model/refs.ts";
import type { ConditionProblem } from "../../topology/gateway-reason.ts";
import { referringKinds } from "../../topology/object-references.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

const GATEWAY = kindId({ group: GATEWAY_API, kind: "Gateway" });

export function checkGateways(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const add = (object: KubeObject, problems: readonly ConditionProblem[]): void => {
    for (const { reason, field, message } of problems)
      findings.push(findingAt(object, { code: reason, severity: "error", field, message }));
  };
  for (const kind of referringKinds)
    for (const object of world.objects.ofKind(kind)) add(object, referenceProblemsOf(world, object));
  for (const kind of LISTENER_OWNERS)
    for (const object of world.objects.ofKind(kind)) {
      add(object, listenerProblemsOf(world, object));
      add(object, parentProblemsOf(world, object));
    }
  // A conflict is found once for the Gateway and all of its ListenerSets.
  for (const gateway of world.objects.ofKind(GATEWAY))
    for (const { owner, problem } of conflictsAt(world, gateway)) add(owner, [problem]);
  return findings;
}
