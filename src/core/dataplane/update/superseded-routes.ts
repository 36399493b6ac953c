import { formatRef } from "../../model/refs.ts";
import type { CompiledGateway, CompiledListener } from "../compile/compile-gateway.ts";
import type { ConfigProblem, VirtualHostConfig } from "../gateway-config.ts";
import { isStream } from "../is-stream.ts";
import type { DataplaneDraft } from "./dataplane-draft.ts";

/**
 * One TCPRoute, UDPRoute or TLSRoute gets a connection
 *
 * A connection has nothing but its server name to select a route by. Of several routes of a listener, and of several TLSRoutes with the same
 * hostname, the oldest gets all connections, then the first by `namespace/name`. The others are accepted and get none.
 * GEP-2644, "Multiple TCPRoutes attaching to the same listener"
 */
export function supersededRoutes({ listeners }: CompiledGateway, draft: DataplaneDraft): readonly ConfigProblem[] {
  return listeners.flatMap((listener) => {
    if (!isStream(listener.head)) return [];
    return (draft.hosts.get(listener.id)?.hosts ?? []).flatMap((host) => supersededAt(listener, host));
  });
}

function supersededAt({ head }: CompiledListener, { hostname, routes }: VirtualHostConfig): readonly ConfigProblem[] {
  const [first, ...others] = routes;
  if (first === undefined) return [];
  const traffic = head.protocol === "UDP" ? "datagrams" : "connections";
  const where = `listener ${head.name} of ${formatRef(head.owner)}${hostname === "*" ? "" : ` for ${hostname}`}`;
  return others.map(({ rule }) => {
    const used = formatRef(first.rule.route, first.rule.rule);
    const message = `${used} comes first and gets all ${traffic} of ${where}: ${formatRef(rule.route, rule.rule)} gets none`;
    return { object: rule.route, field: "spec.parentRefs", message };
  });
}
