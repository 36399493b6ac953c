import { describe, expect, test } from "vitest";
import { gateway, listener, reference, route, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { compileDataplane, type RuleConfig } from "../../../dataplane.ts";
import { buildSnapshot, evaluate } from "../../../index.ts";
import type { JsonObject } from "../../model/json.ts";

const policy = (name: string, target: string, spec: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name, namespace: "default" },
  spec: { targetRefs: [reference(target)], ...spec },
});

/** The rules of each listener, by its name. */
function rulesOf(objects: readonly JsonObject[], kind = "HTTPRoute"): Readonly<Record<string, RuleConfig | undefined>> {
  const listeners = [listener("one"), listener("two", { port: 81 })];
  const all = [
    gateway("g", { listeners }),
    service("s"),
    service("t"),
    route("r", "Gateway/g", { kind, rules: [{ name: "rule", backends: ["s", "t"] }] }),
    ...objects,
  ];
  const evaluation = evaluate(buildSnapshot(all));
  const { gateways } = compileDataplane(evaluation, { endpointAnnotations: "Used" });
  const served = gateways.flatMap(({ ports }) => ports.flatMap((port) => port.listeners));
  return Object.fromEntries(served.map(({ name, virtualHosts }) => [name, virtualHosts[0]?.routes[0]?.rule]));
}

/** `s: 2 attempts after …` of each backend. */
const settingsOf = (rule: RuleConfig | undefined): readonly unknown[] =>
  rule?.action.type === "Forward"
    ? rule.action.backends.map(({ target }) =>
        target.type === "Backend"
          ? [target.backend.object.name, target.retry?.plan.attempts, target.backendRequestTimeoutMs]
          : target,
      )
    : [];

describe("the effective RetryPolicy, from this listener through this rule to this backend", () => {
  test("no policy, no retry, no limit", () => {
    const { one, two } = rulesOf([]);
    expect(settingsOf(one)).toEqual([
      ["s", undefined, undefined],
      ["t", undefined, undefined],
    ]);
    expect(one?.requestTimeoutMs).toBeUndefined();
    expect(one).toBe(two);
  });

  test("a policy on one listener", () => {
    const { one, two } = rulesOf([
      policy("p", "Gateway/g#one", { retry: { attempts: 3 }, timeouts: { request: "10s" } }),
    ]);
    expect(settingsOf(one)).toEqual([
      ["s", 3, undefined],
      ["t", 3, undefined],
    ]);
    expect(settingsOf(two)).toEqual([
      ["s", undefined, undefined],
      ["t", undefined, undefined],
    ]);
    expect([one?.requestTimeoutMs, two?.requestTimeoutMs]).toEqual([10_000, undefined]);
  });

  test("a policy on one backend, and one on a port", () => {
    const { one } = rulesOf([
      policy("p", "Gateway/g", { retry: { attempts: 3 } }),
      policy("q", "Service/s", { retry: { attempts: 1 }, timeouts: { backendRequest: "1s" } }),
      policy("x", "Service/t#http", { timeouts: { backendRequest: "2s" } }),
    ]);
    expect(settingsOf(one)).toEqual([
      ["s", 1, 1000],
      ["t", 3, 2000],
    ]);
  });

  test("an override from above takes effect over all; 0 attempts are no retry", () => {
    const { one } = rulesOf([
      policy("p", "Gateway/g", { overrides: { retry: { attempts: 0 } } }),
      policy("q", "Service/s", { retry: { attempts: 4 } }),
    ]);
    expect(settingsOf(one)).toEqual([
      ["s", undefined, undefined],
      ["t", undefined, undefined],
    ]);
  });

  test("defaults are filled in", () => {
    const { one } = rulesOf([policy("p", "HTTPRoute/r", { retry: { codes: [503], budget: {} } })]);
    const action = one?.action;
    expect(action?.type === "Forward" && action.backends[0]?.target).toMatchObject({
      retry: {
        plan: { codes: [503], attempts: 1, backoffMs: undefined, afterSend: "Idempotent" },
        maxBodyBytes: 65_536,
        budget: { percent: 20, intervalMs: 10_000, minRetryRate: { count: 10, intervalMs: 1000 } },
      },
    });
  });

  test("0s is no limit", () => {
    const { one } = rulesOf([policy("p", "HTTPRoute/r", { timeouts: { request: "0s", backendRequest: "0s" } })]);
    expect([one?.requestTimeoutMs, settingsOf(one)[0]]).toEqual([undefined, ["s", undefined, undefined]]);
  });

  test("of a GRPCRoute", () => {
    const { one } = rulesOf([policy("p", "GRPCRoute/r", { retry: { attempts: 2 } })], "GRPCRoute");
    expect(settingsOf(one)).toEqual([
      ["s", 2, undefined],
      ["t", 2, undefined],
    ]);
  });
});

describe("the rule's own retry and timeouts", () => {
  const objects = (definitions: "built in" | "none"): RuleConfig | undefined => {
    const own = { retry: { attempts: 2, codes: [500] }, timeouts: { request: "3s", backendRequest: "1s" } };
    const all = [gateway("g"), service("s"), route("r", "Gateway/g", { rules: [{ backends: ["s"], fields: own }] })];
    const snapshot = buildSnapshot(all);
    const evaluation = definitions === "none" ? evaluate(snapshot, { definitions: [] }) : evaluate(snapshot);
    const { gateways } = compileDataplane(evaluation, { endpointAnnotations: "Used" });
    return gateways[0]?.ports[0]?.listeners[0]?.virtualHosts[0]?.routes[0]?.rule;
  };

  test.each(["built in", "none"] as const)(
    "count without any policy, RetryPolicy known or not (definitions: %s)",
    (definitions) => {
      const rule = objects(definitions);
      expect(rule?.requestTimeoutMs).toBe(3000);
      expect(settingsOf(rule)).toEqual([["s", 2, 1000]]);
    },
  );
});
