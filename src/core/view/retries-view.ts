/** The worth of retries to the requests through an object, or on the paths of a policy, where data planes of the controller count them. */
import type { Caveat } from "../caveats/caveat.ts";
import { caveat } from "../caveats/caveat-context.ts";
import type { PathNode } from "../effective/paths/path-node.ts";
import { isGateway } from "../effective/world/gateway-controllers.ts";
import type { Reach } from "../explain/reach/result.ts";
import { isRetryPointer, trafficOnPaths } from "../explain/worth/traffic-changed.ts";
import { trafficThrough } from "../explain/worth/traffic-through.ts";
import { formatRef, type ObjectId, objectId, parseObjectId } from "../model/refs.ts";
import { type RetryKnowledge, sumCounts, type TrafficCounts } from "../retry/retry-counts.ts";
import type { ViewContext, Viewer } from "./view-context.ts";
import type { ViewRetries, ViewTraffic } from "./view-types.ts";

/** The counts for a view. Neither field: the controller serves no Gateway that the view is about. */
export interface RetriesPart {
  /** Undefined: nothing is known. */
  readonly retries?: ViewRetries;
  readonly caveats: readonly Caveat[];
}

const NOTHING: RetriesPart = { caveats: [] };
/** The number of rules and backends that a view lists. */
const MAX_TRAFFIC = 100;

/** `paths`: the paths through the target. */
export function retriesThrough(
  { world, retries }: ViewContext,
  target: ObjectId,
  paths: Iterable<readonly PathNode[]>,
  viewer: Viewer,
): RetriesPart {
  const knowledge = retries?.();
  if (knowledge === undefined) return NOTHING;
  const traffic = trafficThrough(world, parseObjectId(target), knowledge.report.counts);
  return traffic === undefined ? NOTHING : partOf(knowledge, gatewaysOn(paths), traffic, viewer);
}

/** The counts of the requests on the paths on which a policy takes effect, if it has settings about retries that do. */
export function retriesOf({ retries }: ViewContext, reach: Reach, viewer: Viewer): RetriesPart {
  const knowledge = retries?.();
  const isAbout = reach.values.some(({ pointer, inEffect }) => inEffect > 0 && isRetryPointer(pointer));
  if (knowledge === undefined || !isAbout) return NOTHING;
  const paths = reach.paths.filter(({ effect }) => effect === "full" || effect === "partial").map(({ nodes }) => nodes);
  return partOf(knowledge, gatewaysOn(paths), trafficOnPaths(paths, knowledge.report.counts), viewer);
}

function gatewaysOn(paths: Iterable<readonly PathNode[]>): ReadonlySet<ObjectId> {
  const gateways = new Set<ObjectId>();
  for (const nodes of paths) for (const node of nodes) if (isGateway(node)) gateways.add(objectId(node));
  return gateways;
}

/** Absent counters are a caveat, never a zero. */
function partOf(
  { report, counted, gaps }: RetryKnowledge,
  gateways: ReadonlySet<ObjectId>,
  traffic: readonly TrafficCounts[],
  viewer: Viewer,
): RetriesPart {
  const caveats = [...gateways].flatMap((gateway) => {
    const reason = gaps.get(gateway);
    return reason === undefined ? [] : [notCounted(gateway, reason)];
  });
  if (![...gateways].some((gateway) => counted.has(gateway))) return { caveats };
  const own = traffic.filter(({ gateway }) => gateways.has(objectId(gateway)));
  const shown = own.filter(({ route, backend }) => viewer.maySee(route.namespace) && viewer.maySee(backend.namespace));
  const listed = shown.toSorted((a, b) => b.succeededByRetry - a.succeededByRetry).slice(0, MAX_TRAFFIC);
  return {
    caveats,
    retries: {
      windowSeconds: Math.floor(report.windowMs / 1000),
      ...sumCounts(own),
      traffic: listed.map(trafficView),
      ...(listed.length < shown.length ? { more: shown.length - listed.length } : {}),
      ...(shown.length < own.length ? { hidden: own.length - shown.length } : {}),
    },
  };
}

const trafficView = ({ port, backend, ...traffic }: TrafficCounts): ViewTraffic => ({
  ...traffic,
  backend: { ...backend, port },
});

const notCounted = (gateway: ObjectId, reason: string): Caveat =>
  caveat("CountersNotRead", {
    message: `what retries are worth is not known, or not all of it, for ${formatRef(parseObjectId(gateway))}: ${reason}`,
    summary: "the counters of a Gateway are not known",
    fix: "See the log of the controller, and whether the data plane of the Gateway runs.",
  });
