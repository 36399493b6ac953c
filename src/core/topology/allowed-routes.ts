import type { KindFacts, RouteFacts } from "../model/definition.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import { formatRef, type GroupKind, type ObjectRef } from "../model/refs.ts";
import { formatAllowed, isNamespaceAllowed, type OtherNamespace } from "./allowed-namespaces.ts";
import { hostnamesIntersect } from "./hostnames-intersect.ts";
import type { Listener } from "./listeners-of.ts";

/** A route, and the parentRef by which it refers to the owner of a listener. */
export interface RouteRequest {
  readonly facts: KindFacts;
  readonly namespace: string;
  readonly hostnames: readonly Json[];
  readonly sectionName: string | undefined;
  readonly port: number | undefined;
}

/** The result for one listener: accepted, or the first check that fails. The checks run in this order. */
export type Acceptance =
  | "Accepted"
  | "OtherName"
  | "OtherPort"
  | "OtherKinds"
  | "OtherProtocol"
  | "OtherNamespaces"
  | "OtherHostname";

/**
 * Listeners that accept a route: allowedRoutes
 *
 * `sectionName` and `port` of the parentRef select listeners of the parent. A selected listener accepts the route if
 * `allowedRoutes.kinds` lists its kind (no list: every kind that fits the protocol), the protocol carries such routes,
 * `allowedRoutes.namespaces` allows its namespace, and their hostnames intersect. `home` is the listener's namespace; `labels`
 * are those of the route's namespace.
 * Gateway API, "AllowedRoutes"
 */
export function listenerAccepts(listener: Listener, home: string, route: RouteRequest, labels: JsonObject): Acceptance {
  if (route.sectionName !== undefined && listener.declaredName !== route.sectionName) return "OtherName";
  if (route.port !== undefined && listener.port !== route.port) return "OtherPort";
  const listed = listener.kinds.length > 0;
  if (listed && !isListed(listener, route.facts)) return "OtherKinds";
  if (!fitsProtocol(listener, route.facts, listed)) return "OtherProtocol";
  if (!isNamespaceAllowed(listener.namespaces, home, route.namespace, labels)) return "OtherNamespaces";
  const hostnames = route.facts.route?.hostnames === true;
  return hostnames && !hostnamesIntersect(listener.hostname, route.hostnames) ? "OtherHostname" : "Accepted";
}

const isListed = ({ kinds }: Listener, { group, kind }: KindFacts): boolean =>
  kinds.some((allowed) => allowed.kind === kind && allowed.group === group);

/** The protocols of Gateway API. */
export const PROTOCOLS: readonly string[] = ["HTTP", "HTTPS", "TLS", "TCP", "UDP"];

/** A kind in `allowedRoutes.kinds` must fit the protocol too. For a custom protocol it is unknown what fits, so the list alone decides. */
function fitsProtocol(listener: Listener, { route }: KindFacts, listed: boolean): boolean {
  if (route !== undefined && carriesRoutes(listener, route)) return true;
  return listed && (route === undefined || !PROTOCOLS.includes(listener.protocol));
}

/**
 * TLS passthrough is for TLSRoutes
 *
 * A listener carries the routes of its protocol. One that does not terminate TLS carries no TCPRoutes: it can only select by the server name.
 * Gateway API, "TLSModeType"
 */
export const carriesRoutes = ({ protocol, isPassthrough }: Listener, { protocols, passthrough }: RouteFacts): boolean =>
  protocols.includes(protocol) && !(isPassthrough && passthrough === false);

/** `protocol TLS (Passthrough)`. */
export const formatProtocol = ({ protocol, isPassthrough }: Listener): string =>
  `protocol ${protocol}${isPassthrough ? " (Passthrough)" : ""}`;

/** Why a listener did or did not accept a route. */
export function formatAcceptance(
  acceptance: Acceptance,
  listener: Listener,
  owner: ObjectRef,
  route: RouteRequest,
  other: OtherNamespace,
): string {
  const who = `listener ${listener.name} of ${formatRef(owner)}`;
  switch (acceptance) {
    case "Accepted":
      return `${who} accepts it`;
    case "OtherName":
      return `${formatRef(owner)} has no listener '${route.sectionName ?? ""}'`;
    case "OtherPort":
      return route.sectionName === undefined
        ? `no listener of ${formatRef(owner)} has port ${route.port ?? ""}`
        : `${who} has port ${listener.port ?? "none"}, not ${route.port ?? ""}`;
    case "OtherKinds":
      return `${who} accepts ${listener.kinds.map(formatKind).join(", ")} only, not ${formatKind(route.facts)}`;
    case "OtherProtocol":
      return `${who} has ${formatProtocol(listener)}, which carries no ${route.facts.kind}${neededProtocol(route.facts)}`;
    case "OtherNamespaces":
      return `${who} ${formatAllowed(listener.namespaces, owner.namespace, other, "routes")}`;
    case "OtherHostname":
      return `hostnames ${quoted(route.hostnames)} and hostname '${listener.hostname ?? ""}' of ${who} have nothing in common`;
  }
}

/** Gateway API's own kinds are shown without their group. */
const formatKind = ({ group, kind }: GroupKind): string =>
  group === GATEWAY_API ? kind : `${kind} of group '${group}'`;

const neededProtocol = ({ kind, route }: KindFacts): string => {
  if (route === undefined || route.protocols.length === 0) return "";
  return ` (${kind} needs ${route.protocols.join(" or ")}${route.passthrough === false ? " that is terminated" : ""})`;
};

const SHOWN = 3;

function quoted(hostnames: readonly Json[]): string {
  const shown = hostnames.slice(0, SHOWN).map((hostname) => `'${typeof hostname === "string" ? hostname : "?"}'`);
  return `${shown.join(", ")}${hostnames.length > SHOWN ? ` and ${hostnames.length - SHOWN} more` : ""}`;
}
