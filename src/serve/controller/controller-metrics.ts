/** The metrics of the controller. docs/view-api.md lists them. */
import { createCounters, createGauge, label, type MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { AccessReviews } from "../../api/rights/access-reviews.ts";

export interface ControllerMetrics {
  readonly noteRequest: (status: number, seconds: number) => void;
  readonly noteHandshake: (reason: string) => void;
  readonly noteTrouble: (what: string) => void;
  readonly render: () => string;
}

export interface MetricSources {
  readonly reviews: AccessReviews["counts"];
  readonly objects: () => number;
  readonly isSynced: () => boolean;
  /** Metrics of further parts. */
  readonly parts: readonly MetricFamily[];
}

export function createControllerMetrics({ reviews, objects, isSynced, parts }: MetricSources): ControllerMetrics {
  const requests = createCounters("prevail_view_requests_total", "Requests to the view API, by status code.");
  const handshakes = createCounters(
    "prevail_view_failed_handshakes_total",
    "Connections that were refused, because they are not from the front proxy or not TLS, by reason.",
  );
  const troubles = createCounters("prevail_cluster_troubles_total", "Failures to follow a resource, by resource.");
  let seconds = 0;
  const families: readonly MetricFamily[] = [
    requests,
    createGauge("prevail_view_request_seconds_total", "The time that requests took, in all.", () => seconds),
    handshakes,
    createGauge("prevail_view_access_reviews_total", "SubjectAccessReviews that were sent.", reviews.asked),
    createGauge(
      "prevail_view_access_reviews_cached_total",
      "Decisions that were taken from the cache.",
      reviews.cached,
    ),
    createGauge("prevail_cluster_objects", "Objects of the cluster that are followed.", objects),
    createGauge("prevail_cluster_synced", "1 if the cluster has been read.", () => (isSynced() ? 1 : 0)),
    troubles,
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
    render: () => families.map(({ render }) => render()).join(""),
  };
}
