import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import { worldOf } from "../../core/evaluation.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/model/json.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { buildBundle } from "./build-bundle.ts";

const GATEWAY_API = "gateway.networking.k8s.io/v1";
/** Everything that a tenant chooses contains the word zebra. */
const objects: readonly JsonObject[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "zebra-space", labels: { "zebra-label": "zebra" } } },
  {
    apiVersion: GATEWAY_API,
    kind: "GatewayClass",
    metadata: { name: "zebra-class" },
    spec: { controllerName: "prevail.dev/gateway" },
  },
  {
    apiVersion: GATEWAY_API,
    kind: "Gateway",
    metadata: { name: "zebra-gateway", namespace: "zebra-space", annotations: { note: "zebra" } },
    spec: {
      gatewayClassName: "zebra-class",
      listeners: [{ name: "zebra-listener", protocol: "HTTP", port: 80, hostname: "zebra.example.com" }],
    },
  },
  {
    apiVersion: GATEWAY_API,
    kind: "HTTPRoute",
    metadata: { name: "zebra-route", namespace: "zebra-space" },
    spec: {
      parentRefs: [{ name: "zebra-gateway" }, { name: "zebra-absent" }],
      hostnames: ["zebra.example.com"],
      rules: [{ name: "zebra-rule", backendRefs: [{ name: "zebra-missing", port: 80 }] }],
    },
  },
  ...["zebra-one", "zebra-two"].map((name, index) => ({
    apiVersion: "prevail.dev/v1alpha1",
    kind: "RetryPolicy",
    metadata: { name, namespace: "zebra-space" },
    spec: {
      targetRefs: [
        { group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "zebra-route", sectionName: "zebra-rule" },
        { group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "zebra-gone" },
      ],
      defaults: { retry: { attempts: 7 + index, backoff: `${4321 + index}ms` } },
    },
  })),
  {
    apiVersion: "policies.example.com/v1",
    kind: "AuthPolicy",
    metadata: { name: "zebra" },
    spec: { targetRef: { kind: "Gateway", name: "zebra" } },
  },
];

const facts = { version: "1.2.3", node: "v20", platform: "linux x64", kubernetes: "v1.36.3", statusResets: [] };
const bundleOf = (): JsonObject => {
  const { evaluation } = cluster(objects, { definitions: builtInDefinitions() });
  return buildBundle({ evaluation, world: worldOf(evaluation), unread: [] }, facts);
};
const items = (bundle: JsonObject, key: string): readonly JsonObject[] => {
  const list: Json | undefined = bundle[key];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
};

describe("a support bundle", () => {
  test("has no name, label, annotation, host or value of an object", () => {
    const text = JSON.stringify(bundleOf());
    expect(text).not.toContain("zebra");
    expect(text).not.toContain("4321ms");
  });

  test("has what a developer of Prevail needs: kinds, verdicts, targets, findings and caveats", () => {
    const bundle = bundleOf();
    expect(items(bundle, "objects")).toContainEqual({ group: "prevail.dev", kind: "RetryPolicy", count: 2 });
    const policies = items(bundle, "policies").filter(({ kind }) => kind === "RetryPolicy");
    expect(new Set(policies.map(({ verdict }) => verdict))).toEqual(new Set(["Enforced", "Overridden"]));
    for (const { blocks } of policies) expect(blocks).toEqual([{ name: "defaults", settings: 2 }]);
    expect(items(bundle, "findings").map(({ code }) => code)).toContain("TargetNotFound");
    expect(items(bundle, "caveats").length).toBeGreaterThan(0);
  });

  test("the same name has the same handle in one bundle, and another one in the next", () => {
    const spaces = (bundle: JsonObject): readonly unknown[] => [
      ...new Set(items(bundle, "policies").map(({ namespace }) => namespace)),
    ];
    const [first, second] = [spaces(bundleOf()), spaces(bundleOf())];
    expect(first).toHaveLength(1);
    expect(first).not.toEqual(second);
  });

  test("counts objects whose status another writer resets, or says that it does not know", () => {
    const { evaluation } = cluster(objects, { definitions: builtInDefinitions() });
    const source = { evaluation, world: worldOf(evaluation), unread: [] };
    const route = { group: "gateway.networking.k8s.io", kind: "HTTPRoute" };
    expect(buildBundle(source, { ...facts, statusResets: [route, route] })["statusResets"]).toEqual([
      { ...route, count: 2 },
    ]);
    expect(buildBundle(source, { ...facts, statusResets: undefined })["statusResets"]).toBe("Events cannot be read");
  });

  test("is about a cluster", async () => {
    const { code, stderr } = await runCli("controller --support-bundle --kubeconfig /nonexistent");
    expect([code, stderr]).toEqual([64, expect.stringContaining("/nonexistent")]);
  });
});
