/** The listeners of a Gateway and its ListenerSets, and the routes on a listener. */

import { isJsonList, isJsonObject, ownValue } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { createdAt } from "../../model/parse/created-at.ts";
import { compareText, kindId } from "../../model/refs.ts";
import { type DistinctListeners, distinctListeners, type OwnedListener } from "../../topology/distinct-listeners.ts";
import { listenersOf } from "../../topology/listeners-of.ts";
import { otherReferrersToParent, referrersToParent } from "./link-indexes.ts";
import type { World } from "./world.ts";

/**
 * Listener precedence: the Gateway, then its ListenerSets by age
 *
 * The listeners of the Gateway come first, then those of the attached ListenerSets, older ListenerSets first, then by
 * namespace/name.
 * GEP-1713, "Listener Precedence"
 */
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
  for (const id of otherReferrersToParent(world, gateway.id)) {
    const object = world.objects.get(id);
    const isAttached = world.links
      .get(id)
      ?.up.some(({ parent, section }) => parent === gateway.id && section === undefined);
    if (object !== undefined && isAttached === true) sets.push(object);
  }
  const age = (set: KubeObject): number => createdAt(set) ?? Number.POSITIVE_INFINITY;
  const name = ({ ref }: KubeObject): string => `${ref.namespace}/${ref.name}`;
  return sets.sort((a, b) => (age(a) === age(b) ? compareText(name(a), name(b)) : age(a) - age(b)));
}

/** The HTTPRoutes and GRPCRoutes that are attached to a listener. */
export function routesOn(world: World, { owner, listener }: OwnedListener): readonly KubeObject[] {
  const routes: KubeObject[] = [];
  for (const id of referrersToParent(world, owner.id)) {
    const route = world.objects.get(id);
    const isOn = world.links
      .get(id)
      ?.up.some(({ parent, section }) => parent === owner.id && section === listener.name);
    const isHttp = route?.ref.kind === "HTTPRoute" || route?.ref.kind === "GRPCRoute";
    if (route !== undefined && isOn === true && isHttp) routes.push(route);
  }
  return routes;
}

/** `spec.hostnames` of a route. */
export function hostnamesOf({ raw }: KubeObject): readonly string[] {
  const spec = ownValue(raw, "spec");
  const hostnames = isJsonObject(spec) ? ownValue(spec, "hostnames") : undefined;
  return isJsonList(hostnames) ? hostnames.filter((hostname) => typeof hostname === "string") : [];
}
