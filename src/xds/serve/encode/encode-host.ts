/**
 * Encodes a virtual host. Thousands may be needed when an Envoy starts, and routes have much in common: matches and actions are messages
 * that routes share (`compile-route.ts`), and each of those is encoded once.
 */

import { remember } from "../../../core/model/collections/remember.ts";
import {
  type Route,
  type RouteAction,
  RouteActionSchema,
  type RouteMatch,
  RouteMatchSchema,
  RouteSchema,
  type VirtualHost,
  VirtualHostSchema,
} from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { type EncodedField, toBinary, withFields } from "../../protobuf.ts";

/** The bytes of messages that routes share. */
interface EncodedParts {
  readonly matches: WeakMap<RouteMatch, Uint8Array>;
  readonly actions: WeakMap<RouteAction, Uint8Array>;
}

/** Encodes the hosts of one gateway. */
export function createHostEncoder(): (host: VirtualHost) => Uint8Array {
  const { routes } = VirtualHostSchema.field;
  const parts: EncodedParts = { matches: new WeakMap(), actions: new WeakMap() };
  return (host) => {
    const fields = host.routes.map((route): EncodedField => [routes.number, encodeRoute(route, parts)]);
    return withFields(toBinary(VirtualHostSchema, { ...host, routes: [] }), fields);
  };
}

function encodeRoute(route: Route, { matches, actions }: EncodedParts): Uint8Array {
  const { match, action } = route;
  if (match === undefined || action.case !== "route") return toBinary(RouteSchema, route);
  const own = toBinary(RouteSchema, { ...route, match: undefined, action: { case: undefined } });
  return withFields(own, [
    [RouteSchema.field.match.number, remember(matches, match, () => toBinary(RouteMatchSchema, match))],
    [RouteSchema.field.route.number, remember(actions, action.value, () => toBinary(RouteActionSchema, action.value))],
  ]);
}
