/**
 * The CRDs of RetryPolicy and ClusterRetryPolicy. No field has a default: a value that the API server fills in would look like
 * one of the author, and override the defaults of higher policies.
 */
import type { JsonObject } from "../../../src/core/model/json.ts";
import { conditions } from "./condition-schema.ts";
import { type CrdKind, column, integer, list, object, text, validation, validations } from "./crd-document.ts";

const GATEWAY_API = "gateway.networking.k8s.io";

const duration = (description: string): JsonObject =>
  text(description, { pattern: "^([0-9]{1,5}(h|m|s|ms)){1,4}$", maxLength: 32 });

const budget = object("Bounds retries as a share of the requests. Names as in Gateway API's retryConstraint.", {
  percent: integer("Retries may be at most this share of the requests within the interval.", {
    format: "int32",
    minimum: 0,
    maximum: 100,
  }),
  interval: duration("The time over which requests and retries are counted."),
  minRetryRate: object("Retries that are allowed whatever the share is.", {
    count: integer("How many.", { format: "int32", minimum: 1, maximum: 1_000_000 }),
    interval: duration("In how much time."),
  }),
});

const retry = object(
  "When and how often a gateway attempts a request again.",
  {
    codes: list(
      "Status codes that are retried. The list is one value.",
      { type: "integer", format: "int32", minimum: 400, maximum: 599 },
      { maxItems: 200 },
    ),
    attempts: integer("Retries after the first attempt; 0 disables them.", { format: "int32", minimum: 0 }),
    backoff: duration("No retry starts earlier than this after the failure."),
    maxBackoff: duration("Cap of the growing wait. Unset: ten times backoff."),
    afterSend: text("Whether a request that was sent, and may have been processed, may be sent again.", {
      enum: ["Never", "Idempotent", "Always"],
    }),
    maxBodyBytes: integer("A longer body is streamed, not kept, and not sent again.", { format: "int64", minimum: 0 }),
    budget,
  },
  validations(
    validation(
      "!has(self.backoff) || !has(self.maxBackoff) || duration(self.maxBackoff) >= duration(self.backoff)",
      "maxBackoff must not be less than backoff",
    ),
  ),
);

const timeouts = object(
  "How long a gateway waits. 0s disables a timeout.",
  {
    request: duration(
      "From the first byte of the request to the last of the response, all attempts and waits included.",
    ),
    backendRequest: duration("For one attempt."),
  },
  validations(
    validation(
      "!has(self.request) || !has(self.backendRequest) || duration(self.request) == duration('0s') || duration(self.backendRequest) <= duration(self.request)",
      "backendRequest must not be more than request",
    ),
  ),
);

const remove = list(
  "What higher defaults shall not bring: dotted paths such as retry.codes.",
  { type: "string", minLength: 1, maxLength: 253 },
  { maxItems: 64 },
);

const block = (description: string): JsonObject =>
  object(description, {
    when: text("A CEL condition on what more specific policies came to (`spec`); false: the block does not act.", {
      minLength: 1,
      maxLength: 4096,
    }),
    remove,
    retry,
    timeouts,
  });

/** Kinds by group, as a CEL condition on a target. */
const isTargetable = (kinds: readonly string[]): string =>
  kinds
    .map((kind) => {
      const group = kind === "Namespace" || kind === "Service" ? "" : GATEWAY_API;
      return `(self.kind == '${kind}' && (!has(self.group) || self.group == '${group}'))`;
    })
    .join(" || ");

function targets(kinds: readonly string[], withSections: boolean): JsonObject {
  const group = text("API group of the target; may be left out.", { maxLength: 253 });
  const kind = text("Kind of the target.", { enum: [...kinds] });
  const fits = validation(isTargetable(kinds), `group must be that of the kind: "${GATEWAY_API}", or "" for core`);
  const sectionName = text("A listener, a named rule or a named port of the target.", { minLength: 1, maxLength: 253 });
  const hasSections = validation(
    "!has(self.sectionName) || self.kind != 'Namespace'",
    "a Namespace has no sections; leave out sectionName",
  );
  return {
    targetRefs: list(
      "The targets, by name.",
      object(
        "One target.",
        {
          group,
          kind,
          name: text("Name of the target.", { minLength: 1, maxLength: 253 }),
          ...(withSections ? { sectionName } : {}),
        },
        { required: ["kind", "name"], ...validations(fits, ...(withSections ? [hasSections] : [])) },
      ),
      { maxItems: 16 },
    ),
    targetSelectors: list(
      "The targets, by their labels.",
      object(
        "All objects of a kind that have the labels.",
        {
          group,
          kind,
          matchLabels: {
            description: "Labels that a target must have.",
            type: "object",
            maxProperties: 64,
            additionalProperties: { type: "string", maxLength: 63 },
          },
          matchExpressions: list(
            "Conditions on labels; all must be true.",
            object(
              "One condition.",
              {
                key: text("The label.", { maxLength: 317 }),
                operator: text("How it compares.", { enum: ["In", "NotIn", "Exists", "DoesNotExist"] }),
                values: list("With what.", { type: "string", maxLength: 63 }, { maxItems: 64 }),
              },
              { required: ["key", "operator"] },
            ),
            { maxItems: 64 },
          ),
        },
        { required: ["kind"], ...validations(fits) },
      ),
      { maxItems: 16 },
    ),
  };
}

