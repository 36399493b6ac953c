/**
 * Compiles retry settings for Envoy. Envoy's own backoff may be 0, so a minimum is enforced by additional attempts that only wait: a
 * composite cluster sends every second attempt to an internal listener that responds after a fixed time (docs/decisions/0006-envoy.md).
 */
import type { RetryConfig } from "../../../core/dataplane/gateway-config.ts";
import { WAITED_HEADER } from "../../../core/dataplane/own-headers.ts";
import { MOST_ATTEMPTS, retriesOf } from "../../../core/envoy/envoy-waits.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import { waitRangeMs } from "../../../core/retry/backoff.ts";
import type { RetryPlan } from "../../../core/retry/retry-schedule.ts";
import {
  type HeaderMatcherSchema,
  type RetryPolicy,
  RetryPolicySchema,
} from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { PreviousHostsPredicateSchema } from "../../gen/envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.ts";
import { create, duration, type Init, pack } from "../../protobuf.ts";
import { INSIDE_ENVOY } from "../backends/upstream-options.ts";

type RetryPolicyInit = Init<typeof RetryPolicySchema>;

/** The class of requests of a retry policy, because `afterSend` depends on the method. */
export type MethodClass = "All" | "Idempotent" | "Others";

/** RFC 9110, 9.2.2, as in `core/retry`. */
export const IDEMPOTENT_METHODS = "GET|HEAD|OPTIONS|TRACE|PUT|DELETE";
const IDEMPOTENT: ReadonlySet<string> = new Set(IDEMPOTENT_METHODS.split("|"));

/** The classes of methods that need separate routes. */
export function methodClasses(retry: RetryConfig | undefined, method: string | undefined): readonly MethodClass[] {
  if (retry === undefined || retry.plan.afterSend !== "Idempotent") return ["All"];
  if (method !== undefined) return [IDEMPOTENT.has(method) ? "Idempotent" : "Others"];
  return ["Idempotent", "Others"];
}

const PREVIOUS_HOSTS = {
  name: "envoy.retry_host_predicates.previous_hosts",
  configType: { case: "typedConfig", value: pack(PreviousHostsPredicateSchema, {}) },
} as const;
/** How often Envoy looks for another endpoint before it uses one that failed. */
const OTHER_HOST_ATTEMPTS = 5n;

/** The retry policies of one gateway. Many routes have the same settings, so each policy is made once. */
export type RetryPolicies = WeakMap<object, Map<string, RetryPolicy>>;

export interface RetryUse {
  readonly methods: MethodClass;
  /** True if the cluster has attempts that only wait. */
  readonly isWaiting: boolean;
  /** The timeout of an attempt that counts for the health of its endpoint. Undefined: none. */
  readonly attemptMs: number | undefined;
}

/** Undefined: Envoy's defaults, which are no retries and no timeout. */
export function compileRetryPolicy(
  retry: RetryConfig | undefined,
  use: RetryUse,
  known: RetryPolicies,
): RetryPolicy | undefined {
  if (retry === undefined && use.attemptMs === undefined) return undefined;
  const policies = remember(known, retry ?? NO_RETRY, () => new Map<string, RetryPolicy>());
  const key = `${use.methods} ${use.isWaiting} ${use.attemptMs}`;
  return remember(policies, key, () => create(RetryPolicySchema, { ...timeoutOf(use), ...retryPolicy(retry, use) }));
}

const NO_RETRY = {};

const timeoutOf = ({ attemptMs }: RetryUse): RetryPolicyInit =>
  attemptMs === undefined ? {} : { perTryTimeout: duration(attemptMs) };

function retryPolicy(retry: RetryConfig | undefined, { methods, isWaiting }: RetryUse): RetryPolicyInit {
  if (retry === undefined) return { numRetries: 0 };
  const { plan } = retry;
  const codes = plan.codes.filter((code) => Number.isInteger(code) && code >= 400 && code < 1000);
  const mayRepeat = plan.afterSend === "Always" || (plan.afterSend === "Idempotent" && methods === "Idempotent");
  const retryOn = [
    "connect-failure",
    "refused-stream",
    mayRepeat ? "reset" : "reset-before-request",
    ...(codes.length === 0 ? [] : ["retriable-status-codes"]),
    ...(isWaiting ? ["retriable-headers"] : []),
  ];
  return {
    retryOn: retryOn.join(","),
    // Every second attempt only waits.
    numRetries: retriesOf(plan) * (isWaiting ? 2 : 1),
    retriableStatusCodes: codes,
    retryBackOff: backOff(plan, isWaiting),
    retryHostPredicate: [PREVIOUS_HOSTS],
    hostSelectionRetryMaxAttempts: OTHER_HOST_ATTEMPTS,
    ...(isWaiting ? { retriableHeaders: [WAITED] } : {}),
  };
}

/** The response of a wait. A backend cannot send this value (`upstream-options.ts`). */
const WAITED: Init<typeof HeaderMatcherSchema> = {
  name: WAITED_HEADER,
  headerMatchSpecifier: {
    case: "stringMatch",
    value: { matchPattern: { case: "prefix", value: INSIDE_ENVOY } },
  },
};

const UNPROMISED_MS = 25;
/** Jitter before each of the two attempts of one retry: a fifth of the wait together, within the allowed quarter. */
const SPREAD = 0.1;

/** Envoy waits a random time below this. With waiting attempts it is only the jitter. */
function backOff(plan: RetryPlan, isWaiting: boolean): RetryPolicyInit["retryBackOff"] {
  const { backoffMs } = plan;
  if (backoffMs === undefined)
    return { baseInterval: duration(UNPROMISED_MS), maxInterval: duration(2 * UNPROMISED_MS) };
  if (!isWaiting && backoffMs > 0)
    return { baseInterval: duration(backoffMs), maxInterval: duration(waitRangeMs(plan, MOST_ATTEMPTS).least) };
  const spread = duration(Math.max(1, Math.floor(backoffMs * SPREAD)));
  return { baseInterval: spread, maxInterval: spread };
}
