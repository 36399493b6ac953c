/** The retry counts of Envoys, added up by rule and backend, and the Envoys that count. */
import type { MetricFamily } from "../../adapters/admin/metric-families.ts";
import type { DataplaneConfig } from "../../core/dataplane/gateway-config.ts";
import { type ObjectId, type ObjectRef, parseObjectId } from "../../core/model/refs.ts";
import type { RetryKnowledge } from "../../core/retry/retry-counts.ts";
import { createRetryWorth, type RetryWorth } from "../../gateway/observe/retry-worth.ts";
import { backendOfCluster } from "../../xds/compile/resource-names.ts";
import { FLUSH_MS } from "../../xds/compile/retry-counters.ts";
import { ALL_GATEWAYS } from "../../xds/serve/all-gateways.ts";
import { gatewayKey } from "../../xds/serve/control-plane.ts";
import type { NodeCounts, RequestCount } from "../../xds/serve/counts/read-counts.ts";
import type { NodeStatus } from "../../xds/serve/xds-server.ts";
import { attemptsOf, createEnvoyNames, flagOf } from "../run-envoy/envoy-names.ts";

/** An Envoy that has sent nothing for so long does not count. */
const SILENCE_MS = 6 * FLUSH_MS;

export interface EnvoyCountsOptions {
  readonly nodes: () => readonly Pick<NodeStatus, "node" | "gateway">[];
  readonly nowMs: () => number;
  /** Why requests of a Gateway, by `namespace/name`, may be counted by another replica; undefined: they are not. */
  readonly elsewhere: (gateway: string) => string | undefined;
}

export class EnvoyCounts {
  readonly #options: EnvoyCountsOptions;
  readonly #worth: RetryWorth;
  readonly #names = createEnvoyNames();
  #gateways: ReadonlyMap<string, ObjectRef> = new Map();
  /** When an Envoy last sent its counters. */
  readonly #heardMs = new Map<string, number>();

  constructor(options: EnvoyCountsOptions) {
    this.#options = options;
    this.#worth = createRetryWorth(options.nowMs);
  }

  get families(): readonly MetricFamily[] {
    return this.#worth.families;
  }

  /** The configuration that the names of routes and clusters are of. */
  use(config: Pick<DataplaneConfig, "gateways">): void {
    this.#names.use(config);
    this.#worth.use(config);
    this.#gateways = new Map(config.gateways.map(({ gateway }) => [gatewayKey(gateway), gateway]));
    const connected = new Set(this.#options.nodes().map(nodeKey));
    for (const key of this.#heardMs.keys()) if (!connected.has(key)) this.#heardMs.delete(key);
  }

  receive(message: NodeCounts): void {
    this.#heardMs.set(nodeKey(message), this.#options.nowMs());
    for (const count of message.counts) this.#add(count);
  }

  /** Gateways are counted as far as their Envoys send counters. */
  knowledge(gateways: readonly ObjectId[]): RetryKnowledge {
    const report = this.#worth.report();
    const nodes = this.#options.nodes();
    const counted = new Set<ObjectId>();
    const gaps = new Map<ObjectId, string>();
    for (const id of gateways) {
      const key = gatewayKey(parseObjectId(id));
      const own = nodes.filter(({ gateway }) => gateway === key || gateway === ALL_GATEWAYS);
      const silent = own.filter((node) => !this.#isHeard(node));
      if (silent.length < own.length) counted.add(id);
      const gap = gapOf(own.length, silent.length, report.uncounted) ?? this.#options.elsewhere(key);
      if (gap !== undefined) gaps.set(id, gap);
    }
    return { report, counted, gaps };
  }

  #isHeard(node: Pick<NodeStatus, "node" | "gateway">): boolean {
    const heardMs = this.#heardMs.get(nodeKey(node));
    return heardMs !== undefined && this.#options.nowMs() - heardMs < SILENCE_MS;
  }

  /** Requests of a rule or backend that is gone by now are left out. */
  #add({ gateway, route, cluster, attempts, statusDigit, flags, requests }: RequestCount): void {
    const ref = this.#gateways.get(gateway);
    const { rules, backends } = this.#names.of(gateway);
    const [rule, backend] = [rules.get(route), backends.get(backendOfCluster(cluster))];
    if (ref === undefined || rule === undefined || backend === undefined || attempts === 0) return;
    this.#worth.add(ref, {
      rule,
      backend,
      attempts: attemptsOf(attempts, rule, backend),
      status: statusDigit === undefined ? undefined : statusDigit * 100,
      flags: flags.flatMap(flagOf),
      requests,
    });
  }
}

const nodeKey = ({ node, gateway }: Pick<NodeStatus, "node" | "gateway">): string => `${gateway} ${node}`;

function gapOf(envoys: number, silent: number, uncounted: number): string | undefined {
  if (envoys === 0) return "no Envoy is connected to this replica of the controller";
  if (silent > 0)
    return `${silent} of its ${envoys} Envoys have not sent their counters; they do so some seconds after they start, if their bootstrap is of this version`;
  return uncounted === 0
    ? undefined
    : `${uncounted} requests were not counted: there are more rules and backends than counters are kept for`;
}