const hasTarget = validation(
  "(has(self.targetRefs) && size(self.targetRefs) > 0) || (has(self.targetSelectors) && size(self.targetSelectors) > 0)",
  "name at least one target in targetRefs or targetSelectors",
);

const targetsService =
  "(has(self.targetRefs) && self.targetRefs.exists(t, t.kind == 'Service')) || (has(self.targetSelectors) && self.targetSelectors.exists(t, t.kind == 'Service'))";
const setsRequest = ["self", "self.defaults", "self.overrides"]
  .map((at) => `(${at === "self" ? "" : `has(${at}) && `}has(${at}.timeouts) && has(${at}.timeouts.request))`)
  .join(" || ");

const noRequestOnService = validation(
  `!(${targetsService}) || !(${setsRequest})`,
  "timeouts.request cannot be set on a Service: its clock runs before a backend is picked; set it on a route, or use timeouts.backendRequest",
);

const status = object("What became of the policy.", {
  ancestors: list(
    "Per Gateway, or per other object that the policy is attached through.",
    object(
      "Under one ancestor.",
      {
        ancestorRef: object(
          "The ancestor.",
          {
            group: text("API group.", { maxLength: 253 }),
            kind: text("Kind.", { maxLength: 63 }),
            namespace: text("Namespace.", { maxLength: 63 }),
            name: text("Name.", { maxLength: 253 }),
            sectionName: text("Section.", { maxLength: 253 }),
          },
          { required: ["name"] },
        ),
        controllerName: text("Who says so.", { maxLength: 253 }),
        conditions: conditions("Accepted or Enforced."),
      },
      { required: ["ancestorRef", "controllerName"] },
    ),
    { maxItems: 16 },
  ),
});

const conditionPath = (type: string, field: string): string =>
  `.status.ancestors[0].conditions[?(@.type=="${type}")].${field}`;

function retryCrd(crd: {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly scope: CrdKind["scope"];
  readonly description: string;
  readonly targets: JsonObject;
  readonly rules: readonly JsonObject[];
}): CrdKind {
  return {
    kind: crd.kind,
    plural: crd.plural,
    shortNames: [crd.shortName],
    scope: crd.scope,
    labels: { "gateway.networking.k8s.io/policy": "Inherited" },
    description: crd.description,
    columns: [
      column("Target Kind", ".spec.targetRefs[0].kind"),
      column("Target", ".spec.targetRefs[0].name"),
      column("Accepted", conditionPath("Accepted", "status")),
      column("Enforced", conditionPath("Enforced", "reason")),
    ],
    spec: object(
      "Settings that stand in neither block are defaults.",
      {
        ...crd.targets,
        remove,
        retry,
        timeouts,
        defaults: block("Settings that more specific policies, and the route itself, may replace."),
        overrides: block("Settings that override those of all more specific policies, and of the route itself."),
      },
      validations(...crd.rules),
    ),
    status,
  };
}

export const retryPolicyCrds: readonly CrdKind[] = [
  retryCrd({
    kind: "RetryPolicy",
    plural: "retrypolicies",
    shortName: "rtp",
    scope: "Namespaced",
    description: "Retries and timeouts for everything below its targets.",
    targets: targets(["Namespace", "Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute", "Service"], true),
    rules: [hasTarget, noRequestOnService],
  }),
  retryCrd({
    kind: "ClusterRetryPolicy",
    plural: "clusterretrypolicies",
    shortName: "crtp",
    scope: "Cluster",
    description: "Retries and timeouts for GatewayClasses and for whole namespaces.",
    targets: targets(["GatewayClass", "Namespace"], false),
    rules: [hasTarget],
  }),
];
