/** The endpoints that get no requests for a while, because they failed several times in a row. */
import type { Endpoint, EndpointsId } from "../../core/dataplane/gateway-config.ts";
import { PASSIVE_HEALTH } from "../../core/dataplane/passive-health.ts";
import type { GatewayClock } from "../contract/gateway-clock.ts";

export interface EndpointHealth {
  /** Records how an attempt ended. `endpoints` are all of the backend. */
  readonly record: (id: EndpointsId, endpoints: readonly Endpoint[], endpoint: Endpoint, hasFailed: boolean) => void;
  /** True if the endpoint gets no requests at present. */
  readonly isOut: (id: EndpointsId, endpoint: Endpoint) => boolean;
  /** Forgets endpoints that did not fail for a while. */
  readonly sweep: () => void;
}

interface Failing {
  failures: number;
  /** How often in a row it was out. */
  timesOut: number;
  outUntilMs: number;
  failedMs: number;
}

const {
  failures: MOST_FAILURES,
  outMs: OUT_MS,
  mostOutMs: MOST_OUT_MS,
  mostOutPercent: MOST_OUT_PERCENT,
} = PASSIVE_HEALTH;

/** Endpoints that never failed are not stored. */
export function createEndpointHealth({ nowMs }: Pick<GatewayClock, "nowMs">): EndpointHealth {
  const failing = new Map<EndpointsId, Map<string, Failing>>();
  const find = (id: EndpointsId, endpoint: Endpoint): Failing | undefined => failing.get(id)?.get(keyOf(endpoint));
  const isOut = (id: EndpointsId, endpoint: Endpoint): boolean => {
    const known = failing.size === 0 ? undefined : find(id, endpoint);
    return known !== undefined && known.outUntilMs > nowMs();
  };
  const fail = (id: EndpointsId, endpoints: readonly Endpoint[], endpoint: Endpoint): void => {
    const ofBackend = failing.get(id) ?? new Map<string, Failing>();
    failing.set(id, ofBackend);
    const known = ofBackend.get(keyOf(endpoint)) ?? { failures: 0, timesOut: 0, outUntilMs: 0, failedMs: 0 };
    ofBackend.set(keyOf(endpoint), known);
    const now = nowMs();
    known.failures++;
    known.failedMs = now;
    if (known.failures < MOST_FAILURES || known.outUntilMs > now) return;
    const outToo = endpoints.filter((one) => one !== endpoint && isOut(id, one)).length + 1;
    if (100 * outToo > MOST_OUT_PERCENT * endpoints.length) return;
    known.failures = 0;
    known.timesOut++;
    known.outUntilMs = now + Math.min(MOST_OUT_MS, OUT_MS * known.timesOut);
  };
  return {
    isOut,
    record: (id, endpoints, endpoint, hasFailed) => {
      if (hasFailed) return fail(id, endpoints, endpoint);
      const known = failing.size === 0 ? undefined : find(id, endpoint);
      if (known === undefined) return;
      known.failures = 0;
      // The endpoint was admitted again, and responds.
      if (known.outUntilMs <= nowMs()) failing.get(id)?.delete(keyOf(endpoint));
    },
    sweep: () => {
      const now = nowMs();
      for (const [id, ofBackend] of failing) {
        for (const [key, { failedMs }] of ofBackend) if (now - failedMs > 2 * MOST_OUT_MS) ofBackend.delete(key);
        if (ofBackend.size === 0) failing.delete(id);
      }
    },
  };
}

const keyOf = ({ address, port }: Endpoint): string => `${address} ${port}`;
