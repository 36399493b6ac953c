import type { KindFacts } from "../model/definition.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import { displayRef, type GroupKind, type ObjectRef } from "../model/refs.ts";
import { describeAllowed, isNamespaceAllowed } from "./allowed-namespaces.ts";
import { hostnamesIntersect } from "./hostnames-intersect.ts";
import type { Listener } from "./listeners-of.ts";

/** A route that asks to be attached, by one of its parentRefs. */
export interface RouteRequest {
  readonly facts: KindFacts;
  readonly namespace: string;
  readonly hostnames: readonly Json[];
  readonly sectionName: string | undefined;
  readonly port: number | undefined;
}

/** What a listener says to a route: the first check that fails, in this order. */
export type Acceptance =
  | "Accepted"
  | "OtherName"
  | "OtherPort"
  | "OtherKinds"
  | "OtherProtocol"
  | "OtherNamespaces"
  | "OtherHostname";

/**
 * Gateway API: `sectionName` and `port` pick the relevant listeners; `allowedRoutes`, the protocol and the hostnames
 * decide. `home` is the listener's namespace; `labels` are those of the route's, read only for a selector.
 */
export function listenerAccepts(listener: Listener, home: string, route: RouteRequest, labels: JsonObject): Acceptance {
  if (route.sectionName !== undefined && listener.declaredName !== route.sectionName) return "OtherName";
  if (route.port !== undefined && listener.port !== route.port) return "OtherPort";
  const listed = listener.kinds.length > 0;
  if (listed && !isListed(listener, route.facts)) return "OtherKinds";
  if (!fitsProtocol(listener.protocol, route.facts, listed)) return "OtherProtocol";
  if (!isNamespaceAllowed(listener.namespaces, home, route.namespace, labels)) return "OtherNamespaces";
  const hostnames = route.facts.route?.hostnames === true;
  return hostnames && !hostnamesIntersect(listener.hostname, route.hostnames) ? "OtherHostname" : "Accepted";
}

function isListed({ kinds }: Listener, { group, kind }: KindFacts): boolean {
  for (const allowed of kinds) {
    if (allowed.kind === kind && allowed.group === group) return true;
  }
  return false;
}

const PROTOCOLS: readonly string[] = ["HTTP", "HTTPS", "TLS", "TCP", "UDP"];

/** Allowed kinds must fit the protocol too. Of a custom protocol nobody knows what fits, so there the list alone decides. */
function fitsProtocol(protocol: string, { route }: KindFacts, listed: boolean): boolean {
  if (route?.protocols.includes(protocol) === true) return true;
  return listed && (route === undefined || !PROTOCOLS.includes(protocol));
}

/** Why a listener did not accept a route, for people. */
export function explainAcceptance(
  acceptance: Acceptance,
  listener: Listener,
  owner: ObjectRef,
  route: RouteRequest,
): string {
  const who = `listener ${listener.name} of ${displayRef(owner)}`;
  switch (acceptance) {
    case "Accepted":
      return `${who} accepts it`;
    case "OtherName":
      return `${displayRef(owner)} has no listener '${route.sectionName ?? ""}'`;
    case "OtherPort":
      return route.sectionName === undefined
        ? `no listener of ${displayRef(owner)} has port ${route.port ?? ""}`
        : `${who} has port ${listener.port ?? "none"}, not ${route.port ?? ""}`;
    case "OtherKinds":
      return `${who} accepts ${listener.kinds.map(shownKind).join(", ")} only, not ${shownKind(route.facts)}`;
    case "OtherProtocol":
      return `${who} has protocol ${listener.protocol}, which takes no ${route.facts.kind}${needed(route.facts)}`;
    case "OtherNamespaces":
      return `${who} ${describeAllowed(listener.namespaces, owner.namespace, route.namespace, "routes")}`;
    case "OtherHostname":
      return `hostnames ${quoted(route.hostnames)} and hostname '${listener.hostname ?? ""}' of ${who} have nothing in common`;
  }
}

/** Gateway API's own kinds need no group to be known by. */
const shownKind = ({ group, kind }: GroupKind): string =>
  group === GATEWAY_API ? kind : `${kind} of group '${group}'`;

const needed = ({ kind, route }: KindFacts): string =>
  route === undefined || route.protocols.length === 0 ? "" : ` (${kind} needs ${route.protocols.join(" or ")})`;

const SHOWN = 3;

function quoted(hostnames: readonly Json[]): string {
  const shown = hostnames.slice(0, SHOWN).map((hostname) => `'${typeof hostname === "string" ? hostname : "?"}'`);
  return `${shown.join(", ")}${hostnames.length > SHOWN ? ` and ${hostnames.length - SHOWN} more` : ""}`;
}
