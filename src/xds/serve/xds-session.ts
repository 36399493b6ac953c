/**
 * What one connected Envoy has, wants, and is to get next. Make before break: what others rest on is sent and acknowledged first, and what
 * nobody uses any more goes last. It knows nothing of gRPC, and has no timers; whoever holds it passes messages in and out.
 *
 * What an Envoy refuses is set aside for that Envoy: it gets the last version that some Envoy took, and everything else goes on.
 */
import { routeConfigOf, scopeName, scopesOf } from "../compile/resource-names.ts";
import type { EncodedResources } from "./encode-resources.ts";
import type { EncodedResource } from "./encoded-resource.ts";
import type { GoodVersions } from "./good-versions.ts";
import { isWholesale, RESOURCE_TYPES, type ResourceType } from "./resource-type.ts";
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

/** A message of an Envoy, whichever of the two protocols it speaks. */
export interface SessionRequest {
  readonly type: ResourceType;
  /** Names it asks for from now on; `*`: all there are. */
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** What it has from an earlier connection: name → version. */
  readonly held: ReadonlyMap<string, string>;
  /** The answer it is about; empty: none. */
  readonly nonce: string;
  /** Why it refuses that answer; undefined: it takes it. */
  readonly refusal: string | undefined;
}

/** What is to be sent. */
export interface SessionResponse {
  readonly type: ResourceType;
  readonly nonce: string;
  /** Those that are new or changed. */
  readonly resources: readonly EncodedResource[];
  readonly removed: readonly string[];
  /** All of this type that the Envoy is to have afterwards, for the protocol that always says everything. */
  readonly all: () => readonly EncodedResource[];
}

export interface SessionOptions {
  readonly wanted: EncodedResources;
  readonly good: GoodVersions;
  readonly send: (response: SessionResponse) => void;
  readonly onRefusal: (refusal: Refusal) => void;
  readonly nowMs: () => number;
  /**
   * A cluster is not taken away sooner after it came. Envoy 1.40 crashes where a composite cluster goes before all of its threads have
   * seen it come (docs/decisions/0006).
   */
  readonly lingerMs: number;
}

export class XdsSession {
  private readonly states: SessionStates = emptyStates();
  private readonly send: SessionOptions["send"];
  private readonly onRefusal: SessionOptions["onRefusal"];
  private readonly good: GoodVersions;
  private readonly nowMs: () => number;
  private readonly lists: SessionLists;
  private nonces = 0;
  /** Endpoints of new clusters: until the Envoy has them, the clusters are of no use to routes. */
  private readonly awaited = new Set<string>();

  constructor({ wanted, good, send, onRefusal, nowMs, lingerMs }: SessionOptions) {
    this.nowMs = nowMs;
    this.lists = new SessionLists({ states: this.states, wanted, good, nowMs, lingerMs });
    this.good = good;
    this.send = send;
    this.onRefusal = onRefusal;
  }

  /** From now on the Envoy is to have this. */
  offer(wanted: EncodedResources): void {
    this.good.keep(wanted);
    this.forgetRefusals(wanted);
    this.lists.want(wanted);
    this.advance();
  }

  receive(request: SessionRequest): void {
    const state = this.states[request.type];
    const { subscribe, unsubscribe, held, refusal } = request;
    const isPlainAnswer = subscribe.length + unsubscribe.length + held.size === 0 && refusal === undefined;
    const settled = this.settle(request, state);
    if (isPlainAnswer && state.names !== undefined) this.lists.lookAgain(request.type, settled);
    else state.lists = undefined;
    this.subscribe(request, state);
    this.advance();
  }

  /** Whoever has a clock calls this when endpoints have been waited for long enough. */
  stopAwaiting(): void {
    this.awaited.clear();
    this.advance();
  }

  /** Takes away what may go by now. Whoever has a clock calls this from time to time. */
  retireLingering(): void {
    if (this.lists.stopLingering()) this.advance();
  }

  get isAwaiting(): boolean {
    return this.awaited.size > 0;
  }

