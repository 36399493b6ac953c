/** The endpoints that requests are being sent to, each with its connections, whichever configurations name them. */
import type { BackendConfig, Endpoint, EndpointsId } from "../core/dataplane/gateway-config.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import { createHttp1Upstream } from "./http1-upstream.ts";
import { createHttp2Upstream } from "./http2-upstream.ts";
import type { Upstream, UpstreamTls } from "./upstream.ts";

export interface UpstreamTable {
  /** Made if need be. */
  readonly get: (protocol: BackendConfig["protocol"], endpoint: Endpoint, tls: UpstreamTls | undefined) => Upstream;
  /** The next in turn, one that was not tried before if there is any. */
  readonly pick: (id: EndpointsId, endpoints: readonly Endpoint[], tried: readonly Endpoint[]) => Endpoint | undefined;
  /** Forgets what was not used for a while. */
  readonly sweep: () => void;
  readonly close: () => void;
}

interface Row {
  readonly upstream: Upstream;
  usedMs: number;
}

const FORGET_AFTER_MS = 30_000;

export function createUpstreamTable(limits: GatewayLimits, clock: GatewayClock): UpstreamTable {
  const rows = new Map<string, Row>();
  const turns = new Map<EndpointsId, number>();

  const sweep = (olderThanMs: number): void => {
    for (const [key, { upstream, usedMs }] of rows) {
      upstream.sweep();
      if (usedMs > olderThanMs || upstream.running() > 0) continue;
      rows.delete(key);
      upstream.close();
    }
  };

  return {
    get: (protocol, endpoint, tls) => {
      const key = `${protocol} ${endpoint.address} ${endpoint.port}${tls === undefined ? "" : ` ${JSON.stringify(tls)}`}`;
      let row = rows.get(key);
      if (row === undefined) {
        const upstream =
          protocol === "HTTP/2"
            ? createHttp2Upstream(endpoint, tls, { limits, clock })
            : createHttp1Upstream({ endpoint, tls, limits, clock });
        row = { upstream, usedMs: 0 };
        rows.set(key, row);
      }
      row.usedMs = clock.nowMs();
      return row.upstream;
    },
    pick: (id, endpoints, tried) => {
      const turn = turns.get(id) ?? 0;
      turns.set(id, (turn + 1) % 0x4000_0000);
      for (let step = 0; step < endpoints.length; step++) {
        const endpoint = endpoints[(turn + step) % endpoints.length];
        if (endpoint !== undefined && !tried.includes(endpoint)) return endpoint;
      }
      return endpoints[turn % endpoints.length];
    },
    sweep: () => sweep(clock.nowMs() - FORGET_AFTER_MS),
    close: () => {
      for (const { upstream } of rows.values()) upstream.close();
      rows.clear();
    },
  };
}
