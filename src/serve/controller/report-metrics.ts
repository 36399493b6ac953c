/** The metrics of reporting. docs/metrics.md lists them. */
import {
  createCounter,
  createCounters,
  createGauge,
  label,
  type MetricFamily,
} from "../../adapters/admin/metric-families.ts";
import type { EventOutcome } from "../../controller/report/event-recorder.ts";
import type { ReporterCounts } from "../../controller/report/status-reporter.ts";
import type { WriteEvent } from "../../controller/report/status-writer.ts";

export interface ReportMetrics {
  readonly note: (event: WriteEvent) => void;
  readonly noteEvent: (outcome: EventOutcome) => void;
  readonly families: readonly MetricFamily[];
}

const RESULTS: Readonly<Record<WriteEvent["type"], string>> = {
  Written: "written",
  WouldWrite: "dry-run",
  Conflict: "conflict",
  Refused: "refused",
  Reset: "reset",
  Stopped: "stopped",
  LeftOut: "left-out",
};

export function createReportMetrics({
  counts,
  isLeading,
}: {
  readonly counts: () => ReporterCounts;
  readonly isLeading: () => boolean;
}): ReportMetrics {
  const writes = createCounters("prevail_status_writes_total", "Writes of status, by resource and result.");
  const events = createCounters(
    "prevail_events_total",
    "Events about policies and the objects that they affect, by result.",
  );
  const held = (): ReadonlyMap<string, number> =>
    new Map([...counts().held].map(([kind, unread]) => [`kind="${label(kind)}",unread="${label(unread)}"`, 1]));
  return {
    note: ({ type, resource }) => {
      writes.cell(`resource="${label(resource)}",result="${RESULTS[type]}"`).count++;
    },
    noteEvent: (outcome) => {
      events.cell(`result="${outcome}"`).count++;
    },
    families: [
      writes,
      events,
      createGauge("prevail_status_pending", "Objects whose status may have to be written.", () => counts().queued),
      createGauge(
        "prevail_status_stopped_objects",
        "Objects whose status is not written, because another writer resets it.",
        () => counts().stopped,
      ),
      createGauge("prevail_status_held", "Policy kinds whose status stays as it is: something cannot be read.", held),
      createCounter(
        "prevail_status_computations_total",
        "How often the status was computed.",
        () => counts().computed.times,
      ),
      createCounter(
        "prevail_status_computation_seconds_total",
        "The time that computing the status took, in all.",
        () => counts().computed.ms / 1000,
      ),
      createGauge("prevail_leader", "1 if this replica writes the status.", () => (isLeading() ? 1 : 0)),
    ],
  };
}
