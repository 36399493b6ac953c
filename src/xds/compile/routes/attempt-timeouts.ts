/** The timeout of an attempt: what it covers besides the timeout of its cluster, and the requests that it must not end. */
import type { RouteConfig, UsableTarget } from "../../../core/dataplane/gateway-config.ts";
import { type HeaderMatchInit, headerLike } from "./compile-match.ts";

/** A request for a WebSocket. */
export const UPGRADE: readonly HeaderMatchInit[] = [
  headerLike(":method", "GET"),
  headerLike("upgrade", "(?i)websocket"),
];

/**
 * The target of requests for WebSockets, if it differs: the timeout of a cluster would also end connections that have switched protocols, so they get a cluster
 * without it. `per_try_timeout` covers them until then. Undefined: the same target.
 */
export function untimedUpgrade(
  target: UsableTarget,
  { method = "GET" }: RouteConfig["match"],
): UsableTarget | undefined {
  const { backendRequestTimeoutMs, backend } = target;
  const canUpgrade = method === "GET" && backend.protocol === "HTTP/1.1";
  return backendRequestTimeoutMs === undefined || !canUpgrade
    ? undefined
    : { ...target, backendRequestTimeoutMs: undefined };
}

/**
 * Envoy counts `per_try_timeout` for the health of an endpoint, but not the timeout of the cluster. It covers waits too, so it must be much longer
 * than they are. Undefined: none.
 */
export const attemptMsOf = (
  { backendRequestTimeoutMs: attemptMs }: UsableTarget,
  waitsMs: readonly number[] | undefined = [],
): number | undefined =>
  attemptMs !== undefined && waitsMs.every((waitMs) => attemptMs >= 2 * waitMs) ? attemptMs : undefined;
