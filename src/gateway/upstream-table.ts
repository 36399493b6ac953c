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
  readonly protocol: BackendConfig["protocol"];
  readonly tls: UpstreamTls | undefined;
  readonly upstream: Upstream;
  /** Since the last sweep. */
  wasUsed: boolean;
  usedMs: number;
  isForgotten: boolean;
}

const FORGET_AFTER_MS = 30_000;

export function createUpstreamTable(limits: GatewayLimits, clock: GatewayClock): UpstreamTable {
  const rows = new Map<string, Row>();
  /** The row that an endpoint had last: as long as a configuration stays, that is the one. */
  const lastOf = new WeakMap<Endpoint, Row>();
  const turns = new Map<EndpointsId, number>();

  const sweep = (nowMs: number): void => {
    for (const [key, row] of rows) {
      row.upstream.sweep();
      if (row.wasUsed) row.usedMs = nowMs;
      row.wasUsed = false;
      if (row.usedMs > nowMs - FORGET_AFTER_MS || row.upstream.running() > 0) continue;
      row.isForgotten = true;
      rows.delete(key);
      row.upstream.close();
    }
  };

  const find = (protocol: BackendConfig["protocol"], endpoint: Endpoint, tls: UpstreamTls | undefined): Row => {
    const key = `${protocol} ${endpoint.address} ${endpoint.port}${tls === undefined ? "" : ` ${JSON.stringify(tls)}`}`;
    const known = rows.get(key);
    if (known !== undefined) return known;
    const upstream =
      protocol === "HTTP/2"
        ? createHttp2Upstream(endpoint, tls, { limits, clock })
        : createHttp1Upstream({ endpoint, tls, limits, clock });
    const row = { protocol, tls, upstream, wasUsed: true, usedMs: 0, isForgotten: false };
    rows.set(key, row);
    return row;
  };

  return {
    get: (protocol, endpoint, tls) => {
      let row = lastOf.get(endpoint);
      if (row === undefined || row.isForgotten || row.protocol !== protocol || row.tls !== tls) {
        row = find(protocol, endpoint, tls);
        lastOf.set(endpoint, row);
      }
      row.wasUsed = true;
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
    sweep: () => sweep(clock.nowMs()),
    close: () => {
      for (const row of rows.values()) {
        row.isForgotten = true;
        row.upstream.close();
      }
      rows.clear();
    },
  };
}
