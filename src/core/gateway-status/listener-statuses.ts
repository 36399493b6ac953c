/** The status of each listener of a Gateway or ListenerSet. */

import { compileGateway } from "../dataplane/compile/compile-gateway.ts";
import { gatewayListeners } from "../effective/world/gateway-listeners.ts";
import { problemsOf, referenceProblemsOf, unknownReferencesOf } from "../effective/world/gateway-problems.ts";
import { mayBeGrantedElsewhere } from "../effective/world/refused-objects.ts";
import type { World } from "../effective/world/world.ts";
import type { KindFacts } from "../model/definition.ts";
import { isJsonList, objectAt } from "../model/json.ts";
import { GATEWAY_API, kinds } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { formatRef, type ObjectId, targetId } from "../model/refs.ts";
import { condition, INCOMPLETE } from "../status/conditions.ts";
import type { Condition, TargetStatus } from "../status/status-report.ts";
import { carriesRoutes, PROTOCOLS } from "../topology/allowed-routes.ts";
import type { OwnedListener } from "../topology/distinct-listeners.ts";
import { frontendTlsAt, frontendTlsOf } from "../topology/frontend-tls.ts";
import type { ConditionProblem } from "../topology/gateway-reason.ts";
import { hostnamesIntersect } from "../topology/hostnames-intersect.ts";
import { type Listener, listenersOf } from "../topology/listeners-of.ts";
import type { Implementation } from "../topology/object-references.ts";
import { type Section, sectionsOf } from "../topology/sections-of.ts";
import type { AttachedRoutes } from "./attached-routes.ts";
import type { DataplaneLimits, DataplaneState } from "./dataplane-state.ts";

/** The routes that gateways carry. */
const ROUTES: readonly KindFacts[] = kinds.filter(({ group, route }) => group === GATEWAY_API && route !== undefined);

/** The status of a listener, and what the status of its owner is made of. */
export interface ListenerStatus {
  readonly status: TargetStatus;
  readonly isAccepted: boolean;
  readonly isResolved: boolean;
  /** True if the listener can be served: the data plane has a configuration for it. */
  readonly isServed: boolean;
}

export interface ListenerContext {
  /** The owner of the listeners, or the Gateway that the ListenerSet is attached to. */
  readonly gateway: KubeObject;
  readonly dataplane: DataplaneState;
  readonly implementation: Implementation;
  readonly limits: DataplaneLimits;
  /** The routes on the listeners of an owner. */
  readonly routesOf: (owner: ObjectId) => AttachedRoutes;
}

export function listenerStatuses(world: World, owner: KubeObject, context: ListenerContext): readonly ListenerStatus[] {
  const facts = world.rulebook.factsOf(owner.family.kindId);
  if (facts === undefined) return [];
  const sections = sectionsOf(owner, facts);
  const draft = new ListenerStatuses(world, owner, context);
  return listenersOf(owner, facts, "Listener").flatMap((listener) => {
    const section = sections[listener.order];
    return section === undefined ? [] : [draft.statusOf(listener, section)];
  });
}

class ListenerStatuses {
  readonly #owner: KubeObject;
  readonly #dataplane: DataplaneState;
  readonly #problems: readonly ConditionProblem[];
  readonly #unknown: readonly { readonly field: string; readonly message: string }[];
  /** The listeners of the Gateway and all of its ListenerSets. */
  readonly #all: readonly OwnedListener[];
  readonly #unserved: ReadonlyMap<string, string>;
  readonly #clients: ReturnType<typeof frontendTlsOf>;
  readonly #routes: AttachedRoutes;
  readonly #limits: DataplaneLimits;

