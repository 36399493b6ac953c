import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { kubeObject } from "../../test/support/cluster/kube-objects.ts";
import { formatLevel } from "../core/model/levels.ts";
import { parsePolicy } from "../core/model/parse/policy/parse-policy.ts";
import { policyReader } from "../core/model/parse/policy/policy-reader.ts";
import { builtInDefinitions } from "./built-in-definitions.ts";

const definitionOf = (kind: string) => {
  const found = builtInDefinitions().find((definition) => definition.policies.some((policy) => policy.kind === kind));
  if (found === undefined) throw new Error(`no definition of ${kind}`);
  return found;
};

test("every built-in definition parses, once", () => {
  expect(builtInDefinitions().map(({ name }) => name)).toEqual([
    "backendtlspolicies.gateway.networking.k8s.io",
    "retrypolicies.prevail.dev",
    "xbackendtrafficpolicies.gateway.networking.x-k8s.io",
  ]);
  expect(builtInDefinitions()).toBe(builtInDefinitions());
});

test("gen/built-in-documents.ts regenerates to the same bytes", () => {
  const script = fileURLToPath(new URL("../../scripts/generate-definitions.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

const targets = (kind: string) =>
  definitionOf(kind)
    .targeting.kinds.filter(({ policies }) => policies.length === 0 || policies.includes(kind))
    .map((target) => [target.kind, ...target.sections].join("+"));

describe("what each kind may attach to", () => {
  for (const [kind, expected] of [
    [
      "RetryPolicy",
      ["Namespace", "Gateway+Listener", "ListenerSet+Listener", "HTTPRoute+Rule", "GRPCRoute+Rule", "Service+Port"],
    ],
    ["ClusterRetryPolicy", ["GatewayClass", "Namespace"]],
    ["BackendTLSPolicy", ["Service+Port"]],
    ["XBackendTrafficPolicy", ["Service"]],
  ] as const) {
    test(kind, () => {
      expect(targets(kind)).toEqual(expected);
    });
  }
});

describe("RetryPolicy", () => {
  const retry = definitionOf("RetryPolicy");

  test("is merged field by field and takes effect on the backends of a rule", () => {
    expect(retry.merge).toMatchObject({
      none: false,
      granularity: { default: "Field" },
      bare: "AtomicDefaults",
      blocks: "Combined",
      sameTarget: "Established",
      empty: "GivesWay",
    });
    expect(retry.hierarchy.effectiveTargets.map(formatLevel)).toEqual([
      "ServicePort",
      "Service",
      "HTTPRouteRule",
      "GRPCRouteRule",
    ]);
  });

  test("maps onto HTTPRoute.spec.rules[].retry and .timeouts", () => {
    expect(retry.mapsTo.map(({ from, to }) => [from, formatLevel(to.level), to.path])).toEqual([
      ["retry", "HTTPRouteRule", "retry"],
      ["timeouts", "HTTPRouteRule", "timeouts"],
    ]);
  });

  test("a list is one value, a struct is not", () => {
    const object = kubeObject({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "RetryPolicy",
      metadata: { name: "p", namespace: "baker" },
      spec: {
        targetRefs: [{ kind: "Namespace", name: "baker" }],
        overrides: {
          retry: { codes: [502, 503], budget: { minRetryRate: { count: 10 } } },
          timeouts: { request: "10s" },
        },
      },
    });
    const { policy, findings } = parsePolicy(object, policyReader(retry));
    expect(findings).toEqual([]);
    expect(policy?.blocks[0]?.units.map(({ pointer }) => pointer)).toEqual([
      "/retry/codes",
      "/retry/budget/minRetryRate/count",
      "/timeouts/request",
    ]);
  });
});
