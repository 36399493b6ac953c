/** Asks `how` about small clusters, and gives short answers. */
import type { Granularity, PolicyDefinition } from "../../../src/core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../../src/core/model/json.ts";
import { builtInDefinitions } from "../../../src/definitions/built-in-definitions.ts";
import { type How, type HowChange, how, type WantedSetting } from "../../../src/index.ts";
import { cluster } from "./cluster.ts";
import { gateway, listener, policy, route, routeTo, service } from "./gateway-objects.ts";
import { policyKind } from "./policy-kind.ts";

type Settings = Readonly<Record<string, Json | undefined>>;

const wantedOf = (settings: Settings): readonly WantedSetting[] =>
  Object.entries(settings).map(([path, value]) => (value === undefined ? { path } : { path, value }));

export function ask(
  objects: readonly unknown[],
  target: string,
  settings: Settings,
  definitions: readonly PolicyDefinition[] = builtInDefinitions(),
): How {
  const { evaluation } = cluster(objects, { definitions });
  const answer = how(evaluation, target, wantedOf(settings));
  if (answer === undefined) throw new Error(`no target ${target}`);
  return answer;
}

/** `EditPolicy ana defaults +0`: the steps with the names of their objects, how many other values change, and in whose namespaces. */
export const short = ({ steps, reach, needsRights }: HowChange): string => {
  const words = steps.map(({ way, object, block }) =>
    [way, object.slice(object.lastIndexOf("/") + 1), ...(block === undefined ? [] : [block])].join(" "),
  );
  const rights = needsRights.map((one) => ` (${one.namespace === "" ? "cluster" : one.namespace})`).join("");
  return `${words.join(", ")} +${reach.others.values}${rights}`;
};

export const shorts = ({ kinds }: How): readonly string[] => kinds.flatMap(({ changes }) => changes.map(short));

export const retry = (name: string, target: string, blocks: JsonObject, namespace = "default"): JsonObject =>
  policy("RetryPolicy", name, target, blocks, { group: "prevail.dev", namespace });

export const attempts = (block: "defaults" | "overrides", value: number, more: JsonObject = {}): JsonObject => ({
  [block]: { retry: { attempts: value, ...more } },
});

/** Two routes behind one Gateway, each with a Service. The first has no retries. */
export const routes = (fields: JsonObject = {}): readonly JsonObject[] => [
  gateway("g", { listeners: [listener("http"), listener("other", { port: 81 })] }),
  route("r", "Gateway/g#http", {
    rules: [
      { name: "one", backends: ["s"], fields },
      { name: "two", backends: ["s"] },
    ],
  }),
  routeTo("q", "Gateway/g", "t"),
  service("s"),
  service("t"),
];
export const noRetries = { retry: { attempts: 0 } };

export function withTargets(object: JsonObject, names: readonly string[]): JsonObject {
  const spec = ownValue(object, "spec");
  const targetRefs = names.map((name) => ({ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name }));
  return { ...object, spec: { ...(isJsonObject(spec) ? spec : {}), targetRefs } };
}

/** A kind with one granularity, whose policies set leaves or named rules. */
export const kindWith = (granularity: Granularity | "None"): PolicyDefinition =>
  policyKind("TestPolicy", {
    targets: ["Gateway/Listener", "HTTPRoute/Rule"],
    ends: ["HTTPRoute/Rule"],
    merge:
      granularity === "None"
        ? { none: true }
        : {
            granularity: { default: granularity, field: "strategy", values: {} },
            rules: granularity === "Merge" ? ["limits"] : [],
          },
  });

export const testPolicy = (name: string, target: string, spec: JsonObject): JsonObject =>
  policy("TestPolicy", name, target, spec);

export const sizeKind = policyKind("TestPolicy", {
  targets: ["Gateway", "HTTPRoute"],
  ends: ["HTTPRoute/Rule"],
  merge: { granularity: { default: "Field", field: "strategy", values: {} } },
});

/** A CRD of TestPolicy with these blocks, each with the setting `size`, and further fields of the schema of `spec`. */
export function testCrd(more: JsonObject, blocks: readonly string[] = ["defaults", "overrides"]): JsonObject {
  const block = { type: "object", properties: { size: { type: "integer" } } };
  const ref = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const spec = {
    type: "object",
    properties: {
      targetRef: ref,
      targetRefs: { type: "array", items: ref },
      ...Object.fromEntries(blocks.map((name) => [name, block])),
    },
    ...more,
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "testpolicies.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "TestPolicy", plural: "testpolicies" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  };
}
