/** Metrics of this process: processor time, memory, and the lag of its event loop. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createCounter, createGauge, type MetricFamily } from "./metric-families.ts";

/** The lag is that of the current minute, or of the last one until a new value is there. */
const WINDOW_MS = 60_000;
/** The median, all but the worst percent, and the worst. */
const PERCENTILES = { p50: 50, p99: 99, max: 100 } as const;

export interface ProcessMetrics {
  readonly families: readonly MetricFamily[];
  readonly close: () => void;
}

export function createProcessMetrics(): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const restart = setInterval(() => delay.reset(), WINDOW_MS);
  restart.unref();
  const lag = (percentile: number): number => (delay.count === 0 ? 0 : delay.percentile(percentile) / 1e9);
  return {
    families: [
      createCounter("process_cpu_seconds_total", "Processor time of the process.", () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      }),
      createGauge("process_resident_memory_bytes", "Resident memory of the process.", () => process.memoryUsage.rss()),
      createGauge(
        "prevail_heap_used_bytes",
        "The part of the heap that is in use.",
        () => process.memoryUsage().heapUsed,
      ),
      createGauge(
        "prevail_event_loop_lag_seconds",
        "How late the event loop runs timers of 20 ms, over the last minute.",
        () => new Map(Object.entries(PERCENTILES).map(([at, percentile]) => [`at="${at}"`, lag(percentile)])),
      ),
    ],
    close: () => {
      delay.disable();
      clearInterval(restart);
    },
  };
}
