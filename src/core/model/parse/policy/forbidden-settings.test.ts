import { describe, expect, test } from "vitest";
import { kubeObject } from "../../../../../test/support/cluster/kube-objects.ts";
import { buildSnapshot, builtInDefinitions, evaluate, verdicts } from "../../../../index.ts";
import type { JsonObject } from "../../json.ts";
import { parseDefinition } from "../definition/parse-definition.ts";

const service = { group: "", kind: "Service", name: "s" };
const route = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "r" };

function verdictOf(spec: JsonObject): string {
  const object = (apiVersion: string, kind: string, name: string, own: JsonObject): JsonObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace: "a" },
    spec: own,
  });
  const objects = [
    object("v1", "Service", "s", { ports: [{ port: 80 }] }),
    object("gateway.networking.k8s.io/v1", "HTTPRoute", "r", { rules: [{ backendRefs: [{ name: "s", port: 80 }] }] }),
    object("prevail.dev/v1alpha1", "RetryPolicy", "p", spec),
  ];
  const evaluation = evaluate(buildSnapshot(objects), {
    definitions: builtInDefinitions(),
  });
  const [found] = verdicts(evaluation);
  const verdict = found?.verdict;
  return verdict?.state === "NotAccepted" ? `${verdict.reason}: ${verdict.message}` : (verdict?.state ?? "none");
}

describe("timeouts.request in a RetryPolicy on a Service is Invalid", () => {
  const because =
    "a policy on a Service (spec.targetRefs[0]) cannot set timeouts.request: the timeout of a request starts before a backend is selected. Remove it, or set it in a policy with another target.";

  test.each<[string, JsonObject, string]>([
    ["bare", { timeouts: { request: "5s" } }, 'spec.timeouts.request is "5s"'],
    ["as a default", { defaults: { timeouts: { request: "5s" } } }, 'spec.defaults.timeouts.request is "5s"'],
    ["in the other spelling", { default: { timeouts: { request: "5s" } } }, 'spec.default.timeouts.request is "5s"'],
    ["as an override", { overrides: { timeouts: { request: "0s" } } }, 'spec.overrides.timeouts.request is "0s"'],
    ["removed", { remove: ["timeouts.request"], retry: { attempts: 1 } }, "spec.remove removes timeouts.request"],
    [
      "removed with what it is in",
      { defaults: { remove: ["timeouts"], retry: { attempts: 1 } } },
      "spec.defaults.remove removes timeouts.request",
    ],
  ])("%s", (_, settings, expected) => {
    const message = verdictOf({ targetRefs: [service], ...settings });
    expect(message.startsWith("Invalid: ")).toBe(true);
    expect(message).toContain(`${expected}; ${because}`);
  });

  test("also for one port, for a selector, and beside other targets", () => {
    const timeouts = { request: "5s" };
    expect(verdictOf({ targetRefs: [{ ...service, sectionName: "web" }], timeouts })).toMatch(/^Invalid: /);
    expect(verdictOf({ targetSelectors: [{ group: "", kind: "Service", matchLabels: { a: "b" } }], timeouts })).toMatch(
      /^Invalid: /,
    );
    expect(verdictOf({ targetRefs: [route, service], timeouts })).toContain("(spec.targetRefs[1])");
  });

  test.each<[string, JsonObject]>([
    ["another setting", { targetRefs: [service], timeouts: { backendRequest: "5s" } }],
    ["another target", { targetRefs: [route], timeouts: { request: "5s" } }],
  ])("but not %s", (_, spec) => {
    expect(verdictOf(spec)).toBe("Accepted");
  });
});

test("a definition must say the path", () => {
  const kinds = [{ kind: "Service", forbids: [{ path: "a..b" }] }];
  const parsed = parseDefinition(
    kubeObject({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "a.example.com" },
      spec: { policies: [{ group: "example.com", kind: "A" }], class: "Direct", targeting: { kinds } },
    }),
  );
  expect(JSON.stringify(parsed)).toContain(
    'spec.targeting.kinds[0].forbids[0].path is \\"a..b\\"; allowed: a dotted path',
  );
});
