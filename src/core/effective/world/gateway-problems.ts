/** The problems of a Gateway, its class, its ListenerSets and its listeners: conditions of Gateway API and their reasons. */
import { isKnownAbsent } from "../../model/completeness.ts";
import { objectsIn } from "../../model/json.ts";
import { GATEWAY, GATEWAY_API } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, type KindId, kindId, type ObjectRef } from "../../model/refs.ts";
import { isMeshOnly } from "../../topology/add-children.ts";
import type { OwnedListener } from "../../topology/distinct-listeners.ts";
import { frontendTlsAt, frontendTlsOf } from "../../topology/frontend-tls.ts";
import type { ConditionProblem } from "../../topology/gateway-reason.ts";
import { listenerProblems } from "../../topology/listener-problems.ts";
import { listenersOf } from "../../topology/listeners-of.ts";
import {
  type Implementation,
  type ObjectReferenceContext,
  permittedMaterial,
  referenceProblems,
  type UnknownReference,
  unknownReferences,
} from "../../topology/object-references.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import { gatewayListeners } from "./gateway-listeners.ts";
import type { World } from "./world.ts";

/** The kinds that have listeners. */
export const LISTENER_OWNERS: readonly KindId[] = [
  GATEWAY,
  kindId({ group: GATEWAY_API, kind: "ListenerSet" }),
  kindId({ group: "gateway.networking.x-k8s.io", kind: "XListenerSet" }),
];

/** All problems of one object. */
export function problemsOf(
  world: World,
  object: KubeObject,
  implementation?: Implementation,
): readonly ConditionProblem[] {
  const isOwner = LISTENER_OWNERS.includes(object.family.kindId);
  const atGateways = isOwner
    ? gatewaysOf(world, object).flatMap((gateway) => problemsAt(world, gateway, implementation))
    : [];
  return [
    ...referenceProblemsOf(world, object, implementation),
    ...(isOwner ? [...listenerProblemsOf(world, object), ...parentProblemsOf(world, object)] : []),
    ...atGateways.filter(({ owner }) => owner === object).map(({ problem }) => problem),
  ];
}

/** The Gateway itself, or the Gateways that a ListenerSet is attached to. */
function gatewaysOf(world: World, owner: KubeObject): readonly KubeObject[] {
  if (owner.family.kindId === GATEWAY) return [owner];
  return (world.links.get(owner.id)?.up ?? []).flatMap(({ parent }) => {
    const gateway = world.objects.get(parent);
    return gateway?.family.kindId === GATEWAY ? [gateway] : [];
  });
}

/** The references of an object that do not resolve. A mesh route needs no grant for a mirror either (GEP-1294). */
export function referenceProblemsOf(
  world: World,
  object: KubeObject,
  implementation?: Implementation,
): readonly ConditionProblem[] {
  const [parents, plan] = [world.links.get(object.id), world.rulebook.rows.get(object.family.kindId)];
  const isMesh = parents !== undefined && plan !== undefined && isMeshOnly({ parents, plan });
  const problems = referenceProblems(object, referenceContext(world, implementation));
  return isMesh ? problems.filter(({ reason }) => reason !== "RefNotPermitted") : problems;
}

/** The references of an object of which it is not known whether they resolve. */
export const unknownReferencesOf = (world: World, object: KubeObject): readonly UnknownReference[] =>
  unknownReferences(object, referenceContext(world));

/** The Secrets and ConfigMaps that an object refers to and may refer to. */
export const permittedMaterialOf = (world: World, object: KubeObject): readonly ObjectRef[] =>
  permittedMaterial(object, referenceContext(world));

const referenceContext = (world: World, implementation?: Implementation): ObjectReferenceContext => ({
  ...(implementation === undefined ? {} : { implementation }),
  find: (kind, namespace, name) => world.objects.find(kind, namespace, name),
  kind: (kind) => world.rulebook.factsOf(kindId(kind)),
  grantsIn: (namespace) => world.grants.get(namespace) ?? [],
  isKnownAbsent: (ref) => isKnownAbsent(world, ref),
});

