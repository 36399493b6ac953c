/** Counts forwarded requests by rule and backend, for Prometheus. Memory is bounded, whatever routes come and go. */
import { createCounter, label, type MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { BackendConfig, DataplaneConfig, RuleConfig } from "../../core/dataplane/gateway-config.ts";
import { remember } from "../../core/model/collections/remember.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { type RetryOutcome, type Traffic, trafficKey } from "../../core/retry/retry-counts.ts";

/** The traffic of one rule to one backend. Keys and labels are computed once for each configuration, because every request needs them. */
export interface KnownTraffic {
  readonly key: string;
  readonly traffic: Traffic;
  /** Undefined: no request was counted, there was no room, or it was forgotten. */
  series: Series | undefined;
}

interface Series {
  readonly labels: string;
  readonly counts: Record<RetryOutcome, number>;
  /** When it was first found that the configuration has no such rule and backend. */
  goneMs: number | undefined;
  isForgotten: boolean;
}

export interface ForwardedRequests {
  readonly of: (gateway: ObjectRef, rule: RuleConfig, backend: BackendConfig) => KnownTraffic;
  readonly add: (known: KnownTraffic, outcome: RetryOutcome, requests: number) => void;
  /** The configuration that is served. Rules and backends that it does not have are gone. */
  readonly use: (config: Pick<DataplaneConfig, "gateways">) => void;
  readonly families: readonly MetricFamily[];
}

/** Combinations of Gateway, rule and backend. Each has three series, about 0.8 KB. */
const MOST_COMBINATIONS = 10_000;
/** How long a combination that is gone is kept, so that the last requests are scraped. */
const KEPT_MS = 10 * 60_000;
/** Combinations that are gone are looked for at most so often. */
const TIDY_MS = 60_000;

const VALUES: ReadonlyArray<readonly [RetryOutcome, string]> = [
  ["NotRetried", "none"],
  ["Succeeded", "succeeded"],
  ["Failed", "failed"],
];

/** `nowMs`: a clock that never goes back. */
export function createForwardedRequests(
  nowMs: () => number,
  mostCombinations: number = MOST_COMBINATIONS,
): ForwardedRequests {
  const of = createTrafficCache();
  const all = new SeriesTable(of, mostCombinations);
  let uncounted = 0;
  return {
    of,
    add: (known, outcome, requests) => {
      if (known.series === undefined || known.series.isForgotten) known.series = all.seriesOf(known, nowMs());
      if (known.series === undefined) uncounted += requests;
      else known.series.counts[outcome] += requests;
    },
    use: (config) => all.use(config),
    families: [
      createCounter(
        "prevail_forwarded_requests_total",
        "Requests that were forwarded to a backend, by what retries did for them.",
        () => all.read(nowMs()),
      ),
      createCounter(
        "prevail_forwarded_requests_uncounted_total",
        "Forwarded requests of rules and backends beyond those that have counters of their own.",
        () => uncounted,
      ),
    ],
  };
}

function createTrafficCache(): ForwardedRequests["of"] {
  const known = new WeakMap<ObjectRef, WeakMap<RuleConfig, WeakMap<BackendConfig, KnownTraffic>>>();
  return (gateway, rule, backend) => {
    const rules = remember(known, gateway, () => new WeakMap());
    const backends = remember(rules, rule, () => new WeakMap());
    return remember(backends, backend, () => {
      const { object, port } = backend;
      const traffic: Traffic = { gateway, route: rule.route, rule: rule.rule, backend: object, port };
      return { key: trafficKey(traffic), traffic, series: undefined };
    });
  };
}

/**
 * The series that there are. A combination of Gateway, rule and backend that the configuration no longer has is forgotten ten minutes after that was found, and
 * at once if room is needed. Beyond the limit there are no further series.
 */
class SeriesTable {
  readonly #of: ForwardedRequests["of"];
  readonly #most: number;
  readonly #all = new Map<string, Series>();
  #config: Pick<DataplaneConfig, "gateways"> | undefined;
  #tidiedMs = Number.NEGATIVE_INFINITY;
  #madeRoomMs = Number.NEGATIVE_INFINITY;

  constructor(of: ForwardedRequests["of"], most: number) {
    this.#of = of;
    this.#most = most;
  }

  use(config: Pick<DataplaneConfig, "gateways">): void {
    this.#config = config;
  }

  seriesOf({ key, traffic }: KnownTraffic, nowMs: number): Series | undefined {
    const found = this.#all.get(key);
    if (found !== undefined) return found;
    if (this.#all.size >= this.#most) this.#makeRoom(nowMs);
    if (this.#all.size >= this.#most) return undefined;
    const counts = { NotRetried: 0, Succeeded: 0, Failed: 0 };
    const series: Series = { labels: trafficLabels(traffic), counts, goneMs: undefined, isForgotten: false };
    this.#all.set(key, series);
    return series;
  }

  read(nowMs: number): ReadonlyMap<string, number> {
    if (nowMs - this.#tidiedMs >= TIDY_MS) {
      this.#tidiedMs = nowMs;
      this.#forgetGone(nowMs, KEPT_MS);
    }
    const values = new Map<string, number>();
    for (const { labels, counts } of this.#all.values())
      for (const [outcome, retry] of VALUES) values.set(`${labels},retry="${retry}"`, counts[outcome]);
    return values;
  }

  /** Scrapes, which look for what is gone as often, must not keep requests from it. */
  #makeRoom(nowMs: number): void {
    if (nowMs - this.#madeRoomMs < TIDY_MS) return;
    this.#madeRoomMs = nowMs;
    this.#forgetGone(nowMs, 0);
  }

  /** `keptMs`: how long what is gone is kept. */
  #forgetGone(nowMs: number, keptMs: number): void {
    if (this.#config === undefined) return;
    const served = this.#servedKeys(this.#config);
    for (const [key, series] of this.#all) {
      series.goneMs = served.has(key) ? undefined : (series.goneMs ?? nowMs);
      if (series.goneMs === undefined || nowMs - series.goneMs < keptMs) continue;
      series.isForgotten = true;
      this.#all.delete(key);
    }
  }

  #servedKeys({ gateways }: Pick<DataplaneConfig, "gateways">): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const { gateway, ports } of gateways)
      for (const rule of rulesOf(ports))
        for (const backend of backendsOf(rule)) keys.add(this.#of(gateway, rule, backend).key);
    return keys;
  }
}

function* rulesOf(ports: DataplaneConfig["gateways"][number]["ports"]): Iterable<RuleConfig> {
  for (const { listeners } of ports)
    for (const { virtualHosts } of listeners)
      for (const { routes } of virtualHosts) for (const { rule } of routes) yield rule;
}

function* backendsOf({ action }: RuleConfig): Iterable<BackendConfig> {
  if (action.type !== "Forward") return;
  for (const { target } of action.backends) if (target.type === "Backend") yield target.backend;
}

const nameOf = ({ namespace, name }: ObjectRef): string => label(`${namespace}/${name}`);

/** The labels of a series: `gateway`, `route_kind`, `route`, `rule`, `backend`. */
export const trafficLabels = ({ gateway, route, rule, backend, port }: Traffic): string =>
  `gateway="${nameOf(gateway)}",route_kind="${label(route.kind)}",route="${nameOf(route)}",rule="${label(rule)}",backend="${nameOf(backend)}:${port}"`;
