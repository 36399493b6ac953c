/** Counters and gauges in Prometheus' text format. */

export interface MetricFamily {
  readonly render: () => string;
}

/** Escapes a label value (Prometheus, "Text format details"). */
export const label = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** The upper bounds of the histogram buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

const heading = (name: string, help: string, type: string): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/** Series are sorted by their labels, so that equal counts give equal text. */
const inOrder = <Value>(series: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...series].sort(([a], [b]) => (a < b ? -1 : 1));

export interface Cell {
  count: number;
}

export interface Counters extends MetricFamily {
  readonly cell: (labels: string) => Cell;
}

export function createCounters(name: string, help: string): Counters {
  const series = new Map<string, Cell>();
  return {
    cell: (labels) => {
      let cell = series.get(labels);
      if (cell === undefined) {
        cell = { count: 0 };
        series.set(labels, cell);
      }
      return cell;
    },
    render: () =>
      heading(name, help, "counter") +
      inOrder(series)
        .map(([labels, { count }]) => `${name}{${labels}} ${count}\n`)
        .join(""),
  };
}

type Read = () => ReadonlyMap<string, number> | number;

/** A gauge whose value is read when the metrics are requested. */
export const createGauge = (name: string, help: string, read: Read): MetricFamily =>
  createRead("gauge", name, help, read);

/** A counter whose value is kept elsewhere. */
export const createCounter = (name: string, help: string, read: Read): MetricFamily =>
  createRead("counter", name, help, read);

const createRead = (type: string, name: string, help: string, read: Read): MetricFamily => ({
  render: () => {
    const value = read();
    const lines =
      typeof value === "number"
        ? [`${name} ${value}\n`]
        : inOrder(value).map(([labels, one]) => `${name}{${labels}} ${one}\n`);
    return heading(name, help, type) + lines.join("");
  },
});

export interface Histogram {
  readonly counts: number[];
  sumSeconds: number;
  count: number;
}

export interface Histograms extends MetricFamily {
  readonly histogram: (labels: string) => Histogram;
}

export function createHistograms(name: string, help: string): Histograms {
  const series = new Map<string, Histogram>();
  return {
    histogram: (labels) => {
      let histogram = series.get(labels);
      if (histogram === undefined) {
        histogram = { counts: BUCKETS.map(() => 0), sumSeconds: 0, count: 0 };
        series.set(labels, histogram);
      }
      return histogram;
    },
    render: () =>
      heading(name, help, "histogram") +
      inOrder(series)
        .map(([labels, histogram]) => histogramText(name, labels, histogram))
        .join(""),
  };
}

export function addDuration(histogram: Histogram, durationMs: number): void {
  const seconds = durationMs / 1000;
  const at = BUCKETS.findIndex((limit) => seconds <= limit);
  if (at !== -1) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
  histogram.sumSeconds += seconds;
  histogram.count++;
}

/** Buckets are cumulative: each counts the durations up to its bound. */
function histogramText(name: string, labels: string, { counts, sumSeconds, count }: Histogram): string {
  let sum = 0;
  const lines = BUCKETS.map((limit, at) => {
    sum += counts[at] ?? 0;
    return `${name}_bucket{${labels},le="${limit}"} ${sum}\n`;
  });
  return `${lines.join("")}${name}_bucket{${labels},le="+Inf"} ${count}\n${name}_sum{${labels}} ${sumSeconds}\n${name}_count{${labels}} ${count}\n`;
}
