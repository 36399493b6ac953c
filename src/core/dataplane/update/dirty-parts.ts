/** The parts of a configuration that depend on what a change touched. */

import type { Delta, EffectiveChange, Touched, TouchedObject } from "../../effective/update/delta.ts";
import { referrersOf } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import { idsAt } from "../../model/collections/id-index.ts";
import { GATEWAY_API, RETRY_POLICY, SERVICE } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compareText, type KindId, kindId, type ObjectId, objectId, parseObjectId } from "../../model/refs.ts";
import { listenersOf } from "../../topology/listeners-of.ts";
import { serviceOfSlice } from "../compile/endpoints-of.ts";
import type { DataplaneParts } from "../dataplane.ts";

/** The parts that may differ. Nothing else was touched. */
export interface DirtyParts {
  readonly routes: ReadonlySet<ObjectId>;
  /** Services that changed, or whose policies changed. */
  readonly services: ReadonlySet<ObjectId>;
  /** Services whose EndpointSlices are others, with those they have now. */
  readonly slices: ReadonlyMap<ObjectId, readonly KubeObject[]>;
  readonly gateways: ReadonlySet<ObjectId>;
}

const api = (kind: string): KindId => kindId({ group: GATEWAY_API, kind });
const GATEWAY = api("Gateway");
const CERTIFICATE_KINDS = ["ConfigMap", "Secret"].map((kind) => kindId({ group: "", kind }));
const ENDPOINT_SLICE = kindId({ group: "discovery.k8s.io", kind: "EndpointSlice" });
const ROUTES: ReadonlySet<KindId> = new Set(["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"].map(api));

const kindOf = (id: ObjectId): KindId => kindId(parseObjectId(id));

interface Dirt extends DirtyParts {
  readonly routes: Set<ObjectId>;
  readonly services: Set<ObjectId>;
  readonly slices: Map<ObjectId, readonly KubeObject[]>;
  readonly gateways: Set<ObjectId>;
}

/** `world`: as it is now; `parts`: as they were. */
export function dirtyParts(world: World, parts: DataplaneParts, { effective }: Delta, touched: Touched): DirtyParts {
  const dirt: Dirt = { routes: new Set(), services: new Set(), slices: new Map(), gateways: new Set() };
  for (const object of touched.objects) addObject(dirt, world, parts, object);
  for (const id of touched.links) addOwner(dirt, world, parts, id);
  for (const change of effective) addPolicyChange(dirt, change);
  return dirt;
}

function addObject(dirt: Dirt, world: World, parts: DataplaneParts, object: TouchedObject): void {
  const { id, ref } = object;
  const kind = kindId(ref);
  if (kind === SERVICE) dirt.services.add(id);
  else if (kind === ENDPOINT_SLICE) addSlice(dirt, parts, object);
  else if (kind === api("ReferenceGrant")) {
    for (const reader of idsAt(parts.grantReaders, ref.namespace)) {
      if (kindOf(reader) === GATEWAY) dirt.gateways.add(reader);
      else dirt.routes.add(reader);
    }
  } else if (kind === api("GatewayClass")) {
    for (const user of referrersOf(world, id)) if (kindOf(user) === GATEWAY) dirt.gateways.add(user);
  } else {
    addReferrers(dirt, world, id);
    if (CERTIFICATE_KINDS.includes(kind)) addNamingGateways(dirt, parts, id);
    addOwner(dirt, world, parts, id);
    if (hasOtherListeners(world, object)) addRoutesOn(dirt, world, id);
  }
}

/** Services whose policies refer to the object, such as a ConfigMap with CA certificates. */
function addReferrers({ services }: Dirt, world: World, id: ObjectId): void {
  for (const policy of idsAt(world.indexPolicies().targetedBy, id)) {
    const { references, targets } = world.policies.get(policy) ?? {};
    if (references?.named.includes(id)) for (const { object } of targets?.attachments ?? []) services.add(object);
  }
}

/** Gateways whose client certificates are in the object. */
function addNamingGateways({ gateways }: Dirt, parts: DataplaneParts, object: ObjectId): void {
  parts.gateways.forEach(({ named }, id) => {
    if (named.includes(object)) gateways.add(id);
  });
}

