/** The metrics of the controller. docs/metrics.md lists them. */
import {
  addDuration,
  createCounter,
  createCounters,
  createGauge,
  createHistograms,
  label,
  type MetricFamily,
} from "../../adapters/admin/metric-families.ts";
import type { FollowCounts } from "../../adapters/cluster/follow/kind-follower.ts";
import type { AccessReviews } from "../../api/rights/access-reviews.ts";
import type { EvaluationStep } from "../../controller/live-evaluation.ts";

export interface ControllerMetrics {
  readonly noteRequest: (status: number, seconds: number) => void;
  readonly noteHandshake: (reason: string) => void;
  readonly noteTrouble: (what: string) => void;
  readonly noteEvaluated: (step: EvaluationStep, tookMs: number) => void;
  readonly render: () => string;
}

export interface MetricSources {
  readonly version: string;
  readonly reviews: AccessReviews["counts"];
  readonly objects: () => number;
  readonly isSynced: () => boolean;
  readonly counts: FollowCounts;
  /** Metrics of further parts. */
  readonly parts: readonly MetricFamily[];
}

export function createControllerMetrics({
  version,
  reviews,
  objects,
  isSynced,
  counts,
  parts,
}: MetricSources): ControllerMetrics {
  const requests = createCounters("prevail_view_requests_total", "Requests to the view API, by status code.");
  const handshakes = createCounters(
    "prevail_view_failed_handshakes_total",
    "Connections that were refused, because they are not from the front proxy or not TLS, by reason.",
  );
  const troubles = createCounters("prevail_cluster_troubles_total", "Failures to follow a resource, by resource.");
  const reconciles = createHistograms(
    "prevail_reconcile_seconds",
    "The time from a change of the cluster to the next evaluation, by step: the whole state, or changes.",
  );
  let seconds = 0;
  const families: readonly MetricFamily[] = [
    createGauge("prevail_build_info", "1, with the version.", () => new Map([[`version="${label(version)}"`, 1]])),
    requests,
    createCounter("prevail_view_request_seconds_total", "The time that requests took, in all.", () => seconds),
    handshakes,
    createCounter("prevail_view_access_reviews_total", "SubjectAccessReviews that were sent.", reviews.asked),
    createCounter(
      "prevail_view_access_reviews_cached_total",
      "Decisions that were taken from the cache.",
      reviews.cached,
    ),
    createGauge("prevail_cluster_objects", "Objects of the cluster that are followed.", objects),
    createGauge("prevail_cluster_synced", "1 if the cluster has been read.", () => (isSynced() ? 1 : 0)),
    troubles,
    createCounter("prevail_cluster_lists_total", "Whole lists of a resource that were read.", () => counts.lists),
    createCounter(
      "prevail_cluster_watches_total",
      "Watches that were started, renewals included.",
      () => counts.watches,
    ),
    reconciles,
    ...parts,
  ];
  return {
    noteRequest: (status, took) => {
      requests.cell(`code="${status}"`).count++;
      seconds += took;
    },
    noteHandshake: (reason) => {
      handshakes.cell(`reason="${label(reason)}"`).count++;
    },
    noteTrouble: (what) => {
      troubles.cell(`resource="${label(what)}"`).count++;
    },
    noteEvaluated: (step, tookMs) => {
      addDuration(reconciles.histogram(`step="${step.toLowerCase()}"`), tookMs);
    },
    render: () => families.map(({ render }) => render()).join(""),
  };
}
