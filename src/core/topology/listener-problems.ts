import type { KindFacts } from "../model/definition.ts";
import { GATEWAY_API } from "../model/kinds.ts";
import type { GroupKind } from "../model/refs.ts";
import { carriesRoutes, formatProtocol, PROTOCOLS } from "./allowed-routes.ts";
import type { ConditionProblem } from "./gateway-reason.ts";
import type { Listener } from "./listeners-of.ts";

const ISTIO_WAYPOINT = "HBONE";

/** The facts of a known kind. */
type FactsOf = (kind: GroupKind) => KindFacts | undefined;

/** The problems of a listener by itself. Fields are relative to the listener. */
export const listenerProblems = (listener: Listener, factsOf: FactsOf): readonly ConditionProblem[] => [
  ...protocolProblems(listener),
  ...kindProblems(listener, factsOf),
];

/**
 * Unsupported protocols
 *
 * A listener has a protocol of Gateway API, in upper case, or one of the implementation, which has a domain (`example.com/foo`). A listener
 * with another protocol is not accepted. `HBONE`, without a domain, is that of Istio's waypoints.
 * Gateway API, "ProtocolType"
 */
function protocolProblems({ protocol }: Listener): readonly ConditionProblem[] {
  if (PROTOCOLS.includes(protocol) || protocol.includes("/") || protocol === "" || protocol === ISTIO_WAYPOINT)
    return [];
  const message = `protocol '${protocol}' is not supported; Gateway API has ${PROTOCOLS.join(", ")}`;
  return [{ field: "protocol", condition: "Accepted", reason: "UnsupportedProtocol", message }];
}

/**
 * allowedRoutes.kinds must be kinds that the protocol carries
 *
 * A kind of Gateway API's group that does not exist, or that the protocol of the listener does not carry, is invalid. Kinds of other groups and
 * protocols of the implementation are up to the implementation.
 * Gateway API, "ListenerReasonInvalidRouteKinds"
 */
function kindProblems(listener: Listener, factsOf: FactsOf): readonly ConditionProblem[] {
  if (!PROTOCOLS.includes(listener.protocol)) return [];
  return listener.kinds.flatMap((allowed, index): readonly ConditionProblem[] => {
    const facts = factsOf(allowed);
    if (facts === undefined && allowed.group !== GATEWAY_API) return [];
    if (facts?.route !== undefined && carriesRoutes(listener, facts.route)) return [];
    const message =
      facts?.route === undefined
        ? `${allowed.kind} is not a kind of routes`
        : `${formatProtocol(listener)} carries no ${allowed.kind}`;
    const field = `allowedRoutes.kinds[${index}]`;
    return [{ field, condition: "ResolvedRefs", reason: "InvalidRouteKinds", message }];
  });
}
