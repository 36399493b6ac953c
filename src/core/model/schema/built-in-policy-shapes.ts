/**
 * The settings of the built-in policy kinds. Targets, strategies, conditions and removals are not listed: reading a
 * policy checks those, with messages of its own. Lenient where versions differ; `null` is unset.
 */
import {
  choice,
  duration,
  integer,
  type KubeShape,
  listOf,
  mapOf,
  name,
  nonEmpty,
  struct,
  text,
} from "./kube-shape.ts";

const budgetFields = { percent: integer(0, 100), interval: duration };
const minRetryRate = struct({ count: integer(1, 1_000_000), interval: duration });

const retrySettings: Readonly<Record<string, KubeShape>> = {
  retry: struct({
    // Which of them a gateway can retry is told by a finding of its own.
    codes: listOf(integer(100, 999)),
    attempts: integer(),
    backoff: duration,
    maxBackoff: duration,
    afterSend: choice("Never", "Idempotent", "Always"),
    maxBodyBytes: integer(),
    budget: struct({ ...budgetFields, minRetryRate }),
  }),
  timeouts: struct({ request: duration, backendRequest: duration }),
};
const retryBlock = struct(retrySettings);
const retryPolicy = struct({
  ...retrySettings,
  defaults: retryBlock,
  overrides: retryBlock,
  default: retryBlock,
  override: retryBlock,
});

const localRef = struct({ group: name, kind: nonEmpty, name: nonEmpty });
const backendTlsPolicy = struct({
  validation: struct({
    caCertificateRefs: listOf(localRef),
    wellKnownCACertificates: nonEmpty,
    hostname: nonEmpty,
    subjectAltNames: listOf(struct({ type: choice("Hostname", "URI"), hostname: name, uri: name })),
  }),
  options: mapOf(text),
});

const backendTrafficPolicy = struct({
  retryConstraint: struct({ budget: struct(budgetFields), minRetryRate }),
  sessionPersistence: struct({
    sessionName: text,
    type: choice("Cookie", "Header"),
    absoluteTimeout: duration,
    idleTimeout: duration,
    cookieConfig: struct({ lifetimeType: choice("Permanent", "Session") }),
  }),
});

/** By kind: the shape of `spec`. */
export const builtInPolicyShapes: ReadonlyMap<string, { readonly group: string; readonly spec: KubeShape }> = new Map([
  ["RetryPolicy", { group: "prevail.dev", spec: retryPolicy }],
  ["ClusterRetryPolicy", { group: "prevail.dev", spec: retryPolicy }],
  ["BackendTLSPolicy", { group: "gateway.networking.k8s.io", spec: backendTlsPolicy }],
  ["XBackendTrafficPolicy", { group: "gateway.networking.x-k8s.io", spec: backendTrafficPolicy }],
]);
