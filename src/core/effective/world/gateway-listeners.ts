/** The listeners behind a Gateway, and the routes behind a listener: the same for whoever explains and whoever serves. */

import { forEachId } from "../../model/collections/id-set.ts";
import { createdAt } from "../../model/created-at.ts";
import { isJsonList, isJsonObject, ownValue } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compareText, kindId } from "../../model/refs.ts";
import { type DistinctListeners, distinctListeners, type OwnedListener } from "../../topology/distinct-listeners.ts";
import { listenersOf } from "../../topology/listeners-of.ts";
import type { World } from "./world.ts";

/** Those of the Gateway first, then those of the ListenerSets that are attached to it, the older ones first (GEP-1713). */
export function gatewayListeners(world: World, gateway: KubeObject): DistinctListeners {
  const owners = [gateway, ...listenerSetsOf(world, gateway)];
  return distinctListeners(
    owners.map((owner) => {
      const facts = world.rulebook.factsOf(kindId(owner.ref));
      return facts === undefined ? [] : listenersOf(owner, facts, "Listener").map((listener) => ({ owner, listener }));
    }),
  );
}

function listenerSetsOf(world: World, gateway: KubeObject): readonly KubeObject[] {
  const sets: KubeObject[] = [];
  forEachId(world.mentionedBy.get(gateway.id), (id) => {
    const object = world.objects.byId.get(id);
    const hangs = world.parents
      .get(id)
      ?.up.some(({ parent, section }) => parent === gateway.id && section === undefined);
    if (object !== undefined && hangs === true) sets.push(object);
  });
  const age = (set: KubeObject): number => createdAt(set) ?? Number.POSITIVE_INFINITY;
  const name = ({ ref }: KubeObject): string => `${ref.namespace}/${ref.name}`;
  return sets.sort((a, b) => (age(a) === age(b) ? compareText(name(a), name(b)) : age(a) - age(b)));
}

/** HTTPRoutes and GRPCRoutes that hang under a listener. */
export function routesOn(world: World, { owner, listener }: OwnedListener): readonly KubeObject[] {
  const routes: KubeObject[] = [];
  forEachId(world.mentionedBy.get(owner.id), (id) => {
    const route = world.objects.byId.get(id);
    const isOn = world.parents
      .get(id)
      ?.up.some(({ parent, section }) => parent === owner.id && section === listener.name);
    const isHttp = route?.ref.kind === "HTTPRoute" || route?.ref.kind === "GRPCRoute";
    if (route !== undefined && isOn === true && isHttp) routes.push(route);
  });
  return routes;
}

/** `spec.hostnames` of a route. */
export function hostnamesOf({ raw }: KubeObject): readonly string[] {
  const spec = ownValue(raw, "spec");
  const hostnames = isJsonObject(spec) ? ownValue(spec, "hostnames") : undefined;
  return isJsonList(hostnames) ? hostnames.filter((hostname) => typeof hostname === "string") : [];
}
