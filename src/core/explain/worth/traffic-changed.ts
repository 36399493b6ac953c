import type { PathNode } from "../../effective/paths/path-node.ts";
import { isGateway } from "../../effective/world/gateway-controllers.ts";
import { isRouteKind } from "../../model/kinds.ts";
import { type GroupKind, type ObjectRef, objectId } from "../../model/refs.ts";
import { type RetryCounts, sumCounts, type TrafficCounts } from "../../retry/retry-counts.ts";
import type { PathChange, Plan } from "../plan/result.ts";
import { keepsValue } from "../plan/value-changes.ts";

/** The worth of retries to the requests to one backend, on the paths where a plan changes retries. */
export interface BackendWorth extends RetryCounts {
  readonly backend: ObjectRef;
  readonly port: number;
}

/** The counts of gateways where a plan changes retries. */
export interface ChangedTraffic {
  readonly backends: readonly BackendWorth[];
  /** The counted interval. */
  readonly windowMs: number;
}

/**
 * The counts by backend, of the requests on paths where a setting of retries changes, those that owe most to retries first. Undefined: the
 * plan changes no setting of retries.
 */
export function trafficChanged(plan: Plan, counts: readonly TrafficCounts[]): readonly BackendWorth[] | undefined {
  const paths = plan.kinds.flatMap(({ changes }) => changes.filter(changesRetries));
  if (paths.length === 0) return undefined;
  return worthByBackend(
    trafficOnPaths(
      paths.map(({ nodes }) => nodes),
      counts,
    ),
  );
}

/**
 * The objects with counts where a plan changes a setting of retries: the Gateways of the paths, and on each path the lowest of Service,
 * route and Gateway. An object may be there several times.
 */
export function countedWhereChanged(plan: Plan): {
  readonly gateways: readonly ObjectRef[];
  readonly ends: readonly ObjectRef[];
} {
  const paths = plan.kinds.flatMap(({ changes }) =>
    changes.filter(changesRetries).map(({ nodes }) => nodes.map(refOfNode)),
  );
  return {
    gateways: paths.flatMap((refs) => refs.filter(isGateway)),
    ends: paths.flatMap((refs) => refs.findLast((ref) => isService(ref) || isGateway(ref) || isRouteKind(ref)) ?? []),
  };
}

const isService = ({ group, kind }: GroupKind): boolean => group === "" && kind === "Service";

const refOfNode = ({ group, kind, namespace, name }: PathNode): ObjectRef => ({ group, kind, namespace, name });

/** The counts by backend, those that owe most to retries first. */
export function worthByBackend(found: readonly TrafficCounts[]): readonly BackendWorth[] {
  const byBackend = new Map<string, BackendWorth>();
  for (const one of found) {
    const { backend, port } = one;
    const key = `${objectId(backend)}:${port}`;
    byBackend.set(key, { backend, port, ...sumCounts([one, ...asList(byBackend.get(key))]) });
  }
  return [...byBackend.values()].sort((a, b) => b.succeededByRetry - a.succeededByRetry || b.requests - a.requests);
}

/** The counts of the requests that take one of these paths. A path may end above its requests, at a Gateway or a route. */
export function trafficOnPaths(
  paths: readonly (readonly PathNode[])[],
  counts: readonly TrafficCounts[],
): readonly TrafficCounts[] {
  const keys = new Set(paths.map(keyOfPath));
  return counts.filter((one) => trafficKeys(one).some((key) => keys.has(key)));
}

const asList = <Item>(item: Item | undefined): readonly Item[] => (item === undefined ? [] : [item]);

/** True if a value about retries changes. A value that only comes from another source does not count. */
export const changesRetries = ({ values }: PathChange): boolean =>
  values.some((value) => !keepsValue(value) && isRetryPointer(value.pointer));

/** True for a setting about retries, such as `/retry/attempts` or, in another kind, `/retries`. */
export const isRetryPointer = (pointer: string): boolean =>
  pointer.split("/").some((segment) => /^retr(?:y|ies)/.test(segment));

/** The key that a path and counted traffic have in common: the Gateway, and the rule with its backend, as far as the path has them. */
function keyOfPath(nodes: readonly PathNode[]): string {
  const ids = nodes.map((node) => ({ ...node, id: objectId(node) }));
  const gateway = ids.find(isGateway)?.id ?? "";
  const rule = ids.findLast((node) => isRouteKind(node) && node.sectionName !== undefined);
  const route = rule ?? ids.findLast(isRouteKind);
  const backend = ids.findLast(isService)?.id ?? "";
  return keyOf(gateway, route?.id ?? "", rule?.sectionName ?? "", backend);
}

/** A path may end at a route, a rule or a Gateway. */
function trafficKeys({ gateway, route, rule, backend }: TrafficCounts): readonly string[] {
  const [through, of, to] = [objectId(gateway), objectId(route), objectId(backend)];
  return [
    keyOf(through, of, rule, to),
    keyOf(through, of, rule, ""),
    keyOf(through, of, "", to),
    keyOf(through, of, "", ""),
    keyOf(through, "", "", ""),
  ];
}

const keyOf = (...parts: readonly string[]): string => parts.join(" ");