  constructor(
    world: World,
    owner: KubeObject,
    { gateway, dataplane, implementation, limits, routesOf }: ListenerContext,
  ) {
    this.#owner = owner;
    this.#dataplane = dataplane;
    this.#limits = limits;
    this.#clients = frontendTlsOf(gateway);
    const own = problemsOf(world, owner, implementation);
    // The certificates that clients are validated with are fields of the Gateway, and conditions of its listeners.
    const ofGateway = owner === gateway ? own : [...own, ...referenceProblemsOf(world, gateway, implementation)];
    this.#problems = ofGateway.filter((problem) => !mayBePermitted(world, problem));
    this.#unknown = [
      ...ofGateway
        .filter((problem) => mayBePermitted(world, problem))
        .map(({ field, message }) => ({ field, message: `${message}; a grant may be elsewhere` })),
      ...(owner === gateway ? [owner] : [owner, gateway]).flatMap((object) =>
        unknownReferencesOf(world, object).map(({ field, ref }) => ({
          field,
          message: `${formatRef(ref)} is not in the input`,
        })),
      ),
    ];
    const { accepted, refused } = gatewayListeners(world, gateway);
    this.#all = [...accepted, ...refused];
    this.#unserved = compileGateway(world, gateway).unserved;
    this.#routes = routesOf(owner.id);
  }

  statusOf(listener: Listener, section: Section): ListenerStatus {
    const field = `spec.listeners[${section.index}]`;
    const mine = this.#problems.filter((problem) => this.#isAbout(problem.field, field, listener));
    const conflict = mine.find((problem) => problem.condition === "Conflicted");
    const limit = this.#unservedProtocol(listener, field);
    const refusal = conflict ?? mine.find((problem) => problem.condition === "Accepted") ?? limit;
    const unresolved = mine.find((problem) => problem.condition === "ResolvedRefs");
    const unserved = this.#whyUnserved(listener, section, field);
    const programmed = this.#programming(listener, refusal, conflict, unserved);
    const conditions = [
      this.#acceptance(refusal),
      this.#conflicted(conflict),
      this.#resolution(unresolved, this.#unknown.find((one) => this.#isAbout(one.field, field, listener))?.message),
      ...(programmed === undefined ? [] : [programmed]),
      ...this.#overlap(listener),
    ];
    return {
      status: {
        object: this.#owner.id,
        location: { at: "Listener", name: listener.declaredName },
        conditions,
        fields:
          limit === undefined
            ? { supportedKinds: supportedKinds(listener), attachedRoutes: this.#routes.get(listener.name) ?? 0 }
            : { supportedKinds: [], attachedRoutes: 0 },
        ...keptUnless(programmed),
      },
      isAccepted: refusal === undefined,
      isResolved: unresolved === undefined,
      isServed: refusal === undefined && unserved === undefined,
    };
  }

  /**
   * Protocols that the data plane does not serve
   *
   * A listener with such a protocol is not accepted, and supports no kind of routes.
   * Gateway API, "ListenerReasonUnsupportedProtocol"
   */
  #unservedProtocol({ protocol }: Listener, field: string): ConditionProblem | undefined {
    const message = this.#limits.unservedProtocols?.get(protocol);
    return message === undefined
      ? undefined
      : { field: `${field}.protocol`, condition: "Accepted", reason: "UnsupportedProtocol", message };
  }

  /** A problem is about a listener if its field is in the listener, or if it is about the validation of its clients. */
  #isAbout(field: string, listenerField: string, { protocol, port }: Listener): boolean {
    if (field === listenerField || field.startsWith(`${listenerField}.`)) return true;
    const clients = protocol === "HTTPS" ? frontendTlsAt(this.#clients, port) : undefined;
    return clients?.validation !== undefined && field.startsWith(`${clients.field}[`);
  }

  #acceptance(refusal: ConditionProblem | undefined): Condition {
    const type = "Accepted";
    return refusal === undefined
      ? condition(this.#owner, { type, status: "True", reason: type, message: "the listener is valid" })
      : condition(this.#owner, { type, status: "False", reason: refusal.reason, message: textOf(refusal) });
  }

  #conflicted(conflict: ConditionProblem | undefined): Condition {
    const type = "Conflicted";
    return conflict === undefined
      ? condition(this.#owner, {
          type,
          status: "False",
          reason: "NoConflicts",
          message: "no other listener has the same port and hostname",
        })
      : condition(this.#owner, { type, status: "True", reason: conflict.reason, message: textOf(conflict) });
  }

  #resolution(unresolved: ConditionProblem | undefined, unknown: string | undefined): Condition {
    const type = "ResolvedRefs";
    if (unresolved !== undefined)
      return condition(this.#owner, { type, status: "False", reason: unresolved.reason, message: textOf(unresolved) });
    return unknown === undefined
      ? condition(this.#owner, { type, status: "True", reason: type, message: "all references resolve" })
      : condition(this.#owner, { type, status: "Unknown", reason: INCOMPLETE, message: unknown });
  }

  /**
   * Programmed follows the data plane
   *
   * A listener that is not accepted, is in conflict or cannot be served is not programmed. Any other is programmed as soon as the data plane of the Gateway
   * has acknowledged its configuration, and not before.
   * Gateway API, "ListenerConditionProgrammed"
   */
  #programming(
    { port }: Listener,
    refusal: ConditionProblem | undefined,
    conflict: ConditionProblem | undefined,
    unserved: string | undefined,
  ): Condition | undefined {
    const type = "Programmed";
    if (refusal !== undefined) {
      const reason = conflict === undefined ? "Invalid" : conflict.reason;
      return condition(this.#owner, { type, status: "False", reason, message: textOf(refusal) });
    }
    if (unserved !== undefined)
      return condition(this.#owner, { type, status: "False", reason: "Invalid", message: unserved });
    return programmedBy(this.#owner, stateAt(this.#dataplane, port), "the listener is served");
  }

  /** Why a listener that is accepted is not served. */
  #whyUnserved(listener: Listener, { raw }: Section, field: string): string | undefined {
    const reason = this.#unserved.get(targetId(this.#owner.id, listener.name));
    if (reason !== undefined) return reason;
    const refs = objectAt(raw, "tls")["certificateRefs"];
    if (!isJsonList(refs) || refs.length === 0 || listener.isPassthrough) return undefined;
    const isInvalid = (index: number): boolean =>
      this.#problems.some((problem) => problem.field === `${field}.tls.certificateRefs[${index}]`);
    return refs.every((_, index) => isInvalid(index)) ? "no certificate can be used" : undefined;
  }

  /**
   * Overlapping hostnames
   *
   * Listeners with TLS on one port whose hostnames overlap can be confused by clients that reuse a connection for another host. Each of them says so.
   * Gateway API, "ListenerConditionOverlappingTLSConfig"
   */
  #overlap(listener: Listener): readonly Condition[] {
    if (!isTls(listener)) return [];
    const others = this.#all.filter(
      ({ listener: other, owner }) =>
        !(owner === this.#owner && other.name === listener.name) &&
        isTls(other) &&
        other.port === listener.port &&
        other.hostname !== listener.hostname &&
        hostnamesIntersect(listener.hostname, other.hostname === undefined ? [] : [other.hostname]),
    );
    if (others.length === 0) return [];
    const names = others.map(({ owner, listener: { name } }) => `listener ${name} of ${formatRef(owner.ref)}`);
    return [
      condition(this.#owner, {
        type: "OverlappingTLSConfig",
        status: "True",
        reason: "OverlappingHostnames",
        message: `the hostname overlaps with that of ${names.join(", ")}`,
      }),
    ];
  }
}

