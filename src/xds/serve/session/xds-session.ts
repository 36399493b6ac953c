/**
 * The session of one connected Envoy: what it has, what it requests, and what to send next. Make before break: resources that others depend
 * on are sent and acknowledged first, and unused resources are removed last. It has no gRPC and no timers; its owner passes messages in and out.
 *
 * A resource that an Envoy rejects is not sent to it again: it gets the last version that some Envoy accepted.
 */
import { routeConfigOf, scopeName, scopesOf } from "../../compile/resource-names.ts";
import type { EncodedResources } from "../encode/encode-resources.ts";
import type { EncodedResource } from "../encode/encoded-resource.ts";
import { isWholesale, RESOURCE_TYPES, type ResourceType } from "../encode/resource-type.ts";
import type { AcceptedVersions } from "./accepted-versions.ts";
import { SessionLists } from "./session-lists.ts";
import {
  emptyStates,
  isAskedFor,
  namedIn,
  type Pending,
  type Refusal,
  type SessionStates,
  type TypeState,
} from "./session-state.ts";

/** A message of an Envoy, in either protocol. */
export interface SessionRequest {
  readonly type: ResourceType;
  /** Names that it subscribes to. `*`: all. */
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** The resources of an earlier connection: name → version. */
  readonly held: ReadonlyMap<string, string>;
  /** The nonce of the response that it acknowledges. Empty: none. */
  readonly nonce: string;
  /** Why it rejects that response. Undefined: it accepts it. */
  readonly refusal: string | undefined;
}

/** A response to send. */
export interface SessionResponse {
  readonly type: ResourceType;
  readonly nonce: string;
  /** The new or changed resources. */
  readonly resources: readonly EncodedResource[];
  readonly removed: readonly string[];
  /** All resources of the type, for state of the world. */
  readonly all: () => readonly EncodedResource[];
}

export interface SessionOptions {
  readonly wanted: EncodedResources;
  readonly good: AcceptedVersions;
  readonly send: (response: SessionResponse) => void;
  readonly onRefusal: (refusal: Refusal) => void;
  readonly nowMs: () => number;
  /**
   * The minimum time from sending a cluster to removing it. Envoy 1.40 crashes if a composite cluster is removed before all of its threads
   * have added it (docs/decisions/0006-envoy.md).
   */
  readonly lingerMs: number;
}

export class XdsSession {
  private readonly states: SessionStates = emptyStates();
  private readonly send: SessionOptions["send"];
  private readonly onRefusal: SessionOptions["onRefusal"];
  private readonly good: AcceptedVersions;
  private readonly nowMs: () => number;
  private readonly lists: SessionLists;
  private nonces = 0;
  /** The endpoints of new clusters. Routes must not use a cluster before the Envoy has its endpoints. */
  private readonly awaited = new Set<string>();

  constructor({ wanted, good, send, onRefusal, nowMs, lingerMs }: SessionOptions) {
    this.nowMs = nowMs;
    this.lists = new SessionLists({ states: this.states, wanted, good, nowMs, lingerMs });
    this.good = good;
    this.send = send;
    this.onRefusal = onRefusal;
  }

  /** Replaces the resources that the Envoy must have. */
  offer(wanted: EncodedResources): void {
    this.good.keep(wanted);
    this.forgetRefusals(wanted);
    this.lists.want(wanted);
    this.advance();
  }

  receive(request: SessionRequest): void {
    const state = this.states[request.type];
    const isAboutNames = isAboutNamesOnly(request) && state.names !== undefined;
    const settled = this.settle(request, state);
    this.subscribe(request, state);
    // There may be thousands of routes, and an Envoy asks for each new one.
    if (isAboutNames) this.lists.lookAgain(request.type, [...settled, ...request.subscribe, ...request.unsubscribe]);
    else state.lists = undefined;
    this.advance();
  }

  /** Called by the owner when the wait for endpoints is over. */
  stopAwaiting(): void {
    this.awaited.clear();
    this.advance();
  }

  /** Removes clusters that may be removed by now. Called periodically by the owner. */
  retireLingering(): void {
    if (this.lists.stopLingering()) this.advance();
  }

  get isAwaiting(): boolean {
    return this.awaited.size > 0;
  }

  /** True if it has exactly its resources, except those that it rejected. */
  isSettled(): boolean {
    return RESOURCE_TYPES.every((type) => {
      const { pending, held, refusals } = this.states[type];
      if (pending !== undefined || this.lists.due(type).length > 0 || this.lists.obsolete(type).length > 0)
        return false;
      // Other types are requested by the resources that need them.
      if (type !== "Cluster" && type !== "Listener") return true;
      return Array.from(this.lists.wanted[type].keys()).every((name) => held.has(name) || refusals.has(name));
    });
  }

  /** True if it has acknowledged or refused everything that it must have. What it has in addition may still have to be removed. */
  isCurrent(): boolean {
    return RESOURCE_TYPES.every((type) => {
      const { pending, held, refusals } = this.states[type];
      if ((pending?.resources.size ?? 0) > 0 || this.lists.due(type).length > 0) return false;
      if (type !== "Cluster" && type !== "Listener") return true;
      for (const name of this.lists.wanted[type].keys()) if (!held.has(name) && !refusals.has(name)) return false;
      return true;
    });
  }

