/** The entries of a route for the parents that are ours. */
import { refusalsOf as ruleRefusals } from "../dataplane/compile/compile-route.ts";
import { isGateway } from "../effective/world/gateway-controllers.ts";
import { referenceProblemsOf, unknownReferencesOf } from "../effective/world/gateway-problems.ts";
import { mayBeGrantedElsewhere } from "../effective/world/refused-objects.ts";
import type { World } from "../effective/world/world.ts";
import { isKnownAbsent } from "../model/completeness.ts";
import { isJsonList, isJsonObject, type JsonObject, jsonEqual, objectAt, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { formatRef } from "../model/refs.ts";
import { condition, INCOMPLETE } from "../status/conditions.ts";
import { withParentDefaults } from "../status/named-parent.ts";
import type { Condition, TargetStatus } from "../status/status-report.ts";
import type { LinkRefusal } from "../topology/links.ts";
import type { Implementation } from "../topology/object-references.ts";
import { sectionsOf } from "../topology/sections-of.ts";
import { type DataplaneLimits, type GatewayStatusOptions, implementationOf } from "./dataplane-state.ts";
import { LISTENER_SETS, type OwnedGateways } from "./owned-gateways.ts";

export function routeStatus(
  world: World,
  route: KubeObject,
  owned: OwnedGateways,
  options: GatewayStatusOptions,
): readonly TargetStatus[] {
  const { controllerName, limits = {} } = options;
  const written = ownValue(objectAt(route.raw, "spec"), "parentRefs");
  if (!isJsonList(written)) return [];
  const refs = written.map((ref) => (isJsonObject(ref) ? withParentDefaults(ref) : ref));
  const refusals = world.links.get(route.id)?.refusals ?? [];
  const ours = refs.flatMap((parentRef, index) => {
    if (!isJsonObject(parentRef) || refs.findIndex((one) => jsonEqual(one, parentRef)) < index) return [];
    return isOurs(route, parentRef, owned) ? [{ parentRef, index }] : [];
  });
  if (ours.length === 0) return [];
  const shared = [resolution(world, route, implementationOf(options))];
  const rules = ruleStates(world, route, limits);
  const unserved = unservedRoute(world, route, limits);
  return ours.map(({ parentRef, index }) => {
    const refusal = refusals.find(({ field }) => field === `spec.parentRefs[${index}]`) ?? unserved;
    const accepted = acceptance(route, refusal, rules);
    return {
      object: route.id,
      location: { at: "Parent", parentRef, controllerName },
      conditions: [accepted, ...shared, ...(accepted.status === "True" ? partiallyInvalid(route, rules) : [])],
    };
  });
}

const isOurs = (route: KubeObject, parentRef: JsonObject, owned: OwnedGateways): boolean => {
  const parent = owned.parentOf(route.ref, parentRef);
  if (parent === undefined) return false;
  return (isGateway(parent.ref) || LISTENER_SETS.includes(parent.family.kindId)) && owned.isOwned(parent);
};

/** The rules whose requests are refused because of a value that is not supported. */
interface RuleStates {
  readonly all: number;
  readonly refused: ReadonlyMap<string, string>;
}

function ruleStates(world: World, route: KubeObject, { refusedRules }: DataplaneLimits): RuleStates {
  const facts = world.rulebook.factsOf(route.family.kindId);
  const refused = new Map<string, string>();
  const problems = [...ruleRefusals(world, route).filter(({ of }) => of === "Rule"), ...(refusedRules?.(route) ?? [])];
  for (const { field, reason } of problems) {
    const [rule] = /^spec\.rules\[\d+\]/.exec(field) ?? [];
    if (rule !== undefined && !refused.has(rule)) refused.set(rule, `${field}: ${reason}`);
  }
  return { all: facts === undefined ? 0 : sectionsOf(route, facts).length, refused };
}

/** Why no listener that the data plane serves carries routes of the kind. */
function unservedRoute(
  world: World,
  route: KubeObject,
  { unservedProtocols }: DataplaneLimits,
): ParentRefusal | undefined {
  const protocols = world.rulebook.factsOf(route.family.kindId)?.route?.protocols ?? [];
  const reasons = protocols.map((protocol) => unservedProtocols?.get(protocol));
  const [reason] = reasons;
  return reason === undefined || reasons.includes(undefined) ? undefined : { code: "NotAllowedByListeners", reason };
}

type ParentRefusal = Pick<LinkRefusal, "code" | "reason">;

/** Refusals of the topology have the reasons of Gateway API where it has one. */
function acceptance(route: KubeObject, refusal: ParentRefusal | undefined, { all, refused }: RuleStates): Condition {
  const type = "Accepted";
  if (refusal?.code === "UnknownNamespaceLabels")
    return condition(route, { type, status: "Unknown", reason: INCOMPLETE, message: refusal.reason });
  if (refusal !== undefined)
    return condition(route, { type, status: "False", reason: refusal.code, message: refusal.reason });
  if (refused.size > 0 && refused.size === all)
    return condition(route, {
      type,
      status: "False",
      reason: "UnsupportedValue",
      message: `no rule can be served: ${[...refused.values()].join("; ")}`,
    });
  return condition(route, { type, status: "True", reason: type, message: "a listener accepts the route" });
}

/**
 * Partially invalid routes
 *
 * If some rules of a route have a value that is not supported, the others are served, and the condition names the first. Requests of these rules are
 * answered with an error: they do not fall through to other rules.
 * Gateway API, "RouteConditionPartiallyInvalid"
 */
function partiallyInvalid(route: KubeObject, { all, refused }: RuleStates): readonly Condition[] {
  if (refused.size === 0 || refused.size === all) return [];
  return [
    condition(route, {
      type: "PartiallyInvalid",
      status: "True",
      reason: "UnsupportedValue",
      message: `Dropped Rule: ${[...refused.values()].join("; ")}`,
    }),
  ];
}

/** A reference that does not resolve, or is not known to resolve. */
interface Unresolved {
  readonly reason: string;
  readonly message: string;
  readonly isKnown: boolean;
}

/**
 * ResolvedRefs of a route
 *
 * False with the reason of the first reference of a rule, backend or filter that does not resolve. Whether an object exists that an incomplete input does
 * not have is not known.
 * Gateway API, "RouteConditionResolvedRefs"
 */
function resolution(world: World, route: KubeObject, implementation: Implementation): Condition {
  const type = "ResolvedRefs";
  const found = [...unresolvedBackends(world, route), ...unresolvedInFilters(world, route, implementation)];
  const known = found.filter(({ isKnown }) => isKnown);
  const [first] = known.length > 0 ? known : found;
  if (first === undefined)
    return condition(route, { type, status: "True", reason: type, message: "all references resolve" });
  const message = (known.length > 0 ? known : found).map((one) => one.message).join("; ");
  return condition(
    route,
    first.isKnown
      ? { type, status: "False", reason: first.reason, message }
      : { type, status: "Unknown", reason: INCOMPLETE, message },
  );
}

function unresolvedBackends(world: World, route: KubeObject): readonly Unresolved[] {
  const refusals = world.linkChildren().get(route.id)?.refusals ?? [];
  return refusals.map(({ field, reason, code, child }) => ({
    // Kinds that others carry out are kinds that this controller does not support.
    reason: code === "ImplementationSpecificKind" || code === "InvalidRef" ? "InvalidKind" : code,
    message: `${field}: ${reason}`,
    isKnown: !(
      child !== undefined &&
      ((code === "BackendNotFound" && !isKnownAbsent(world, child)) ||
        (code === "RefNotPermitted" && mayBeGrantedElsewhere(world, child)))
    ),
  }));
}

const unresolvedInFilters = (
  world: World,
  route: KubeObject,
  implementation: Implementation,
): readonly Unresolved[] => [
  ...referenceProblemsOf(world, route, implementation).map(({ field, message, reason, notPermitted }) => ({
    reason,
    message: `${field}: ${message}`,
    isKnown: notPermitted === undefined || !mayBeGrantedElsewhere(world, notPermitted),
  })),
  ...unknownReferencesOf(world, route).map(({ field, ref }) => ({
    reason: INCOMPLETE,
    message: `${field}: ${formatRef(ref)} is not in the input`,
    isKnown: false,
  })),
];
