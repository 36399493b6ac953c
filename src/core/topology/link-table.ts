import type { LevelKind, LinkRow } from "../model/definition.ts";
import { GATEWAY_API, kinds } from "../model/kinds.ts";

const level = (kind: string, section?: string, group: string = GATEWAY_API): LevelKind =>
  section === undefined ? { group, kind } : { group, kind, section };

const gatewayClass = level("GatewayClass");
const gateway = level("Gateway");
const listenerSets = [level("ListenerSet"), level("XListenerSet", undefined, "gateway.networking.x-k8s.io")];
const listeners = [gateway, ...listenerSets].map(({ kind, group }) => level(kind, "Listener", group));
const routes = kinds.filter((kind) => kind.route !== undefined).map(({ kind, group }) => level(kind, undefined, group));
const backend = level("Service", undefined, "");

/** `GatewayClass > Gateway > (ListenerSet >) Listener > xRoute > Rule > Service`, and for mesh `Service > xRoute`. */
export const linkTable: readonly LinkRow[] = [
  { from: gatewayClass, to: gateway, via: "ParentName", path: "spec.gatewayClassName" },
  ...listenerSets.map(
    (to): LinkRow => ({
      from: gateway,
      to,
      via: "ParentRefs",
      path: "spec.parentRef",
      attachment: "ListenerSetToGateway",
    }),
  ),
  ...routes.flatMap((to): readonly LinkRow[] => [
    ...listeners.map(
      (from): LinkRow => ({ from, to, via: "ParentRefs", path: "spec.parentRefs", attachment: "RouteToListener" }),
    ),
    { from: backend, to, via: "ParentRefs", path: "spec.parentRefs", attachment: "RouteToService" },
    { from: level(to.kind, "Rule", to.group), to: backend, via: "ChildRefs", path: "backendRefs" },
  ]),
];
