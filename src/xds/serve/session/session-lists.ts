/**
 * Computes which resources must be sent to one Envoy and which must be removed. There may be thousands of resources, and most changes
 * affect one or two, so the lists are updated incrementally.
 */
import type { EncodedResources } from "../encode/encode-resources.ts";
import { changesBetween, type EncodedResource } from "../encode/encoded-resource.ts";
import { isTakenAway, RESOURCE_TYPES, type ResourceType } from "../encode/resource-type.ts";
import type { AcceptedVersions } from "./accepted-versions.ts";
import { isAskedFor, namesAskedFor, type SessionStates, type TypeState } from "./session-state.ts";

export interface SessionListsOptions {
  readonly states: SessionStates;
  readonly wanted: EncodedResources;
  readonly good: AcceptedVersions;
  readonly nowMs: () => number;
  /** The minimum time from sending a cluster to removing it. */
  readonly lingerMs: number;
}

export class SessionLists {
  private readonly states: SessionStates;
  private readonly good: AcceptedVersions;
  private readonly nowMs: () => number;
  private readonly lingerMs: number;
  private current: EncodedResources;
  /** True if unused clusters are still too young to be removed. */
  private isLingering = false;

  constructor({ states, wanted, good, nowMs, lingerMs }: SessionListsOptions) {
    this.states = states;
    this.current = wanted;
    this.good = good;
    this.nowMs = nowMs;
    this.lingerMs = lingerMs;
  }

  get wanted(): EncodedResources {
    return this.current;
  }

  want(wanted: EncodedResources): void {
    const before = this.current;
    this.current = wanted;
    for (const type of RESOURCE_TYPES) {
      const changed = changesBetween(before[type], wanted[type]);
      if (changed === undefined) this.states[type].lists = undefined;
      else this.lookAgain(type, changed);
    }
  }

  /** True if a cluster may be removed that was too young before. */
  stopLingering(): boolean {
    if (!this.isLingering) return false;
    this.isLingering = false;
    this.states.Cluster.lists = undefined;
    return true;
  }

  /** The new or changed resources that the Envoy requested. After a rejection: those that cannot be the cause, or a part of the others. */
  due(type: ResourceType): readonly EncodedResource[] {
    const { suspects, lot } = this.states[type];
    const due = [...this.listsOf(type).due.values()];
    if (suspects.size === 0) return due;
    const clear = due.filter(({ name }) => !suspects.has(name));
    return clear.length > 0 ? clear : due.slice(0, lot);
  }

  obsolete(type: ResourceType): readonly string[] {
    return [...this.listsOf(type).obsolete];
  }

  private listsOf(type: ResourceType): NonNullable<TypeState["lists"]> {
    const state = this.states[type];
    if (state.lists !== undefined) return state.lists;
    const lists = { due: new Map<string, EncodedResource>(), obsolete: new Set<string>() };
    for (const name of namesAskedFor(type, this.states, this.current)) {
      const resource = this.findDue(type, name);
      if (resource !== undefined) lists.due.set(name, resource);
    }
    if (isTakenAway(type)) {
      for (const name of state.held.keys()) if (this.isObsolete(type, name)) lists.obsolete.add(name);
    }
    state.lists = lists;
    return lists;
  }

  /** Updates only these names. */
  lookAgain(type: ResourceType, names: readonly string[]): void {
    const state = this.states[type];
    if (state.lists === undefined || names.length === 0) return;
    const due = new Map(state.lists.due);
    const obsolete = new Set(state.lists.obsolete);
    for (const name of names) {
      const resource = isAskedFor(type, name, this.states) ? this.findDue(type, name) : undefined;
      if (resource === undefined) due.delete(name);
      else due.set(name, resource);
      if (this.isObsolete(type, name)) obsolete.add(name);
      else obsolete.delete(name);
    }
    state.lists = { due, obsolete };
  }

  private findDue(type: ResourceType, name: string): EncodedResource | undefined {
    const resource = this.find(type, name);
    return this.states[type].held.get(name)?.version === resource?.version ? undefined : resource;
  }

  private isObsolete(type: ResourceType, name: string): boolean {
    const held = isTakenAway(type) ? this.states[type].held.get(name) : undefined;
    if (held === undefined || this.find(type, name) !== undefined) return false;
    if (type === "Scope") return isAskedFor(type, name, this.states);
    const isLingering = type === "Cluster" && held.sinceMs > this.nowMs() - this.lingerMs;
    this.isLingering ||= isLingering;
    return !isLingering;
  }

  /** The version for this Envoy: never one that it has rejected. */
  find(type: ResourceType, name: string): EncodedResource | undefined {
    const resource = this.current[type].get(name);
    if (resource === undefined) return type === "Endpoints" ? this.leftover(name) : undefined;
    const refused = this.states[type].refusals.get(name);
    if (refused === undefined || refused.version !== resource.version) return resource;
    const good = this.good.find(type, name);
    return good === undefined || good.version === resource.version ? undefined : good;
  }

  /** The endpoints of a cluster that is about to be removed: those that the Envoy has. Those of an earlier connection are not known. */
  private leftover(id: string): EncodedResource | undefined {
    return this.states.Endpoints.held.get(id)?.resource;
  }
}
