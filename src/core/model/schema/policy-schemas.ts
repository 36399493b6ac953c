/**
 * Schemas of the settings of RetryPolicy and ClusterRetryPolicy. Targets, conditions and removals are not listed: parsing a
 * policy checks them. Values are constrained as by the CRDs in `deploy/crds`. The schemas of BackendTLSPolicy and XBackendTrafficPolicy are those of Gateway API.
 */
import { BLOCK_SPELLINGS } from "../block-names.ts";
import type { GroupKind } from "../refs.ts";
import type { CoreSchema } from "./core-schemas.ts";
import type { Schema } from "./schema.ts";

const duration: Schema = { type: "string", pattern: "^([0-9]{1,5}(h|m|s|ms)){1,4}$", maxLength: 32 };
const count: Schema = { type: "integer", minimum: 0 };
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: "object", properties });

const settings: Readonly<Record<string, Schema>> = {
  retry: object({
    codes: { type: "array", items: { type: "integer", minimum: 400, maximum: 599 }, maxItems: 200 },
    attempts: count,
    backoff: duration,
    maxBackoff: duration,
    afterSend: { type: "string", enum: ["Never", "Idempotent", "Always"] },
    maxBodyBytes: count,
    budget: object({
      percent: { type: "integer", minimum: 0, maximum: 100 },
      interval: duration,
      minRetryRate: object({ count: { type: "integer", minimum: 1, maximum: 1_000_000 }, interval: duration }),
    }),
  }),
  timeouts: object({ request: duration, backendRequest: duration }),
};

const block = object(settings);
const schema = object({
  ...settings,
  ...Object.fromEntries(Object.values(BLOCK_SPELLINGS).flatMap((names) => names.map((name) => [name, block]))),
});

/** The version that these schemas are of. */
export const retryPolicyVersion = "v1alpha1";

export const retryPolicySchemas: readonly CoreSchema[] = [
  { group: "prevail.dev", kind: "RetryPolicy", schema },
  { group: "prevail.dev", kind: "ClusterRetryPolicy", schema },
];

/** Policy kinds of Gateway API that have a built-in definition. A policy that breaks their schema is Invalid, not absent. */
export const isBuiltInPolicyKind = ({ group, kind }: GroupKind): boolean =>
  (kind === "BackendTLSPolicy" && group === "gateway.networking.k8s.io") ||
  (kind === "XBackendTrafficPolicy" && group === "gateway.networking.x-k8s.io");