  /** The resources that the session waits for, as text. */
  formatAwaited(): readonly string[] {
    const pending = RESOURCE_TYPES.flatMap((type) => {
      const names = [
        ...(this.states[type].pending?.resources.keys() ?? []),
        ...(this.states[type].pending?.removed ?? []),
      ];
      return this.states[type].pending === undefined
        ? []
        : [`a response about ${type} ${names.slice(0, 3).join(", ")}`];
    });
    const awaited = [...this.awaited].slice(0, 3);
    return [...pending, ...(awaited.length === 0 ? [] : [`endpoints ${awaited.join(", ")}`])];
  }

  /** The rejected versions of resources that it requests now. */
  collectRefusals(): readonly Refusal[] {
    const isAtPresent = ({ type, name, version }: Refusal): boolean =>
      isAskedFor(type, name, this.states) && this.lists.wanted[type].get(name)?.version === version;
    return RESOURCE_TYPES.flatMap((type) => [...this.states[type].refusals.values()].filter(isAtPresent));
  }

  /** Returns the resources of the acknowledged response. */
  private settle({ nonce, refusal, type }: SessionRequest, state: TypeState): readonly string[] {
    const { pending } = state;
    if (pending === undefined || pending.nonce !== nonce) return [];
    state.pending = undefined;
    const about = [...pending.removed, ...pending.resources.keys()];
    if (refusal !== undefined) {
      this.refuse(type, state, pending, refusal);
      return about;
    }
    if (state.suspects.size > 0) state.lot *= 2;
    for (const name of pending.removed) {
      state.held.delete(name);
      if (type === "Endpoints") this.awaited.delete(name);
    }
    for (const [name, resource] of pending.resources) {
      // The owed names are sent again.
      if (!state.owed.has(name)) this.hold(state, name, resource.version, resource);
      state.suspects.delete(name);
      this.good.accept(type, resource);
      if (this.lists.wanted[type].get(name)?.version === resource.version) state.refusals.delete(name);
      if (type === "Endpoints") this.awaited.delete(name);
      if (type === "Route") this.repeatHosts(name);
    }
    return about;
  }

  /** Envoy drops virtual hosts that arrive before their route configuration. */
  private repeatHosts(route: string): void {
    const { VirtualHost } = this.states;
    for (const name of VirtualHost.held.keys()) {
      if (routeConfigOf(name) !== route) continue;
      VirtualHost.held.delete(name);
      VirtualHost.lists = undefined;
    }
  }

  private refuse(type: ResourceType, state: TypeState, { resources }: Pending, reason: string): void {
    const named = namedIn(reason, [...resources.values()]);
    const [only] = resources.values();
    const atFault = named.length > 0 ? named : resources.size === 1 && only !== undefined ? [only] : [];
    for (const { name, version } of atFault) {
      const refusal: Refusal = { type, name, version, reason };
      state.refusals.set(name, refusal);
      this.onRefusal(refusal);
      state.suspects.delete(name);
      this.awaited.delete(name);
    }
    if (atFault.length > 0) return;
    for (const name of resources.keys()) state.suspects.add(name);
    state.lot = Math.ceil(resources.size / 2);
  }

  /** Removes the state of removed resources. */
  private forgetRefusals(wanted: EncodedResources): void {
    for (const type of RESOURCE_TYPES) {
      const { refusals } = this.states[type];
      for (const name of refusals.keys()) if (wanted[type].get(name) === undefined) refusals.delete(name);
    }
  }

  private subscribe({ type, subscribe, unsubscribe, held }: SessionRequest, state: TypeState): void {
    const isFirst = state.names === undefined;
    state.names ??= new Set();
    if (isFirst) {
      state.takesAll = isWholesale(type) && subscribe.length === 0;
      for (const [name, version] of held) this.hold(state, name, version, undefined);
      if (type === "Endpoints" && held.size > 0) this.repeatEndpoints(subscribe);
    }
    for (const name of subscribe) {
      if (name === "*") state.takesAll = true;
      // Interned, because thousands of names would be stored per Envoy.
      else state.names.add(this.lists.wanted[type].get(name)?.name ?? name);
      // An Envoy that requests a name again has lost the resource, unless it says otherwise. New clusters also wait for their endpoints.
      if (!isFirst || !held.has(name) || (type === "Endpoints" && this.awaited.has(name))) {
        this.forget(type, name);
        state.owed.add(name);
      }
    }
    for (const name of unsubscribe) {
      state.names.delete(name);
      state.owed.delete(name);
      this.forget(type, name);
      if (name === "*") state.takesAll = false;
    }
    if (type === "Route") this.followRoutes([...subscribe, ...unsubscribe], isFirst ? held.keys() : []);
    // A starting Envoy waits for a response even if there are no resources. A reconnecting one does not.
    if (isFirst && state.takesAll && held.size === 0) state.owed.add("*");
  }

