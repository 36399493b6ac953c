/** The schemas of the objects, as `kubectl explain` prints them. The types are in `core/view/view-types.ts`; a test compares both. */
import type { JsonObject } from "../../core/model/json.ts";
import { VIEW_GROUP, VIEW_VERSION, type ViewKind } from "../../core/view/view-resources.ts";

type Field = JsonObject;

const text = (description: string): Field => ({ type: "string", description });
const count = (description: string): Field => ({ type: "integer", format: "int64", description });
const flag = (description: string): Field => ({ type: "boolean", description });
/** Any JSON value. */
const any = (description: string): Field => ({ description, "x-kubernetes-preserve-unknown-fields": true });
const list = (items: Field, description: string): Field => ({ type: "array", items, description });
const object = (properties: JsonObject, description: string): Field => ({ type: "object", properties, description });

const ref = (description: string): Field =>
  object(
    {
      group: text("The API group; empty for the core group."),
      kind: text("The kind."),
      namespace: text("The namespace; empty for an object without one."),
      name: text("The name."),
    },
    description,
  );
const groupKind = (description: string): Field =>
  object({ group: text("The API group."), kind: text("The kind.") }, description);
const redacted = text("Why the value is not shown.");
const block = text("The block of the policy that has the value: defaults, overrides or bare settings.");

const pathGroup = object(
  {
    sections: list({ type: "string" }, "The sections of the target: listeners, rules or ports."),
    above: list({ type: "string" }, "The ways from a root of the topology to the target."),
    below: list({ type: "string" }, "The ways from the target to the ends of the paths, the first 20."),
    moreBelow: count("The number of further ways below the target."),
    hiddenBelow: count(
      "The number of ways below the target through namespaces whose effective policies you may not get.",
    ),
  },
  "Every path from one of `above`, through one of `sections`, to one of `below`.",
);

const value = object(
  {
    policyKind: groupKind("The policy kind."),
    field: text("The field that is set: retry.attempts."),
    pointer: text("The field as a JSON pointer: /retry/attempts."),
    mappedTo: text("The item of a list of the object that the value is merged into."),
    value: any("The value. It is absent if nothing is set, or if you may not see it; then `redacted` says why."),
    redacted,
    source: object(
      {
        policy: ref("The policy that sets the value."),
        object: ref("The object that sets the value itself, in a field of its own."),
        block,
        strategy: text("The merge strategy that decided it: AtomicDefaults, MergeOverrides and so on."),
        computed: flag("True if a custom strategy computed the value, so that no policy contains it."),
        written: object(
          {
            manager: text("The tool that wrote the value, such as kubectl-edit. It is not a person."),
            operation: text("Apply (server-side apply) or Update."),
            time: text("The last write of this tool to any field of the policy: the value was written then or before."),
            created: text("When the policy was created."),
          },
          "How the value was last written, as the policy records it. Only with the parameter blame=true, and for a policy that you may read.",
        ),
      },
      "Where the value comes from. It is absent if a policy removed what others set.",
    ),
    lost: list(
      object(
        {
          policy: ref("The policy that sets the other value; absent if it is the object's own."),
          block,
          value: any("The other value."),
          redacted,
          reason: text(
            "Why it takes no effect: overridden, replaced, removed, deleted, gated (its condition is false) or equal.",
          ),
          by: list(ref("A policy."), "The policies that override, replace or remove it."),
        },
        "A value that takes no effect.",
      ),
      "The values that it overrides or replaces, and why.",
    ),
    paths: object(
      {
        count: count("The number of paths on which the value takes effect."),
        of: count("The number of paths of the policy kind through the target."),
        groups: list(pathGroup, "The paths in groups, the first 20."),
        more: count("The number of further groups."),
      },
      "The paths on which the value takes effect.",
    ),
  },
  "A value that takes effect.",
);

const caveats = list(
  object(
    {
      code: text("A stable code; docs/caveats.md has a section for each."),
      severity: text("broken: the input has a mistake. partial: the answer is right as far as it goes."),
      message: text("What is left out of account."),
      fix: text("What to do."),
    },
    "Something that was left out of account and could change the answer.",
  ),
  "What could change the answer and is not known. Without caveats the answer is complete.",
);
const notes = list({ type: "string" }, "What was left out of this object because of its size, and how to see it.");

