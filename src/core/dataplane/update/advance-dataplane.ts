/**
 * From one configuration to the next: what is dirty is compiled again, and whatever comes out as it was stays the object that it was. A
 * first configuration is the same with everything dirty.
 */
import type { World } from "../../effective/world/world.ts";
import { moveId } from "../../model/collections/id-index.ts";
import {
  compareText,
  formatRef,
  type ObjectId,
  parseObjectId,
  parseTargetId,
  type TargetId,
} from "../../model/refs.ts";
import { type CompiledGateway, compileGateway } from "../compile/compile-gateway.ts";
import { compileRoute, type RouteAtListener, type RouteCompiler } from "../compile/compile-route.ts";
import { reuseEqual } from "../compile/deep-equal.ts";
import { settingsReader } from "../compile/path-settings.ts";
import type { Dataplane, DataplaneDelta, DataplaneParts } from "../dataplane.ts";
import type { ConfigProblem, GatewayConfig } from "../gateway-config.ts";
import { assembleGateway } from "./assemble-gateway.ts";
import { type DataplaneDraft, draftOf, partsOf } from "./dataplane-draft.ts";
import type { DirtyParts } from "./dirty-parts.ts";
import { changedHosts, type HostChange, NO_HOSTS } from "./host-table.ts";
import { reuseRoute } from "./reuse-route.ts";
import {
  backendCompiler,
  noteUses,
  refreshServices,
  routesToRecompile,
  type ServiceChanges,
} from "./service-backends.ts";
import { supersededRoutes } from "./superseded-routes.ts";

/** The configuration after a change, and its differences from the one before. */
export interface UpdatedDataplane {
  readonly dataplane: Dataplane;
  readonly delta: DataplaneDelta;
}

export function advanceDataplane(
  before: Dataplane | undefined,
  parts: DataplaneParts,
  world: World,
  dirty: DirtyParts,
): UpdatedDataplane {
  const draft = draftOf(parts);
  const backendOf = backendCompiler(world, draft);
  const routes = new Set(dirty.routes);
  for (const id of dirty.services)
    for (const route of routesToRecompile(id, world, draft, backendOf)) routes.add(route);
  for (const [service, slices] of dirty.slices) draft.slices.set(service, slices.length === 0 ? undefined : slices);

  const changes: ServiceChanges = { services: new Set([...dirty.services, ...dirty.slices.keys()]), left: new Set() };
  const compiler: RouteCompiler = { world, settings: settingsReader(world), backendOf };
  const hosts = new HostChanges();
  for (const id of routes) {
    const old = draft.routes.get(id);
    const object = world.objects.get(id);
    const compiled = object === undefined ? undefined : compileRoute(object, compiler);
    const now = compiled === undefined || old === undefined ? compiled : reuseRoute(old, compiled);
    if (now === old) continue;
    draft.routes.set(id, now);
    draft.problems.set(id, noneIfEmpty(now?.problems));
    moveId(draft.grantReaders, id, old?.grantsOf ?? [], now?.grantsOf ?? []);
    noteUses(draft, changes, id, old, now);
    hosts.replace(old?.atListeners ?? [], now?.atListeners ?? []);
  }
  refreshServices(changes, world, draft, backendOf, parts.options);
  const listeners = hosts.applyTo(draft);
  refreshGateways(world, draft, dirty.gateways, listeners);
  return updated(before, draft, parts);
}

const noneIfEmpty = <T>(list: readonly T[] | undefined): readonly T[] | undefined =>
  list?.length === 0 ? undefined : list;

/** Routes that come and go, by listener and host. */
class HostChanges {
  readonly #changes: Map<TargetId, Map<string, HostChange>> = new Map();

  replace(before: readonly RouteAtListener[], after: readonly RouteAtListener[]): void {
    for (const atListener of before) {
      if (after.includes(atListener)) continue;
      for (const { hostname, routes } of atListener.hosts) {
        const { gone } = this.#at(atListener.listener, hostname);
        for (const route of routes) gone.push(route);
      }
    }
    for (const atListener of after) {
      if (before.includes(atListener)) continue;
      for (const { hostname, routes } of atListener.hosts) {
        const { come } = this.#at(atListener.listener, hostname);
        for (const route of routes) come.push(route);
      }
    }
  }