  /**
   * A reconnecting Envoy may have clusters that still wait for endpoints: it claims to have endpoints that the cluster never got, and
   * does not request clusters before it has them.
   */
  private repeatEndpoints(names: readonly string[]): void {
    for (const name of names) this.awaited.add(name);
  }

  private forget(type: ResourceType, name: string): void {
    const { held } = this.states[type];
    if (type !== "Scope") held.delete(name);
    else for (const scope of held.keys()) if (scopesOf(scope) === name) held.delete(scope);
  }

  /**
   * The hosts of an Envoy depend on the route configurations that it requests. Those of one host, which has a scope, have no separate hosts. A reconnecting
   * Envoy does not say which scopes it has: they are those of the hosts whose routes it has.
   */
  private followRoutes(requested: readonly string[], had: Iterable<string>): void {
    const { Scope, VirtualHost } = this.states;
    const isScoped = (name: string): boolean =>
      Scope.held.has(scopeName(name)) || Scope.pending?.resources.has(scopeName(name)) === true;
    if (!requested.every(isScoped)) VirtualHost.lists = undefined;
    for (const name of had) {
      if (Scope.held.has(scopeName(name))) continue;
      this.hold(Scope, scopeName(name), "", undefined);
      Scope.lists = undefined;
    }
  }

  private advance(): void {
    let isBlocked = false;
    for (const type of RESOURCE_TYPES) {
      const state = this.states[type];
      if (type === "Listener" && this.awaited.size > 0) isBlocked = true;
      if (state.pending === undefined) {
        const isOwed = (name: string): boolean =>
          state.owed.has(type === "Scope" ? scopesOf(name) : name) || state.owed.has("*");
        const due = this.lists.due(type).filter(({ name }) => !isBlocked || isOwed(name));
        const missing = this.missing(type);
        if (due.length > 0 || missing.length > 0 || state.owed.has("*")) this.transmit(type, due, missing);
      }
      isBlocked ||= state.pending !== undefined || (type === "Cluster" && state.names === undefined);
    }
    if (!isBlocked) this.retire();
  }

  /** In reverse order: a resource is removed before those that it uses. */
  private retire(): void {
    for (const type of RESOURCE_TYPES.toReversed()) {
      const removed = this.lists.obsolete(type);
      if (removed.length === 0) continue;
      this.transmit(type, [], removed);
      return;
    }
  }

  private hold(state: TypeState, name: string, version: string, resource: EncodedResource | undefined): void {
    state.held.set(name, { version, resource, sinceMs: this.nowMs() });
  }

  /**
   * Requested resources that do not exist. The Envoy must be notified, or it would wait. Of endpoints it keeps those that it has, and uses them until its routes
   * have changed.
   */
  private missing(type: ResourceType): readonly string[] {
    const { owed } = this.states[type];
    const isThere = (name: string): boolean =>
      type === "Scope"
        ? Array.from(this.lists.wanted.Scope.keys()).some((scope) => scopesOf(scope) === name)
        : this.lists.find(type, name) !== undefined;
    return [...owed].filter((name) => name !== "*" && !isThere(name));
  }

  private transmit(type: ResourceType, resources: readonly EncodedResource[], removed: readonly string[]): void {
    const state = this.states[type];
    const nonce = String(++this.nonces);
    if (type === "Cluster") this.expectEndpoints(resources);
    state.pending = { nonce, resources: new Map(resources.map((resource) => [resource.name, resource])), removed };
    state.owed.clear();
    this.send({ type, nonce, resources, removed, all: () => this.allOf(type) });
  }

  /**
   * A new or changed cluster waits for its endpoints. An Envoy that has requested them before does not request them again, and does not
   * acknowledge clusters until then, so they are sent at once.
   */
  private expectEndpoints(clusters: readonly EncodedResource[]): void {
    const { Endpoints, Listener, Cluster } = this.states;
    // A starting Envoy waits for endpoints before it requests listeners. A reconnecting one already has listeners.
    const isStarting = Listener.names === undefined && Cluster.held.size === 0;
    for (const { endpoints } of clusters) {
      if (endpoints === undefined) continue;
      if (!isStarting) this.awaited.add(endpoints);
      if (Endpoints.names?.has(endpoints) !== true) continue;
      Endpoints.held.delete(endpoints);
      Endpoints.owed.add(endpoints);
      Endpoints.lists = undefined;
    }
  }

  /** The resources that it has, and those that are being sent. */
  private allOf(type: ResourceType): readonly EncodedResource[] {
    const { held, pending } = this.states[type];
    const all = new Map<string, EncodedResource>();
    for (const [name, { resource }] of held) if (resource !== undefined) all.set(name, resource);
    for (const name of pending?.removed ?? []) all.delete(name);
    for (const [name, resource] of pending?.resources ?? []) all.set(name, resource);
    return [...all.values()];
  }
}

/** True if only the named resources, and those that it acknowledges, may have to be sent again. Names of collections stand for many resources. */
function isAboutNamesOnly({ type, subscribe, unsubscribe, held, refusal }: SessionRequest): boolean {
  if (held.size > 0 || refusal !== undefined) return false;
  const names = [...subscribe, ...unsubscribe];
  return names.length === 0 || (type !== "Scope" && !names.includes("*"));
}
