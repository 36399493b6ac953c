/** The overload manager of an Envoy: what it does before it runs out of memory. */
import { MAX_CLIENT_CONNECTIONS, MAX_HEAP_MIB } from "../../core/envoy/overload-limits.ts";
import {
  type OverloadActionSchema,
  type OverloadManagerSchema,
  ScaleTimersOverloadActionConfig_TimerType,
  ScaleTimersOverloadActionConfigSchema,
} from "../gen/envoy/config/overload/v3/overload_pb.ts";
import { DownstreamConnectionsConfigSchema } from "../gen/envoy/extensions/resource_monitors/downstream_connections/v3/downstream_connections_pb.ts";
import { FixedHeapConfigSchema } from "../gen/envoy/extensions/resource_monitors/fixed_heap/v3/fixed_heap_pb.ts";
import { type Any, duration, type Init, pack } from "../protobuf.ts";

const HEAP = "envoy.resource_monitors.fixed_heap";
const CONNECTIONS = "envoy.resource_monitors.global_downstream_max_connections";
const REFRESH_MS = 100;
const MIB = 1024 * 1024;

/** Requests whose buffers have at least this power of two of bytes (64 KiB) can be aborted to free memory. */
const LEAST_TRACKED_POWER = 16;

type Action = Init<typeof OverloadActionSchema>;

/** From this part of the heap limit on. */
const at = (action: string, value: number): Action => ({
  name: `envoy.overload_actions.${action}`,
  triggers: [{ name: HEAP, triggerOneof: { case: "threshold", value: { value } } }],
});

/** More the nearer the heap is to the limit. */
const gradually = (action: string, typedConfig?: Any): Action => ({
  name: `envoy.overload_actions.${action}`,
  triggers: [
    { name: HEAP, triggerOneof: { case: "scaled", value: { scalingThreshold: 0.8, saturationThreshold: 0.95 } } },
  ],
  ...(typedConfig === undefined ? {} : { typedConfig }),
});

/** How long a request without progress, and a connection without a request, may stay when the heap has reached its limit. */
const SHORTEST_IDLE_MS = { request: 5000, connection: 1000 };

const { HTTP_DOWNSTREAM_CONNECTION_IDLE, HTTP_DOWNSTREAM_STREAM_IDLE } = ScaleTimersOverloadActionConfig_TimerType;

const SHORTER_TIMEOUTS = pack(ScaleTimersOverloadActionConfigSchema, {
  timerScaleFactors: [
    {
      timer: HTTP_DOWNSTREAM_STREAM_IDLE,
      overloadAdjust: { case: "minTimeout", value: duration(SHORTEST_IDLE_MS.request) },
    },
    {
      timer: HTTP_DOWNSTREAM_CONNECTION_IDLE,
      overloadAdjust: { case: "minTimeout", value: duration(SHORTEST_IDLE_MS.connection) },
    },
  ],
});

export const compileOverloadManager = (maxHeapMib: number = MAX_HEAP_MIB): Init<typeof OverloadManagerSchema> => ({
  refreshInterval: duration(REFRESH_MS),
  resourceMonitors: [
    {
      name: HEAP,
      configType: {
        case: "typedConfig",
        value: pack(FixedHeapConfigSchema, { maxHeapSizeBytes: BigInt(maxHeapMib * MIB) }),
      },
    },
    {
      name: CONNECTIONS,
      configType: {
        case: "typedConfig",
        value: pack(DownstreamConnectionsConfigSchema, {
          maxActiveDownstreamConnections: BigInt(MAX_CLIENT_CONNECTIONS),
        }),
      },
    },
  ],
  actions: [
    // Bodies that are kept for retries are most of what requests need, and the largest of them go first. Envoy does so for HTTP/2 only.
    gradually("reset_high_memory_stream"),
    gradually("reduce_timeouts", SHORTER_TIMEOUTS),
    at("shrink_heap", 0.85),
    at("disable_http_keepalive", 0.9),
    at("stop_accepting_requests", 0.95),
    at("stop_accepting_connections", 0.98),
  ],
  bufferFactoryConfig: { minimumAccountToTrackPowerOfTwo: LEAST_TRACKED_POWER },
});