  #at(listener: TargetId, hostname: string): HostChange {
    let hosts = this.#changes.get(listener);
    if (hosts === undefined) {
      hosts = new Map();
      this.#changes.set(listener, hosts);
    }
    let change = hosts.get(hostname);
    if (change === undefined) {
      change = { gone: [], come: [] };
      hosts.set(hostname, change);
    }
    return change;
  }

  /** The listeners whose hosts differ now. */
  applyTo(draft: DataplaneDraft): readonly TargetId[] {
    for (const [listener, changes] of this.#changes) {
      const table = changedHosts(draft.hosts.get(listener) ?? NO_HOSTS, changes);
      draft.hosts.set(listener, table.hosts.length === 0 ? undefined : table);
    }
    return [...this.#changes.keys()];
  }
}

function refreshGateways(
  world: World,
  draft: DataplaneDraft,
  dirty: ReadonlySet<ObjectId>,
  listeners: readonly TargetId[],
): void {
  const touched = new Set(dirty);
  for (const id of dirty) {
    const old = draft.gateways.get(id);
    const object = world.objects.get(id);
    const now = object === undefined ? undefined : reuseEqual(old, compileGateway(world, object));
    if (now !== old) replaceGateway(draft, id, old, now);
  }
  for (const listener of listeners) {
    const gateway = draft.gatewayOf.get(parseTargetId(listener).object);
    if (gateway !== undefined) touched.add(gateway);
  }
  for (const id of touched) {
    const compiled = draft.gateways.get(id);
    draft.served.set(id, compiled === undefined ? undefined : assembleGateway(compiled, draft, draft.served.get(id)));
    draft.problems.set(
      id,
      compiled === undefined ? undefined : gatewayProblems(compiled, draft, draft.problems.get(id)),
    );
  }
}

/** `before` is used again if nothing has changed. */
function gatewayProblems(
  compiled: CompiledGateway,
  draft: DataplaneDraft,
  before: readonly ConfigProblem[] | undefined,
): readonly ConfigProblem[] | undefined {
  const superseded = supersededRoutes(compiled, draft);
  const problems = superseded.length === 0 ? compiled.problems : [...compiled.problems, ...superseded];
  return before === undefined ? noneIfEmpty(problems) : noneIfEmpty(reuseEqual(before, problems));
}

function replaceGateway(
  draft: DataplaneDraft,
  id: ObjectId,
  old: CompiledGateway | undefined,
  now: CompiledGateway | undefined,
): void {
  draft.gateways.set(id, now);
  moveId(draft.grantReaders, id, old?.grantsOf ?? [], now?.grantsOf ?? []);
  // Another Gateway may have taken a ListenerSet over already.
  for (const owner of old?.owners ?? []) if (draft.gatewayOf.get(owner) === id) draft.gatewayOf.set(owner, undefined);
  for (const owner of now?.owners ?? []) draft.gatewayOf.set(owner, id);
  const there = new Set(now?.listeners.map((listener) => listener.id));
  for (const { id: listener } of old?.listeners ?? [])
    if (!there.has(listener)) draft.listeners.set(listener, undefined);
}

function updated(before: Dataplane | undefined, draft: DataplaneDraft, { options }: DataplaneParts): UpdatedDataplane {
  const parts = partsOf(draft, { options });
  const gateways = draft.served.changedKeys();
  const hasSameProblems = before !== undefined && draft.problems.changedKeys().length === 0;
  const dataplane: Dataplane = {
    gateways: before !== undefined && gateways.length === 0 ? before.gateways : gatewaysIn(parts),
    backends: parts.backends,
    endpoints: parts.endpoints,
    problems: hasSameProblems ? before.problems : reuseEqual(before?.problems, problemsIn(parts)),
    parts,
  };
  const delta: DataplaneDelta = {
    gateways: gateways.map(parseObjectId),
    backends: draft.backends.changedKeys(),
    endpoints: draft.endpoints.changedKeys(),
  };
  return { dataplane, delta };
}

function gatewaysIn({ served }: DataplaneParts): readonly GatewayConfig[] {
  const named: { readonly name: string; readonly config: GatewayConfig }[] = [];
  served.forEach((config) => {
    const { namespace, name } = config.gateway;
    named.push({ name: `${namespace}/${name}`, config });
  });
  return named.sort((a, b) => compareText(a.name, b.name)).map(({ config }) => config);
}

function problemsIn({ problems }: DataplaneParts): readonly ConfigProblem[] {
  const all: ConfigProblem[] = [];
  problems.forEach((some) => all.push(...some));
  // A problem that two ports of a Service, or two users of a port, have in common is reported once.
  const distinct = new Map(all.map((problem) => [keyOf(problem), problem]));
  return [...distinct].sort(([a], [b]) => compareText(a, b)).map(([, problem]) => problem);
}

const keyOf = ({ object, field, message }: ConfigProblem): string => [formatRef(object), field, message].join("\n");
