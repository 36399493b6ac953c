/** Findings about Gateways, GatewayClasses, ListenerSets and their listeners, with the reasons of Gateway API. */
import { gatewayListeners } from "../../effective/world/gateway-listeners.ts";
import type { World } from "../../effective/world/world.ts";
import { isCompleteFor } from "../../model/completeness.ts";
import { GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, type KindId, kindId } from "../../model/refs.ts";
import type { OwnedListener } from "../../topology/distinct-listeners.ts";
import type { ConditionProblem } from "../../topology/gateway-reason.ts";
import { listenerProblems } from "../../topology/listener-problems.ts";
import { listenersOf } from "../../topology/listeners-of.ts";
import { type ObjectReferenceContext, referenceProblems, referringKinds } from "../../topology/object-references.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";

const GATEWAY = kindId({ group: GATEWAY_API, kind: "Gateway" });
const WITH_LISTENERS: readonly KindId[] = [
  GATEWAY,
  kindId({ group: GATEWAY_API, kind: "ListenerSet" }),
  kindId({ group: "gateway.networking.x-k8s.io", kind: "XListenerSet" }),
];

export function checkGateways(world: World): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  const add = (object: KubeObject, problems: readonly ConditionProblem[]): void => {
    for (const { reason, field, message } of problems)
      findings.push(findingAt(object, { code: reason, severity: "error", field, message }));
  };
  for (const kind of referringKinds)
    for (const object of world.objects.ofKind(kind)) add(object, ownReferenceProblems(world, object));
  for (const kind of WITH_LISTENERS)
    for (const object of world.objects.ofKind(kind)) add(object, ownListenerProblems(world, object));
  for (const gateway of world.objects.ofKind(GATEWAY))
    for (const { owner, problem } of conflictsAt(world, gateway)) add(owner, [problem]);
  for (const kind of WITH_LISTENERS)
    for (const object of world.objects.ofKind(kind)) add(object, parentProblems(world, object));
  return findings;
}

/** The references of an object that do not resolve. A mesh route needs no grant for a mirror either (GEP-1294). */
function ownReferenceProblems(world: World, object: KubeObject): readonly ConditionProblem[] {
  const { up = [], absentParents = [] } = world.links.get(object.id) ?? {};
  const isMesh = up.length > 0 && absentParents.length === 0 && up.every(({ frontend }) => frontend);
  const problems = referenceProblems(object, referenceContext(world));
  return isMesh ? problems.filter(({ reason }) => reason !== "RefNotPermitted") : problems;
}

const referenceContext = ({ objects, grants, rulebook, completeness }: World): ObjectReferenceContext => ({
  find: (kind, namespace, name) => objects.find(kind, namespace, name),
  kind: (kind) => rulebook.factsOf(kindId(kind)),
  grantsIn: (namespace) => grants.get(namespace) ?? [],
  isComplete: (kind, namespace) => isCompleteFor(completeness, kind, namespace),
});

function ownListenerProblems(world: World, owner: KubeObject): readonly ConditionProblem[] {
  const facts = world.rulebook.factsOf(owner.family.kindId);
  if (facts === undefined) return [];
  return listenersOf(owner, facts, "Listener").flatMap((listener) =>
    listenerProblems(listener, (kind) => world.rulebook.factsOf(kindId(kind))).map((problem) => ({
      ...problem,
      field: `${fieldOf(world, { owner, listener })}.${problem.field}`,
    })),
  );
}

interface OwnedProblem {
  readonly owner: KubeObject;
  readonly problem: ConditionProblem;
}

/** The listeners of a Gateway and its ListenerSets that are in conflict. `topology/distinct-listeners.ts` decides which. */
function conflictsAt(world: World, gateway: KubeObject): readonly OwnedProblem[] {
  return gatewayListeners(world, gateway).refused.flatMap((refused): readonly OwnedProblem[] => {
    const { owner, listener, why, reason } = refused;
    if (reason === undefined) return [];
    const message = `listener ${listener.name} is not served: ${why}`;
    return [{ owner, problem: { field: fieldOf(world, refused), condition: "Conflicted", reason, message } }];
  });
}

/**
 * The parent of a ListenerSet must be accepted
 *
 * A ListenerSet on a Gateway that is not accepted, because its parameters are invalid, is not accepted either.
 * Gateway API, "ListenerSetReasonParentNotAccepted"
 */
function parentProblems(world: World, object: KubeObject): readonly ConditionProblem[] {
  return (world.links.get(object.id)?.up ?? []).flatMap(({ parent }): readonly ConditionProblem[] => {
    const gateway = world.objects.get(parent);
    if (gateway === undefined || gateway.family.kindId !== GATEWAY || object.family.kindId === GATEWAY) return [];
    const refusal = ownReferenceProblems(world, gateway).find(({ condition }) => condition === "Accepted");
    if (refusal === undefined) return [];
    const message = `${formatRef(gateway.ref)} is not accepted (${refusal.reason}): ${refusal.message}`;
    return [{ field: "spec.parentRef", condition: "Accepted", reason: "ParentNotAccepted", message }];
  });
}

function fieldOf({ rulebook }: World, { owner, listener }: OwnedListener): string {
  const facts = rulebook.factsOf(owner.family.kindId);
  const section = facts === undefined ? undefined : sectionsOf(owner, facts)[listener.order];
  return `spec.listeners[${section?.index ?? listener.order}]`;
}