const retryCounts: JsonObject = {
  requests: count("Requests that were forwarded to a backend. A request counts once, however often it is retried."),
  retried: count("Requests that needed a retry."),
  succeededByRetry: count(
    "Requests that succeeded only by a retry: without retries the client would have got an error.",
  ),
};

const retries = (about: string): Field =>
  object(
    {
      windowSeconds: count("The counted interval: an hour, or less if requests have been counted for less."),
      ...retryCounts,
      traffic: list(
        object(
          {
            gateway: ref("The Gateway."),
            route: ref("The route."),
            rule: text("The name of the rule; rule-2 for the second one if it has no name."),
            backend: object(
              {
                group: text("The API group; empty for the core group."),
                kind: text("The kind."),
                namespace: text("The namespace."),
                name: text("The name."),
                port: count("The port."),
              },
              "The backend.",
            ),
            ...retryCounts,
          },
          "The requests of one rule to one backend.",
        ),
        "The requests by rule and backend, those that owe most to retries first; the first 100.",
      ),
      more: count("The number of further rules and backends."),
      hidden: count("The number of rules and backends in namespaces whose effective policies you may not get."),
    },
    `What retries were worth in the last hour to the requests ${about}, as the data planes of the controller counted them. Absent in lists, and where nothing is known: then a caveat says why, if the controller serves the Gateway.`,
  );

const effectiveFields: JsonObject = {
  target: ref("The object that the values take effect on."),
  policyKinds: list(
    object(
      {
        group: text("The API group."),
        kind: text("The kind."),
        paths: count("The number of paths through the target."),
        policies: list(
          object(
            {
              policy: ref("The policy."),
              attachedTo: text("The target of the policy that is on the paths: Gateway infra/prod."),
              contact: text("Whom to ask: the annotation prevail.dev/contact of the policy or its Namespace."),
            },
            "A policy that reaches the target.",
          ),
          "The policies that reach the target.",
        ),
      },
      "A policy kind.",
    ),
    "The policy kinds that reach the target.",
  ),
  values: list(value, "The values that take effect, each with its source, what it overrides, and its paths."),
  retries: retries("through the target (Gateways, routes, Services)"),
  ineffective: list(
    object(
      {
        policy: ref("The policy."),
        reason: text("TargetNotFound, Conflicted, Invalid and so on."),
        message: text("Why it has no effect."),
      },
      "A policy without effect.",
    ),
    "Policies that name the target, or a similar name, and have no effect on it, of those that you may read. Only where a single object is read.",
  ),
  caveats,
  notes,
};

const reachFields: JsonObject = {
  policy: ref("The policy."),
  policyKind: groupKind("The policy kind: that of the definition, which may join several."),
  verdict: object(
    {
      accepted: text("True, False, or Unknown: none of its targets could be read."),
      reason: text("Enforced, PartiallyEnforced, Overridden, NoPath or Incomplete; or why it is not accepted."),
      message: text("Why it is not accepted."),
    },
    "Whether the policy takes effect.",
  ),
  paths: object(
    {
      count: count("All paths that the policy is on."),
      full: count("Paths on which all its settings take effect."),
      partial: count("Paths on which some of its settings take effect."),
      none: count("Paths on which none does."),
      met: count("Paths on which its condition is false, so that it has nothing to do."),
      idle: count("Paths on which it sets nothing, and there is nothing that it could remove."),
    },
    "The number of paths that the policy is on, by its effect.",
  ),
  targets: list(
    object(
      {
        state: text("Attached, Conflicted or Refused."),
        target: text("The target: Gateway infra/prod#https."),
        paths: count("The number of paths through the target."),
        by: ref("The policy that takes effect on the target instead."),
        message: text("Why the policy is not attached."),
      },
      "A target that the policy names.",
    ),
    "The targets that the policy names.",
  ),
  values: list(
    object(
      {
        field: text("The field that is set: retry.attempts."),
        pointer: text("The field as a JSON pointer: /retry/attempts."),
        block,
        value: any("The value."),
        when: text("The condition of its block, in CEL."),
        inEffect: count("Paths on which the setting takes effect."),
        equal: count("Paths on which another policy sets the same value."),
        overridden: count("Paths on which it is overridden, replaced, removed or deleted."),
        gated: count("Paths on which the condition of its block is false."),
        lost: list(
          object(
            {
              reason: text("overridden, replaced, removed, deleted or equal."),
              by: list(ref("A policy."), "The policies that override it."),
              object: ref("The object whose own value takes effect instead."),
              value: any("The value that takes effect instead."),
              redacted,
              paths: count("The number of paths."),
            },
            "Why the setting takes no effect on some paths.",
          ),
          "Where it takes no effect, the largest group of paths first.",
        ),
      },
      "A setting of the policy.",
    ),
    "The settings of the policy, and on how many paths each takes effect.",
  ),
  reached: object(
    {
      count: count("The number of objects and sections on which a setting takes effect."),
      byKind: list(
        object({ group: text("The API group."), kind: text("The kind."), count: count("The number.") }, "A kind."),
        "The number of objects and sections of each kind.",
      ),
      objects: list(
        object(
          {
            group: text("The API group."),
            kind: text("The kind."),
            namespace: text("The namespace."),
            name: text("The name."),
            sectionName: text("The section: a listener, a rule or a port."),
            paths: count("The number of paths through it."),
            inEffect: count("The number of paths through it on which a setting takes effect."),
          },
          "An object, or a section of one.",
        ),
        "The first 100 of them.",
      ),
      more: count("The number of further ones."),
      hidden: count("The number of those in namespaces whose effective policies you may not get."),
    },
    "Where the policy takes effect.",
  ),
  retries: retries("on the paths on which the policy takes effect, if it has settings about retries"),
  caveats,
  notes,
};