/** The problems of each listener by itself. */
export function listenerProblemsOf(world: World, owner: KubeObject): readonly ConditionProblem[] {
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

/** The problems of the listeners of a Gateway and its ListenerSets together. */
export const problemsAt = (
  world: World,
  gateway: KubeObject,
  implementation?: Implementation,
): readonly OwnedProblem[] => [...conflictsAt(world, gateway), ...unvalidatedAt(world, gateway, implementation)];

/** The listeners that are in conflict. `topology/distinct-listeners.ts` decides which. */
function conflictsAt(world: World, gateway: KubeObject): readonly OwnedProblem[] {
  return gatewayListeners(world, gateway).refused.flatMap((refused): readonly OwnedProblem[] => {
    const { owner, listener, why, reason } = refused;
    if (reason === undefined) return [];
    const message = `listener ${listener.name} is not served: ${why}`;
    return [{ owner, problem: { field: fieldOf(world, refused), condition: "Conflicted", reason, message } }];
  });
}

/**
 * Clients that cannot be validated
 *
 * If no reference to the CA certificates for clients is valid, the HTTPS listeners that need them are not accepted.
 * Gateway API, "ListenerReasonNoValidCACertificate"
 */
function unvalidatedAt(
  world: World,
  gateway: KubeObject,
  implementation: Implementation | undefined,
): readonly OwnedProblem[] {
  const frontend = frontendTlsOf(gateway);
  if (frontend.length === 0) return [];
  const invalid = new Set(referenceProblemsOf(world, gateway, implementation).map(({ field }) => field));
  return gatewayListeners(world, gateway).accepted.flatMap((accepted): readonly OwnedProblem[] => {
    const { owner, listener } = accepted;
    const found = listener.protocol === "HTTPS" ? frontendTlsAt(frontend, listener.port) : undefined;
    const refs = objectsIn(found?.validation?.["caCertificateRefs"]);
    if (found === undefined || refs.length === 0) return [];
    if (!refs.every((_, index) => invalid.has(`${found.field}[${index}]`))) return [];
    const message = `listener ${listener.name} is not accepted: no reference in ${found.field} of ${formatRef(gateway.ref)} is valid, so clients cannot be validated`;
    const field = fieldOf(world, accepted);
    return [{ owner, problem: { field, condition: "Accepted", reason: "NoValidCACertificate", message } }];
  });
}

/**
 * The parent of a ListenerSet must be accepted
 *
 * A ListenerSet on a Gateway that is not accepted, because its parameters are invalid, is not accepted either.
 * Gateway API, "ListenerSetReasonParentNotAccepted"
 */
export function parentProblemsOf(
  world: World,
  listenerSet: KubeObject,
  refusalOf: RefusalOf = refusedReference,
): readonly ConditionProblem[] {
  if (listenerSet.family.kindId === GATEWAY) return [];
  return gatewaysOf(world, listenerSet).flatMap((gateway): readonly ConditionProblem[] => {
    const refusal = refusalOf(world, gateway);
    if (refusal === undefined) return [];
    const message = `${formatRef(gateway.ref)} is not accepted (${refusal.reason}): ${refusal.message}`;
    return [{ field: "spec.parentRef", condition: "Accepted", reason: "ParentNotAccepted", message }];
  });
}

/** Why a Gateway is not accepted. Undefined: it is, or it is not known. */
type RefusalOf = (world: World, gateway: KubeObject) => ConditionProblem | undefined;

const refusedReference: RefusalOf = (world, gateway) =>
  referenceProblemsOf(world, gateway).find(({ condition }) => condition === "Accepted");

function fieldOf({ rulebook }: World, { owner, listener }: OwnedListener): string {
  const facts = rulebook.factsOf(owner.family.kindId);
  const section = facts === undefined ? undefined : sectionsOf(owner, facts)[listener.order];
  return `spec.listeners[${section?.index ?? listener.order}]`;
}
