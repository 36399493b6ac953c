/** The upstreams of all endpoints in use, independent of the configuration. */
import type { BackendConfig, Endpoint, EndpointsId } from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import type { GatewayLimits } from "../contract/gateway-limits.ts";
import type { Upstream, UpstreamTls } from "../contract/upstream.ts";
import { createHttp1Upstream } from "../http1/http1.ts";
import { createHttp2Upstream } from "../http2/upstream.ts";
import { createEndpointHealth, type EndpointHealth } from "./endpoint-health.ts";
import { upstreamTlsOptions } from "./upstream-tls-options.ts";

export interface UpstreamTable {
  /** Creates the upstream on first use. */
  readonly get: (protocol: BackendConfig["protocol"], endpoint: Endpoint, tls: UpstreamTls | undefined) => Upstream;
  /**
   * Round robin over the endpoints. It prefers endpoints that are not out (`endpoint-health.ts`), and of these one that the request was not sent to
   * before.
   */
  readonly pick: (id: EndpointsId, endpoints: readonly Endpoint[], used: readonly Endpoint[]) => Endpoint | undefined;
  /** Records how an attempt ended, for the next `pick`. */
  readonly record: EndpointHealth["record"];
  readonly isOut: EndpointHealth["isOut"];
  /** Removes upstreams that were not used for a while. */
  readonly sweep: () => void;
  readonly close: () => void;
}

interface Row {
  readonly protocol: BackendConfig["protocol"];
  readonly tls: UpstreamTls | undefined;
  readonly upstream: Upstream;
  /** True if it was used since the last sweep. */
  wasUsed: boolean;
  usedMs: number;
  isRemoved: boolean;
}

const REMOVE_AFTER_MS = 30_000;

export function createUpstreamTable(limits: GatewayLimits, clock: GatewayClock): UpstreamTable {
  const rows = new Map<string, Row>();
  /** The row that an endpoint object used last. It stays the same until the configuration changes. */
  const lastOf = new WeakMap<Endpoint, Row>();
  const health = createEndpointHealth(clock);

  const sweep = (nowMs: number): void => {
    for (const [key, row] of rows) {
      row.upstream.sweep();
      if (row.wasUsed) row.usedMs = nowMs;
      row.wasUsed = false;
      if (row.usedMs > nowMs - REMOVE_AFTER_MS || row.upstream.running() > 0) continue;
      row.isRemoved = true;
      rows.delete(key);
      row.upstream.close();
    }
  };

  const find = (protocol: BackendConfig["protocol"], endpoint: Endpoint, tls: UpstreamTls | undefined): Row => {
    const key = `${protocol} ${endpoint.address} ${endpoint.port}${tls === undefined ? "" : ` ${tls.key}`}`;
    return remember(rows, key, () => {
      const upstream = createUpstream(protocol, endpoint, tls, { limits, clock });
      return { protocol, tls, upstream, wasUsed: true, usedMs: 0, isRemoved: false };
    });
  };

  return {
    get: (protocol, endpoint, tls) => {
      let row = lastOf.get(endpoint);
      if (row === undefined || row.isRemoved || row.protocol !== protocol || row.tls?.key !== tls?.key) {
        row = find(protocol, endpoint, tls);
        lastOf.set(endpoint, row);
      }
      row.wasUsed = true;
      return row.upstream;
    },
    pick: createPicker(health),
    record: health.record,
    isOut: health.isOut,
    sweep: () => {
      sweep(clock.nowMs());
      health.sweep();
    },
    close: () => {
      for (const row of rows.values()) {
        row.isRemoved = true;
        row.upstream.close();
      }
      rows.clear();
    },
  };
}

function createUpstream(
  protocol: BackendConfig["protocol"],
  endpoint: Endpoint,
  tls: UpstreamTls | undefined,
  context: { readonly limits: GatewayLimits; readonly clock: GatewayClock },
): Upstream {
  const options = tls === undefined ? undefined : upstreamTlsOptions(tls);
  return protocol === "HTTP/2"
    ? createHttp2Upstream(endpoint, options, context)
    : createHttp1Upstream({ endpoint, tls: options, ...context });
}

/** The turns of the round robin. */
function createPicker({ isOut }: EndpointHealth): UpstreamTable["pick"] {
  const turns = new Map<EndpointsId, number>();
  return (id, endpoints, used) => {
    const turn = turns.get(id) ?? 0;
    turns.set(id, (turn + 1) % 0x4000_0000);
    let alive: Endpoint | undefined;
    for (let step = 0; step < endpoints.length; step++) {
      const endpoint = endpoints[(turn + step) % endpoints.length];
      if (endpoint === undefined || isOut(id, endpoint)) continue;
      if (!used.includes(endpoint)) return endpoint;
      alive ??= endpoint;
    }
    return alive ?? endpoints[turn % endpoints.length];
  };
}
