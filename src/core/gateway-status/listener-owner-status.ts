/** The status of a Gateway and of the ListenerSets that name it as their parent. */
import { problemsOf } from "../effective/world/gateway-problems.ts";
import type { World } from "../effective/world/world.ts";
import { refusedKeys } from "../infrastructure/infrastructure-keys.ts";
import { type JsonObject, objectAt, objectsIn, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { formatRef } from "../model/refs.ts";
import { condition, INCOMPLETE } from "../status/conditions.ts";
import type { Condition, TargetStatus } from "../status/status-report.ts";
import { frontendTlsOf } from "../topology/frontend-tls.ts";
import type { ConditionProblem } from "../topology/gateway-reason.ts";
import { attachedRoutes } from "./attached-routes.ts";
import { parametersMessage } from "./class-status.ts";
import {
  type DataplaneState,
  type GatewayStatusOptions,
  implementationOf,
  UNKNOWN_DATAPLANE,
} from "./dataplane-state.ts";
import {
  keptUnless,
  type ListenerContext,
  type ListenerStatus,
  listenerStatuses,
  programmedBy,
} from "./listener-statuses.ts";
import type { OwnedGateways } from "./owned-gateways.ts";

/** The status of a Gateway, of its ListenerSets, and of the listeners of all of them. */
export function gatewayStatus(
  world: World,
  gateway: KubeObject,
  owned: OwnedGateways,
  options: GatewayStatusOptions,
): readonly TargetStatus[] {
  const { dataplaneOf, limits = {} } = options;
  const implementation = implementationOf(options);
  const reported = dataplaneOf?.(gateway.id) ?? UNKNOWN_DATAPLANE;
  const refusal = gatewayRefusal(world, gateway, options);
  const dataplane: DataplaneState =
    refusal === undefined ? reported : { state: "Pending", message: "the Gateway is not accepted" };
  const routesOf = options.routesOf ?? ((owner) => attachedRoutes(world, owner));
  const context: ListenerContext = { gateway, dataplane, implementation, limits, routesOf };
  const listeners = listenerStatuses(world, gateway, context);
  const accepted = withRefusedKeys(gateway, acceptanceOf(gateway, listeners, refusal), options);
  const sets = owned.setsOf(gateway).map((set) => listenerSetStatus(world, set, { ...context, accepted }));
  const programmed = programming(gateway, accepted, [...listeners, ...sets.flatMap((set) => set.listeners)], dataplane);
  // Parameters with an error leave what was built for the Gateway as it is.
  const isAddressed = isTrue(accepted) || refusal?.reason === "InvalidParameters";
  return [
    {
      object: gateway.id,
      location: { at: "Conditions" },
      conditions: [
        accepted,
        ...(programmed === undefined ? [] : [programmed]),
        resolution(gateway, problemsOf(world, gateway, implementation), listeners),
        ...insecureMode(gateway),
      ],
      fields: {
        ...(programmed === undefined ? {} : { addresses: isAddressed ? addressesOf(reported) : [] }),
        attachedListenerSets: sets.filter((set) => isTrue(set.accepted)).length,
      },
      ...keptUnless(programmed),
    },
    ...listeners.map(({ status }) => status),
    ...sets.flatMap(({ statuses }) => statuses),
  ];
}

const addressesOf = (dataplane: DataplaneState): readonly JsonObject[] =>
  "addresses" in dataplane ? (dataplane.addresses ?? []) : [];

interface Refusal {
  readonly reason: string;
  readonly message: string;
}

/** Why a Gateway is not accepted, whatever its listeners are. */
function gatewayRefusal(world: World, gateway: KubeObject, options: GatewayStatusOptions): Refusal | undefined {
  const parameters = parametersMessage(world, gateway, options);
  if (parameters !== undefined) return { reason: "InvalidParameters", message: parameters };
  const message = addressProblem(gateway);
  return message === undefined ? undefined : { reason: "UnsupportedAddress", message };
}

/** A label or annotation that the controller does not allow is left out, and the Gateway is accepted. */
function withRefusedKeys(
  gateway: KubeObject,
  accepted: Condition,
  { infrastructureKeys }: GatewayStatusOptions,
): Condition {
  const refused = infrastructureKeys === undefined ? [] : refusedKeys(gateway, infrastructureKeys);
  if (refused.length === 0 || !isTrue(accepted)) return accepted;
  const [first = "", ...others] = refused;
  const count = others.length === 0 ? "is" : `and ${others.length} more are`;
  const message = `${accepted.message}; ${first} ${count} left out: the controller allows other keys (--infrastructure-keys)`;
  return { ...accepted, message };
}

const ADDRESS_TYPES: readonly string[] = ["IPAddress", "Hostname"];

/**
 * Unsupported addresses
 *
 * A Gateway that asks for an address of a type that is not supported is not accepted. IPAddress and Hostname are supported; the types of implementations,
 * which have a domain, are not.
 * Gateway API, "GatewayReasonUnsupportedAddress"
 */
function addressProblem({ raw }: KubeObject): string | undefined {
  for (const [index, address] of objectsIn(ownValue(objectAt(raw, "spec"), "addresses")).entries()) {
    const type = ownValue(address, "type") ?? "IPAddress";
    if (typeof type !== "string" || ADDRESS_TYPES.includes(type)) continue;
    return `spec.addresses[${index}].type is '${type}'; supported: ${ADDRESS_TYPES.join(", ")}`;
  }
  return undefined;
}

/**
 * A Gateway or ListenerSet needs one valid listener
 *
 * It is accepted if one of its listeners is. The reason ListenersNotValid says that another one is not.
 * Gateway API, "GatewayReasonListenersNotValid"
 */
function acceptanceOf(
  owner: KubeObject,
  listeners: readonly ListenerStatus[],
  refusal: Refusal | undefined,
  unknown?: string,
): Condition {
  const type = "Accepted";
  if (refusal !== undefined) return condition(owner, { type, status: "False", ...refusal });
  if (unknown !== undefined) return condition(owner, { type, status: "Unknown", reason: INCOMPLETE, message: unknown });
  const invalid = listeners.filter(({ isAccepted }) => !isAccepted);
  if (invalid.length === 0)
    return condition(owner, { type, status: "True", reason: type, message: "all listeners are valid" });
  const names = invalid.map(({ status: { location } }) => (location.at === "Listener" ? location.name : "")).join(", ");
  return condition(owner, {
    type,
    status: invalid.length < listeners.length ? "True" : "False",
    reason: "ListenersNotValid",
    message: `not accepted: listener ${names}`,
  });
}

/** `listeners`: of a Gateway also those of its ListenerSets. */
function programming(
  owner: KubeObject,
  accepted: Condition,
  listeners: readonly ListenerStatus[],
  dataplane: DataplaneState,
  reason = "Invalid",
): Condition | undefined {
  const type = "Programmed";
  if (accepted.status === "False")
    return condition(owner, { type, status: "False", reason, message: accepted.message });
  if (accepted.status === "Unknown")
    return condition(owner, { type, status: "Unknown", reason: "Pending", message: accepted.message });
  if (listeners.length > 0 && !listeners.some(({ isServed }) => isServed))
    return condition(owner, { type, status: "False", reason: "Invalid", message: "no listener can be served" });
  return programmedBy(owner, dataplane, "the data plane has acknowledged the configuration");
}

/**
 * ResolvedRefs of a Gateway
 *
 * False if a reference of the Gateway that belongs to no listener does not resolve, or if that is so for one of its listeners.
 * Gateway API, "GatewayConditionResolvedRefs"
 */
function resolution(
  gateway: KubeObject,
  problems: readonly ConditionProblem[],
  listeners: readonly ListenerStatus[],
): Condition {
  const type = "ResolvedRefs";
  const own = problems.find(({ condition: kind, field }) => kind === type && field.startsWith("spec.tls.backend."));
  if (own !== undefined)
    return condition(gateway, { type, status: "False", reason: own.reason, message: `${own.field}: ${own.message}` });
  const states = listeners.map(({ status }) => ({ status, own: status.conditions.find((one) => one.type === type) }));
  const named = (state: Condition["status"]): string =>
    states
      .filter((one) => one.own?.status === state)
      .map(({ status: { location } }) => (location.at === "Listener" ? location.name : ""))
      .join(", ");
  const [unresolved, unknown] = [named("False"), named("Unknown")];
  if (unresolved !== "")
    return condition(gateway, {
      type,
      status: "False",
      reason: "ListenersNotResolved",
      message: `references do not resolve: listener ${unresolved}`,
    });
  return unknown === ""
    ? condition(gateway, { type, status: "True", reason: type, message: "all references resolve" })
    : condition(gateway, {
        type,
        status: "Unknown",
        reason: INCOMPLETE,
        message: `it is not known whether references resolve: listener ${unknown}`,
      });
}

/** `check` has the rule (Gateway API, "GatewayConditionInsecureFrontendValidationMode"). */
function insecureMode(gateway: KubeObject): readonly Condition[] {
  const isInsecure = frontendTlsOf(gateway).some(({ validation }) => validation?.["mode"] === "AllowInsecureFallback");
  if (!isInsecure) return [];
  return [
    condition(gateway, {
      type: "InsecureFrontendValidationMode",
      status: "True",
      reason: "ConfigurationChanged",
      message: "clients without a certificate, and clients with an invalid one, are admitted",
    }),
  ];
}

interface ListenerSetStatus {
  readonly accepted: Condition;
  readonly listeners: readonly ListenerStatus[];
  readonly statuses: readonly TargetStatus[];
}

function listenerSetStatus(
  world: World,
  set: KubeObject,
  parent: ListenerContext & { readonly accepted: Condition },
): ListenerSetStatus {
  const { refusal, unknown } = setRefusal(world, set, parent);
  const isAttached = refusal === undefined && unknown === undefined;
  const listeners = isAttached ? listenerStatuses(world, set, parent) : [];
  const accepted = acceptanceOf(set, listeners, refusal ?? unresolvedSet(listeners), unknown);
  const programmed = programming(set, accepted, listeners, parent.dataplane, accepted.reason);
  return {
    accepted,
    listeners: isTrue(accepted) ? listeners : [],
    statuses: [
      {
        object: set.id,
        location: { at: "Conditions" },
        conditions: [accepted, ...(programmed === undefined ? [] : [programmed])],
        ...keptUnless(programmed),
      },
      ...listeners.map(({ status }) => status),
    ],
  };
}

/**
 * A ListenerSet needs one listener whose references resolve
 *
 * Unlike a Gateway, a ListenerSet is not accepted if the references of none of its listeners resolve.
 * Gateway API, "ListenerSetReasonListenersNotValid"
 */
function unresolvedSet(listeners: readonly ListenerStatus[]): Refusal | undefined {
  const isUnresolved = ({ status, isServed }: ListenerStatus): boolean =>
    !isServed && status.conditions.some((one) => one.type === "ResolvedRefs" && one.status === "False");
  if (listeners.length === 0 || !listeners.every(isUnresolved)) return undefined;
  return { reason: "ListenersNotValid", message: "references do not resolve: every listener" };
}

/**
 * ListenerSets that a Gateway does not allow
 *
 * A ListenerSet is accepted if `allowedListeners` of the Gateway allows its namespace, and if the Gateway is accepted.
 * Gateway API, "ListenerSetReasonNotAllowed"
 */
function setRefusal(
  world: World,
  set: KubeObject,
  { gateway, accepted }: { readonly gateway: KubeObject; readonly accepted: Condition },
): { readonly refusal?: Refusal; readonly unknown?: string } {
  const refused = world.links.get(set.id)?.refusals.find(({ field }) => field.startsWith("spec.parentRef"));
  if (refused?.code === "UnknownNamespaceLabels") return { unknown: refused.reason };
  if (refused !== undefined) return { refusal: { reason: "NotAllowed", message: refused.reason } };
  if (accepted.status !== "False") return {};
  const message = `${formatRef(gateway.ref)} is not accepted (${accepted.reason}): ${accepted.message}`;
  return { refusal: { reason: "ParentNotAccepted", message } };
}

const isTrue = ({ status }: Condition): boolean => status === "True";
