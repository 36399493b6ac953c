/**
 * Counters of requests by rule, backend and number of attempts, and the sink that sends them to the xDS server, which adds them up
 * (`serve/counts/read-counts.ts`). The sink sends these counters only: an Envoy has thousands of others.
 */
import type { AccessLogSchema } from "../gen/envoy/config/accesslog/v3/accesslog_pb.ts";
import type { StatsSinkSchema } from "../gen/envoy/config/metrics/v3/stats_pb.ts";
import { ConfigSchema as StatsAccessLogSchema } from "../gen/envoy/extensions/access_loggers/stats/v3/stats_pb.ts";
import { StatFullNameMatchInputSchema } from "../gen/envoy/extensions/matching/common_inputs/stats/v3/stats_pb.ts";
import {
  SinkConfig_ConversionActionSchema,
  SinkConfig_DropActionSchema,
  SinkConfigSchema,
} from "../gen/envoy/extensions/stat_sinks/open_telemetry/v3/open_telemetry_pb.ts";
import type { Matcher_MatcherList_FieldMatcherSchema } from "../gen/xds/type/matcher/v3/matcher_pb.ts";
import type { StringMatcherSchema } from "../gen/xds/type/matcher/v3/string_pb.ts";
import { type Init, pack } from "../protobuf.ts";

const SCOPE = "prevail";
const COUNTER = "requests";

/** The names of the metrics that are sent. */
export const REQUESTS_METRIC = "prevail_requests";
/** Sent also if there are no requests: it says that the Envoy counts. */
export const ALIVE_METRIC = "prevail_alive";

/** The attributes of a metric. `status` is the first digit of the response's, or `-`. */
export const COUNT_TAGS = {
  gateway: "gateway",
  route: "route",
  cluster: "cluster",
  attempts: "attempts",
  status: "status",
  flags: "flags",
} as const;

/** The attributes of every metric: the Envoy that sends it. */
export const NODE_TAGS = { node: "prevail_node", gateway: "prevail_node_gateway" } as const;

/** For each port. Counters beyond that are not created; the names of rules and backends decide how many there are, and never clients. */
const MOST_COUNTERS = 20_000;

/** Counts the requests of a port. `gateway` is `namespace/name`. */
export const retryCountersOf = (gateway: string): Init<typeof AccessLogSchema> => ({
  name: "envoy.access_loggers.stats",
  configType: {
    case: "typedConfig",
    value: pack(StatsAccessLogSchema, {
      // Counters of rules that are gone are removed.
      statsScope: { prefix: SCOPE, maxCounters: MOST_COUNTERS, enableEviction: true },
      counters: [
        {
          stat: {
            name: COUNTER,
            tags: [
              { name: COUNT_TAGS.gateway, valueFormat: gateway },
              { name: COUNT_TAGS.route, valueFormat: "%ROUTE_NAME%" },
              { name: COUNT_TAGS.cluster, valueFormat: "%UPSTREAM_CLUSTER_RAW%" },
              { name: COUNT_TAGS.attempts, valueFormat: "%UPSTREAM_REQUEST_ATTEMPT_COUNT%" },
              { name: COUNT_TAGS.status, valueFormat: "%RESP(:STATUS):1%" },
              { name: COUNT_TAGS.flags, valueFormat: "%RESPONSE_FLAGS%" },
            ],
          },
          valueFixed: 1n,
        },
      ],
    }),
  },
});

/** How often counters are sent. */
export const FLUSH_MS = 10_000;
/** Counters that did not change in this time are removed. */
export const EVICTION_MS = 600_000;
/** Counters in one message: the server reads it in some milliseconds. */
const MOST_POINTS = 500;

/** Sends the counters to the cluster of the xDS server, over the connection that it gets its configuration from. */
export const countsSink = (
  clusterName: string,
  { nodeId, gateway }: { readonly nodeId: string; readonly gateway: string },
): Init<typeof StatsSinkSchema> => {
  const labels = [
    { key: NODE_TAGS.node, value: { value: { case: "stringValue", value: nodeId } } },
    { key: NODE_TAGS.gateway, value: { value: { case: "stringValue", value: gateway } } },
  ] as const;
  const send = (
    matchPattern: Init<typeof StringMatcherSchema>["matchPattern"] & object,
    metricName: string,
  ): Init<typeof Matcher_MatcherList_FieldMatcherSchema> => ({
    predicate: {
      matchType: {
        case: "singlePredicate",
        value: {
          input: { name: "name", typedConfig: pack(StatFullNameMatchInputSchema, {}) },
          matcher: { case: "valueMatch", value: { matchPattern } },
        },
      },
    },
    onMatch: actionOf("send", pack(SinkConfig_ConversionActionSchema, { metricName, staticMetricLabels: [...labels] })),
  });
  return {
    name: "envoy.stat_sinks.open_telemetry",
    configType: {
      case: "typedConfig",
      value: pack(SinkConfigSchema, {
        protocolSpecifier: {
          case: "grpcService",
          value: { targetSpecifier: { case: "envoyGrpc", value: { clusterName } } },
        },
        reportCountersAsDeltas: true,
        useTagExtractedName: true,
        maxDataPointsPerRequest: MOST_POINTS,
        customMetricConversions: {
          matcherType: {
            case: "matcherList",
            value: {
              matchers: [
                send({ case: "prefix", value: `${SCOPE}.${COUNTER}.` }, REQUESTS_METRIC),
                send({ case: "exact", value: "server.live" }, ALIVE_METRIC),
              ],
            },
          },
          onNoMatch: actionOf("drop", pack(SinkConfig_DropActionSchema, {})),
        },
      }),
    },
  };
};

const actionOf = (name: string, typedConfig: ReturnType<typeof pack>) =>
  ({ onMatch: { case: "action", value: { name, typedConfig } } }) as const;