  /** Whether it has taken all that it is to have, but for what it refused, and nothing else. */
  get isSettled(): boolean {
    return RESOURCE_TYPES.every((type) => {
      const { pending, held, refusals } = this.states[type];
      if (pending !== undefined || this.lists.due(type).length > 0 || this.lists.obsolete(type).length > 0)
        return false;
      // All else is asked for by whatever needs it.
      if (type !== "Cluster" && type !== "Listener") return true;
      return Array.from(this.lists.wanted[type].keys()).every((name) => held.has(name) || refusals.has(name));
    });
  }

  /** For people: what has been sent and not answered, and what else holds things up. */
  get waitingFor(): readonly string[] {
    const pending = RESOURCE_TYPES.flatMap((type) => {
      const names = [
        ...(this.states[type].pending?.resources.keys() ?? []),
        ...(this.states[type].pending?.removed ?? []),
      ];
      return this.states[type].pending === undefined ? [] : [`an answer about ${type} ${names.slice(0, 3).join(", ")}`];
    });
    const awaited = [...this.awaited].slice(0, 3);
    return [...pending, ...(awaited.length === 0 ? [] : [`endpoints ${awaited.join(", ")}`])];
  }

  /** Of what it asks for and is to have now. An earlier version that it refused is remembered, and nobody's concern. */
  get refusals(): readonly Refusal[] {
    const isAtPresent = ({ type, name, version }: Refusal): boolean =>
      isAskedFor(type, name, this.states) && this.lists.wanted[type].get(name)?.version === version;
    return RESOURCE_TYPES.flatMap((type) => [...this.states[type].refusals.values()].filter(isAtPresent));
  }

  /** Says which resources that was about. */
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
    for (const name of pending.removed) state.held.delete(name);
    for (const [name, resource] of pending.resources) {
      // What is owed meanwhile is sent again.
      if (!state.owed.has(name)) this.hold(state, name, resource.version, resource);
      state.suspects.delete(name);
      this.good.accept(type, resource);
      if (this.lists.wanted[type].get(name)?.version === resource.version) state.refusals.delete(name);
      if (type === "Endpoints") this.awaited.delete(name);
      if (type === "Route") this.repeatHosts(name);
    }
    return about;
  }

  /** Virtual hosts that came before their route configuration have been dropped. */
  private repeatHosts(route: string): void {
    const { held } = this.states.VirtualHost;
    for (const name of held.keys()) if (routeConfigOf(name) === route) held.delete(name);
    this.states.VirtualHost.lists = undefined;
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

  /** Of what is gone. */
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
      // Thousands of names are kept once, not for each Envoy.
      else state.names.add(this.lists.wanted[type].get(name)?.name ?? name);
      // Whoever asks again has lost it, unless it says otherwise; and clusters that it has just been sent wait for theirs.
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
    if (type === "Route") this.followRoutes(isFirst ? held.keys() : []);
    // An Envoy that starts waits for an answer, also where there is nothing. One that comes back does not.
    if (isFirst && state.takesAll && held.size === 0) state.owed.add("*");
  }

  /**
   * An Envoy that comes back may have clusters that still wait for theirs: it says that it has endpoints which such a cluster never got, and
   * asks for no clusters before it has.
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
   * Which hosts an Envoy is to have depends on the routes that it asks for. And one that comes back does not say which scopes it has: those
   * of the hosts whose routes it has.
   */
  private followRoutes(had: Iterable<string>): void {
    const { Scope, VirtualHost } = this.states;
    VirtualHost.lists = undefined;
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

  /** The other way round: what uses others goes before them. */
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

  /** Asked for, and not there: it is told, or it would wait. */
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
   * A cluster that comes or changes waits for its endpoints. An Envoy that has asked for them before does not ask again, and answers nothing
   * about clusters meanwhile: so they follow at once.
   */
  private expectEndpoints(clusters: readonly EncodedResource[]): void {
    const { Endpoints, Listener, Cluster } = this.states;
    // An Envoy that starts waits by itself before it asks for listeners. One that comes back has them already.
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

  /** What it has, and what is being sent. */
  private allOf(type: ResourceType): readonly EncodedResource[] {
    const { held, pending } = this.states[type];
    const all = new Map<string, EncodedResource>();
    for (const [name, { resource }] of held) if (resource !== undefined) all.set(name, resource);
    for (const name of pending?.removed ?? []) all.delete(name);
    for (const [name, resource] of pending?.resources ?? []) all.set(name, resource);
    return [...all.values()];
  }
}
