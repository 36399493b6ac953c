import { describe, expect, test } from "vitest";
import { ask, kindWith, routes, short, testPolicy } from "../../../../test/support/cluster/ask-how.ts";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import { policy } from "../../../../test/support/cluster/gateway-objects.ts";
import { policyKind } from "../../../../test/support/cluster/policy-kind.ts";
import { builtInDefinitions } from "../../../definitions/built-in-definitions.ts";
import { how } from "../../../index.ts";

describe("questions that have no answer", () => {
  for (const [name, target, settings, reason, message] of [
    ["an unknown setting", "httproute/r", { "retry.atempts": 1 }, "UnknownSetting", "did you mean 'retry.attempts'?"],
    [
      "the block in front",
      "httproute/r",
      { "overrides.retry.attempts": 1 },
      "UnknownSetting",
      "did you mean 'retry.attempts'?",
    ],
    ["a value of another type", "httproute/r", { "retry.attempts": "1" }, "InvalidValue", "a whole number"],
    ["a value out of bounds", "httproute/r", { "retry.attempts": -1 }, "InvalidValue", "at least 0"],
    ["a word that is not allowed", "httproute/r", { "retry.afterSend": "Maybe" }, "InvalidValue", "Never, Idempotent"],
    ["a path that cannot be read", "httproute/r", { "retry.": 1 }, "InvalidPath", "'retry.'"],
    ["two values", "httproute/r", { "retry.attempts": 1, "/retry/attempts": 2 }, "Contradiction", "twice"],
    [
      "a map and a part of it",
      "httproute/r",
      { retry: undefined, "retry.attempts": 2 },
      "Contradiction",
      "cannot both",
    ],
    [
      "a kind that takes effect elsewhere",
      "httproute/r",
      { "validation.hostname": "x.example" },
      "NoPath",
      "leads through",
    ],
  ] as const) {
    test(name, () => {
      const { problem, kinds } = ask(routes(), target, settings);
      expect(kinds).toEqual([]);
      expect(problem?.reason).toBe(reason);
      expect(problem?.message).toContain(message);
    });
  }

  test("a setting of a kind without a schema needs the kind", () => {
    const objects = [...routes(), testPolicy("house", "Gateway/g", { defaults: { other: 1 } })];
    const definitions = [kindWith("Field")];
    expect(ask(objects, "httproute/q", { size: 1 }, definitions).problem?.reason).toBe("UnknownSetting");
    const { evaluation } = cluster(objects, { definitions });
    const policyKind = { group: "example.com", kind: "TestPolicy" };
    const answer = how(evaluation, "httproute/q", [{ path: "size", value: 1 }], { policyKind });
    expect(answer?.kinds[0]?.changes.map(short)[0]).toBe("CreatePolicy q-size defaults +0");
  });

  test("a policy kind that is not known", () => {
    const { evaluation } = cluster(routes(), { definitions: builtInDefinitions() });
    const answer = how(evaluation, "httproute/q", [{ path: "retry.attempts", value: 1 }], {
      policyKind: { group: "prevail.dev", kind: "RetryPolcy" },
    });
    expect(answer?.problem?.message).toContain("did you mean 'RetryPolicy'?");
  });

  test("a name that no object or several objects have", () => {
    const { evaluation } = cluster(routes(), { definitions: builtInDefinitions() });
    expect(how(evaluation, "httproute/none", [{ path: "retry.attempts", value: 1 }])).toBeUndefined();
  });
});

test("several policy kinds with the setting: each has an answer, unless one is named", () => {
  const other = policyKind("OtherPolicy", {
    targets: ["HTTPRoute"],
    ends: ["HTTPRoute/Rule"],
    merge: { granularity: { default: "Field", field: "strategy", values: {} } },
  });
  const objects = [
    ...routes(),
    testPolicy("house", "Gateway/g", { defaults: { size: 1 } }),
    policy("OtherPolicy", "theirs", "HTTPRoute/q", { defaults: { size: 2 } }),
  ];
  const definitions = [kindWith("Field"), other];
  const { kinds } = ask(objects, "httproute/q", { size: 2 }, definitions);
  expect(kinds.map(({ policyKind: kind, state }) => [kind.kind, state])).toEqual([
    ["OtherPolicy", "AlreadySo"],
    ["TestPolicy", "Changes"],
  ]);
  const { evaluation } = cluster(objects, { definitions });
  const named = how(evaluation, "httproute/q", [{ path: "size", value: 3 }], {
    policyKind: { group: "example.com", kind: "OtherPolicy" },
  });
  expect(named?.kinds.map((kind) => kind.changes.map(short)[0])).toEqual(["ChangeValue theirs defaults +0"]);
});
