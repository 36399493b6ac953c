/** Metrics of the configuration that is served and of refused configurations, for every data plane. */
import { createCounters, createGauge, type MetricFamily } from "./metric-families.ts";

export interface ConfigMetrics {
  /** Records that a configuration was applied, with its number, or kept out. */
  readonly noteConfig: (outcome: { readonly generation: number } | "Kept") => void;
  readonly families: readonly MetricFamily[];
}

export function createConfigMetrics(): ConfigMetrics {
  const reloads = createCounters(
    "prevail_config_reloads_total",
    "Configurations that were taken up, and changes that could not be.",
  );
  let generation = 0;
  return {
    noteConfig: (outcome) => {
      if (outcome !== "Kept") ({ generation } = outcome);
      reloads.cell(`result="${outcome === "Kept" ? "kept" : "applied"}"`).count++;
    },
    families: [
      reloads,
      createGauge("prevail_config_generation", "The number of the configuration that is served.", () => generation),
    ],
  };
}
