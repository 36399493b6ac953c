/** The metrics of the webhooks. docs/metrics.md lists them. */
import {
  addDuration,
  createCounters,
  createHistograms,
  label,
  type MetricFamily,
} from "../../adapters/admin/metric-families.ts";
import type { WebhookServerOptions } from "../../webhook/serve/webhook-server.ts";

export interface WebhookMetrics {
  readonly noteReview: NonNullable<WebhookServerOptions["onReview"]>;
  readonly noteHandshake: NonNullable<WebhookServerOptions["onHandshakeFailure"]>;
  readonly families: readonly MetricFamily[];
}

export function createWebhookMetrics(): WebhookMetrics {
  const reviews = createCounters("prevail_webhook_reviews_total", "Admission reviews, by webhook and outcome.");
  const seconds = createHistograms("prevail_webhook_review_seconds", "The time that a review took, by webhook.");
  const handshakes = createCounters(
    "prevail_webhook_failed_handshakes_total",
    "Connections to the webhooks that were refused, by reason.",
  );
  return {
    noteReview: (webhook, outcome, durationMs) => {
      reviews.cell(`webhook="${webhook}",outcome="${outcome}"`).count++;
      addDuration(seconds.histogram(`webhook="${webhook}"`), durationMs);
    },
    noteHandshake: ({ reason }) => {
      handshakes.cell(`reason="${label(reason)}"`).count++;
    },
    families: [reviews, seconds, handshakes],
  };
}