/** A refusal is about the ports that it names: listeners of other ports are served. */
function stateAt(dataplane: DataplaneState, port: number | undefined): DataplaneState {
  if (dataplane.state !== "Refused" || dataplane.ports === "All" || port === undefined) return dataplane;
  return dataplane.ports.includes(port) ? dataplane : { state: "Serving", addresses: dataplane.addresses };
}

/** Without a new condition Programmed the one that was written before stays. */
export const keptUnless = (programmed: Condition | undefined): Pick<TargetStatus, "kept"> =>
  programmed === undefined ? { kept: ["Programmed"] } : {};

const isTls = ({ protocol }: Listener): boolean => protocol === "HTTPS" || protocol === "TLS";

const textOf = ({ field, message }: ConditionProblem): string => `${field}: ${message}`;

/** True if a ReferenceGrant that is not in the input may permit the reference. */
const mayBePermitted = (world: World, { notPermitted }: ConditionProblem): boolean =>
  notPermitted !== undefined && mayBeGrantedElsewhere(world, notPermitted);

/** The condition Programmed of an object or listener that can be served. Undefined: what was reported before stays. */
export function programmedBy(object: KubeObject, dataplane: DataplaneState, served: string): Condition | undefined {
  const type = "Programmed";
  switch (dataplane.state) {
    case "Updating":
      return undefined;
    case "Unknown":
      return condition(object, {
        type,
        status: "Unknown",
        reason: "Pending",
        message: dataplane.message ?? "it is not known whether a data plane has the configuration",
      });
    case "Serving":
      return condition(object, { type, status: "True", reason: type, message: served });
    case "Pending":
      return condition(object, { type, status: "False", reason: "Pending", message: dataplane.message });
    case "Refused":
      return condition(object, { type, status: "False", reason: "Invalid", message: dataplane.message });
    case "AddressNotAssigned":
    case "AddressNotUsable":
      return condition(object, { type, status: "False", reason: dataplane.state, message: dataplane.message });
  }
}

/**
 * Supported kinds of a listener
 *
 * The kinds of routes that the protocol of the listener carries. If the listener lists kinds, those of the list that it carries.
 * Gateway API, "ListenerStatus.supportedKinds"
 */
function supportedKinds(listener: Listener): { readonly group: string; readonly kind: string }[] {
  if (!PROTOCOLS.includes(listener.protocol)) return [];
  const isListed = ({ group, kind }: KindFacts): boolean =>
    listener.kinds.length === 0 || listener.kinds.some((one) => one.kind === kind && one.group === group);
  return ROUTES.filter(
    (facts) => facts.route !== undefined && carriesRoutes(listener, facts.route) && isListed(facts),
  ).map(({ group, kind }) => ({ group, kind }));
}
