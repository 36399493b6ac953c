/** Metrics about the policies of the cluster. They are computed when they are requested and the evaluation has changed. */
import { createGauge, label, type MetricFamily } from "../../adapters/admin/metric-families.ts";
import {
  type EvaluationSummary,
  type PolicyKindSummary,
  summarizeEvaluation,
} from "../../controller/evaluation-summary.ts";
import type { LiveState } from "../../controller/live-evaluation.ts";
import type { GroupKind } from "../../core/model/refs.ts";

/** After a summary that took a second, the next is made 50 seconds later at the earliest: at most 2 % of a core. */
const PAUSE_FACTOR = 50;
/** Further kinds and rules are counted together, with the label `other`. */
const MOST_SERIES = 100;

export interface EvaluationMetricsOptions {
  /** Undefined until the cluster has been read: no figures is not the same as zero. */
  readonly current: () => Pick<LiveState, "evaluation" | "unread"> | undefined;
  readonly nowMs: () => number;
}

export function createEvaluationMetrics(options: EvaluationMetricsOptions): readonly MetricFamily[] {
  const summaries = createSummaries(options);
  const gauge = (name: string, help: string, read: (summary: EvaluationSummary) => ReadonlyMap<string, number>) =>
    createGauge(name, help, () => {
      const summary = summaries.current();
      return summary === undefined ? new Map() : read(summary);
    });
  return [
    gauge("prevail_policies", "Policies by kind and verdict.", ({ policies }) =>
      bounded(policies, ({ verdicts }) =>
        [...verdicts].map(([verdict, count]) => [`,verdict="${label(verdict)}"`, count]),
      ),
    ),
    gauge(
      "prevail_overridden_settings",
      "Settings of policies that another policy overrides on at least one path, by kind of the policy.",
      ({ policies }) => bounded(policies, ({ overriddenSettings }) => [["", overriddenSettings]]),
    ),
    gauge("prevail_findings", "Findings of prevail check, by code and severity.", ({ findings }) => coded(findings)),
    gauge("prevail_coverage_violations", "Targets that do not meet a CoverageRule, by rule.", ({ uncovered }) =>
      byRule(uncovered),
    ),
    gauge("prevail_caveats", "What is left out of account, by code and severity.", ({ caveats }) => coded(caveats)),
    createGauge("prevail_figures_seconds", "The time that it took to count these figures.", () =>
      summaries.tookSeconds(),
    ),
    createGauge(
      "prevail_figures_age_seconds",
      "For how long these figures have been out of date; 0 if they are those of the current state.",
      () => summaries.ageSeconds(),
    ),
  ];
}

function createSummaries({ current, nowMs }: EvaluationMetricsOptions) {
  let last:
    | { readonly of: unknown; readonly summary: EvaluationSummary; readonly doneMs: number; readonly tookMs: number }
    | undefined;
  return {
    current: (): EvaluationSummary | undefined => {
      const state = current();
      if (state === undefined) return undefined;
      const startedMs = nowMs();
      const isDue = last === undefined || startedMs >= last.doneMs + last.tookMs * PAUSE_FACTOR;
      if (last?.of !== state && isDue) {
        const summary = summarizeEvaluation(state.evaluation, state.unread);
        last = { of: state, summary, doneMs: nowMs(), tookMs: nowMs() - startedMs };
      }
      return last?.summary;
    },
    tookSeconds: () => (last?.tookMs ?? 0) / 1000,
    ageSeconds: () => (last === undefined || last.of === current() ? 0 : (nowMs() - last.doneMs) / 1000),
  };
}

/** The series of each kind. The kinds beyond the limit are added up. */
function bounded(
  kinds: readonly PolicyKindSummary[],
  seriesOf: (kind: PolicyKindSummary) => readonly (readonly [string, number])[],
): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const [index, kind] of kinds.entries()) {
    const labels = index < MOST_SERIES ? kindLabels(kind.policyKind) : `group="other",kind="other"`;
    for (const [more, count] of seriesOf(kind)) add(series, `${labels}${more}`, count);
  }
  return series;
}

const kindLabels = ({ group, kind }: GroupKind): string => `group="${label(group)}",kind="${label(kind)}"`;

const coded = (
  counted: readonly { readonly code: string; readonly severity: string; readonly count: number }[],
): ReadonlyMap<string, number> =>
  new Map(counted.map(({ code, severity, count }) => [`code="${label(code)}",severity="${label(severity)}"`, count]));

function byRule(uncovered: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  const rules = [...uncovered].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [index, [rule, count]] of rules.entries())
    add(series, `rule="${index < MOST_SERIES ? label(rule) : "other"}"`, count);
  return series;
}

const add = (series: Map<string, number>, labels: string, count: number): void =>
  void series.set(labels, (series.get(labels) ?? 0) + count);
