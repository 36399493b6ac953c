/** ValidatingWebhookConfigurations as plain objects. */
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  objectAt,
  objectsIn,
  ownValue,
} from "../../core/model/json.ts";
import { compareText } from "../../core/model/refs.ts";
import type { WebhookName } from "../serve/answer-review.ts";

/** The configuration that an operator installs. */
export const givenName = (webhook: WebhookName): string => `prevail-${webhook}`;
/** The configuration of the controller, for kinds that were found at run time. */
export const foundName = (webhook: WebhookName): string => `prevail-${webhook}-found`;

/** The groups that the given configurations have rules for, and groups whose objects are in the way of too much else. */
const GIVEN_GROUPS: ReadonlySet<string> = new Set([
  "",
  "prevail.dev",
  "gateway.networking.k8s.io",
  "gateway.networking.x-k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "admissionregistration.k8s.io",
]);

export interface KindRule {
  readonly group: string;
  /** Plurals, sorted. */
  readonly resources: readonly string[];
}

/** One rule for each group of kinds that the given configurations do not name. Sorted by group. */
export function foundRules(resources: readonly ApiResource[]): readonly KindRule[] {
  const groups = new Map<string, Set<string>>();
  for (const { group, plural } of resources) {
    if (GIVEN_GROUPS.has(group)) continue;
    groups.set(group, (groups.get(group) ?? new Set()).add(plural));
  }
  return [...groups]
    .sort(([a], [b]) => compareText(a, b))
    .map(([group, plurals]) => ({ group, resources: [...plurals].sort(compareText) }));
}

/** The configuration with this `caBundle` in each webhook; undefined if it has it already. */
export function withBundle(configuration: JsonObject, caBundle: string): JsonObject | undefined {
  const webhooks = objectsIn(ownValue(configuration, "webhooks"));
  const next = webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { ...objectAt(webhook, "clientConfig"), caBundle },
  }));
  return jsonEqual(webhooks, next) ? undefined : { ...configuration, webhooks: next };
}

/**
 * A copy of the given configuration with other rules: the operator's scope, failurePolicy and timeout count here, too. It is owned by the given one, so it
 * goes with it, also if the controller is gone. Undefined: there is no kind for it.
 */
export function foundConfiguration(
  webhook: WebhookName,
  given: JsonObject,
  rules: readonly KindRule[],
): JsonObject | undefined {
  const [first] = objectsIn(ownValue(given, "webhooks"));
  if (rules.length === 0 || first === undefined) return undefined;
  const { name, uid } = objectAt(given, "metadata");
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: {
      name: foundName(webhook),
      labels: { "app.kubernetes.io/managed-by": "prevail" },
      ownerReferences: [
        {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingWebhookConfiguration",
          name: name ?? "",
          uid: uid ?? "",
        },
      ],
    },
    webhooks: [{ ...first, rules: rules.map(ruleOf) }],
  };
}

const ruleOf = ({ group, resources }: KindRule): JsonObject => ({
  apiGroups: [group],
  apiVersions: ["*"],
  operations: ["CREATE", "UPDATE", "DELETE"],
  resources: [...resources],
  scope: "*",
});

/** The stored configuration with what is wanted; undefined if nothing differs. */
export function withWanted(stored: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const metadata = objectAt(stored, "metadata");
  const { ownerReferences = [], labels = {} } = objectAt(wanted, "metadata");
  const isSame =
    jsonEqual(stored["webhooks"], wanted["webhooks"]) &&
    jsonEqual(metadata["ownerReferences"] ?? [], ownerReferences) &&
    isJsonObject(labels) &&
    Object.entries(labels).every(([key, value]: [string, Json]) => objectAt(metadata, "labels")[key] === value);
  if (isSame) return undefined;
  return {
    ...stored,
    metadata: {
      ...metadata,
      ownerReferences,
      labels: { ...objectAt(metadata, "labels"), ...(isJsonObject(labels) ? labels : {}) },
    },
    webhooks: wanted["webhooks"] ?? [],
  };
}
