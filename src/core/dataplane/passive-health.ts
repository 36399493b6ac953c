/**
 * Passive health checks of endpoints, alike on every data plane. An endpoint that fails several times in a row gets no requests for a while. Only failures to
 * connect, resets and timeouts of attempts count: a response is a sign of life, whatever its status. docs/gateway.md has the rules.
 */
export const PASSIVE_HEALTH = {
  /** The number of failures in a row. */
  failures: 3,
  /** How long an endpoint is out for the first time. Each time in a row adds as much. */
  outMs: 10_000,
  mostOutMs: 60_000,
  /** The largest part of the endpoints of a backend that may be out at the same time. */
  mostOutPercent: 50,
} as const;