const ABOUT: Readonly<Record<ViewKind, readonly [string, JsonObject]>> = {
  EffectivePolicy: [
    "What takes effect on one object of a namespace, and why. It is computed when it is read, and nothing is stored.",
    effectiveFields,
  ],
  ClusterEffectivePolicy: [
    "What takes effect on one object without a namespace (GatewayClass, Namespace), and why. It is computed when it is read.",
    effectiveFields,
  ],
  PolicyReach: [
    "Where one policy of a namespace takes effect, and where it is overridden. It is computed when it is read.",
    reachFields,
  ],
  ClusterPolicyReach: [
    "Where one policy without a namespace takes effect, and where it is overridden. It is computed when it is read.",
    reachFields,
  ],
};

const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
const API_VERSION = text("The version of the API that the object is of.");
const KIND = text("The kind of the object.");

export const schemaName = (kind: string): string => `dev.prevail.view.${VIEW_VERSION}.${kind}`;
const refTo = (name: string): JsonObject => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
const groupVersionKind = (kind: string): JsonObject => ({
  "x-kubernetes-group-version-kind": [{ group: VIEW_GROUP, version: VIEW_VERSION, kind }],
});

/** The fields of a view but for apiVersion, kind and metadata. */
export const viewFields = (kind: ViewKind): JsonObject => ABOUT[kind][1];

/** The schema of a kind and that of its list. */
export function schemasOf(kind: ViewKind): JsonObject {
  const [description, fields] = ABOUT[kind];
  return {
    [schemaName(kind)]: {
      ...object(
        {
          apiVersion: API_VERSION,
          kind: KIND,
          metadata: {
            ...refTo(OBJECT_META),
            description: "Name, namespace, and the labels of the object that it is about.",
          },
          ...fields,
        },
        description,
      ),
      ...groupVersionKind(kind),
    },
    [schemaName(`${kind}List`)]: {
      ...object(
        {
          apiVersion: API_VERSION,
          kind: KIND,
          metadata: { ...refTo(LIST_META), description: "Where the next page begins." },
          items: list(refTo(schemaName(kind)), "The objects."),
        },
        `A list of ${kind}.`,
      ),
      required: ["items"],
      ...groupVersionKind(`${kind}List`),
    },
  };
}

/** The part of Kubernetes' own schemas that the objects use. */
export const metaSchemas: JsonObject = {
  [OBJECT_META]: object(
    {
      name: text("The kind and the name of the object that it is about: httproute.baker."),
      namespace: text("The namespace."),
      labels: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "The labels of the object that it is about.",
      },
    },
    "Metadata of an object.",
  ),
  [LIST_META]: object({ continue: text("The token of the next page.") }, "Metadata of a list."),
};
