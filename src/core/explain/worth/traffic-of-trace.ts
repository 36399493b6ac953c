import { objectId } from "../../model/refs.ts";
import type { TrafficCounts } from "../../retry/retry-counts.ts";
import type { GatewayTrace } from "../trace/result.ts";

/** The counts of the rule that a traced request takes, through the same Gateway. Empty if it takes none. */
export function trafficOfTrace(trace: GatewayTrace, counts: readonly TrafficCounts[]): readonly TrafficCounts[] {
  if (trace.outcome !== "Routed") return [];
  const { winner, gateway } = trace;
  return counts.filter(
    (one) =>
      objectId(one.gateway) === objectId(gateway) &&
      objectId(one.route) === objectId(winner.route) &&
      one.rule === winner.rule,
  );
}