/** A route, or an owner of listeners, that changed by itself or by its links. */
function addOwner({ routes, gateways }: Dirt, world: World, parts: DataplaneParts, id: ObjectId): void {
  const kind = kindOf(id);
  if (ROUTES.has(kind)) routes.add(id);
  if (kind === GATEWAY) gateways.add(id);
  const before = parts.gatewayOf.get(id);
  if (before !== undefined) gateways.add(before);
  for (const { parent } of world.links.get(id)?.up ?? [])
    if (kindOf(parent) === GATEWAY && !ROUTES.has(kind)) gateways.add(parent);
}

/**
 * The hosts of a route are what it has in common with a listener, and its backends get TLS if the listener does not terminate it. A listener that
 * comes or goes makes other links.
 */
function hasOtherListeners({ rulebook }: World, { ref, before, after }: TouchedObject): boolean {
  const facts = rulebook.factsOf(kindId(ref));
  if (facts === undefined || before === undefined || after === undefined) return false;
  const now = new Map(listenersOf(after, facts, "Listener").map((listener) => [listener.name, listener]));
  return listenersOf(before, facts, "Listener").some(({ name, hostname, isPassthrough }) => {
    const other = now.get(name);
    return other !== undefined && (other.hostname !== hostname || other.isPassthrough !== isPassthrough);
  });
}

function addRoutesOn({ routes }: Dirt, world: World, owner: ObjectId): void {
  for (const id of referrersOf(world, owner)) if (ROUTES.has(kindOf(id))) routes.add(id);
}

function addSlice({ slices }: Dirt, parts: DataplaneParts, { id, before, after }: TouchedObject): void {
  const from = before === undefined ? undefined : serviceOfSlice(before);
  const to = after === undefined ? undefined : serviceOfSlice(after);
  const others = (service: ObjectId): readonly KubeObject[] =>
    (slices.get(service) ?? parts.slices.get(service) ?? []).filter((slice) => slice.id !== id);
  if (from !== undefined) slices.set(from, others(from));
  if (to !== undefined && after !== undefined) {
    slices.set(
      to,
      [...others(to), after].sort((a, b) => compareText(a.id, b.id)),
    );
  }
}

/** The settings of a path belong to its route; other policies take effect on the Services themselves. */
function addPolicyChange({ routes, services }: Dirt, { policyKind, path }: EffectiveChange): void {
  const isRetry = kindId(policyKind) === RETRY_POLICY;
  for (const { sectionName, ...ref } of path) {
    if (isRetry ? ROUTES.has(kindId(ref)) : kindId(ref) === SERVICE) {
      const { group, kind, namespace, name } = ref;
      (isRetry ? routes : services).add(objectId({ group, kind, namespace, name }));
    }
  }
}

/** All parts, for a first compilation or after a change of policy kinds. `parts`: the parts before, which may be gone. */
export function everythingDirty(world: World, parts: DataplaneParts): DirtyParts {
  const slices = new Map<ObjectId, KubeObject[]>();
  parts.slices.forEach((_, service) => slices.set(service, []));
  world.objects.ofKind(ENDPOINT_SLICE).forEach((slice) => {
    const service = serviceOfSlice(slice);
    if (service === undefined) return;
    const others = slices.get(service);
    if (others === undefined) slices.set(service, [slice]);
    else others.push(slice);
  });
  const services = new Set<ObjectId>();
  parts.backendsOf.forEach((_, service) => services.add(service));
  const routes = new Set([...ROUTES].flatMap((kind) => idsOf(world, kind)));
  parts.routes.forEach((_, id) => routes.add(id));
  const gateways = new Set(idsOf(world, GATEWAY));
  parts.gateways.forEach((_, id) => gateways.add(id));
  return { routes, services, slices, gateways };
}

function idsOf({ objects }: World, kind: KindId): readonly ObjectId[] {
  const ids: ObjectId[] = [];
  objects.ofKind(kind).forEach(({ id }) => ids.push(id));
  return ids;
}
