import { describe, expect, test } from "vitest";
import { cluster } from "../../../../test/support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../../definitions/built-in-definitions.ts";
import { optionsOf, worldOf } from "../../evaluation.ts";
import type { JsonObject } from "../../model/json.ts";
import { coverageStatuses } from "./coverage-status.ts";

const rule = (spec: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "CoverageRule",
  metadata: { name: "rule", generation: 4 },
  spec: {
    targets: { levels: ["HTTPRoute"] },
    policyKind: "RetryPolicy",
    condition: "has(spec.retry.attempts)",
    ...spec,
  },
});
const retry = policy("RetryPolicy", "p", "HTTPRoute/r1", { retry: { attempts: 5 } }, { group: "prevail.dev" });
const gateways = [gatewayClass("class", "prevail.dev/gateway-controller"), gateway("g")];
const routes = [routeTo("r1", "Gateway/g", "s"), routeTo("r2", "Gateway/g", "s"), service("s")];

function statusOf(...objects: readonly JsonObject[]): string {
  const { evaluation } = cluster(objects, { definitions: builtInDefinitions() });
  const [status] = coverageStatuses(worldOf(evaluation), optionsOf(evaluation).evaluateCondition);
  const conditions = (status?.conditions ?? []).map((one) => `${one.type}=${one.status}/${one.reason}: ${one.message}`);
  const { targets, uncovered, unknown } = status?.fields ?? {};
  return [
    `${JSON.stringify(uncovered)} of ${JSON.stringify(targets)}, ${JSON.stringify(unknown)} unknown`,
    ...conditions,
  ].join("\n");
}

describe("the status of a CoverageRule", () => {
  test.each([
    [
      "some targets do not meet it",
      [...gateways, ...routes, retry, rule({})],
      "1 of 2, 0 unknown\nAccepted=True/Accepted: the rule is used\nCovered=False/NotCovered: 1 of 2 targets do not meet the rule: HTTPRoute default/r2",
    ],
    [
      "all meet it",
      [...gateways, ...routes, retry, rule({ condition: "true" })],
      "0 of 2, 0 unknown\nAccepted=True/Accepted: the rule is used\nCovered=True/Covered: all 2 targets meet the rule",
    ],
    [
      "it has no targets",
      [...gateways, rule({})],
      "0 of 0, 0 unknown\nAccepted=True/Accepted: the rule is used\nCovered=True/NoTargets: the rule has no targets",
    ],
    [
      "a Gateway could not be read",
      [...routes, retry, rule({})],
      "0 of 2, 2 unknown\nAccepted=True/Accepted: the rule is used\nCovered=Unknown/Incomplete: the rule cannot be checked at HTTPRoute default/r1 and HTTPRoute default/r2: Gateway default/g could not be read or does not exist",
    ],
    [
      "a level that the kind never comes to",
      [...gateways, ...routes, rule({ policyKind: "BackendTLSPolicy" })],
      "0 of 0, 0 unknown\nAccepted=False/Invalid: HTTPRoute is on no path of BackendTLSPolicy",
    ],
  ])("%s", (_, objects, expected) => {
    expect(statusOf(...objects)).toBe(expected);
  });

  test.each([
    [
      "a mistake",
      { policyKind: "RetryPolcy" },
      /^0 of 0, 0 unknown\nAccepted=False\/Invalid: .*did you mean 'RetryPolicy'/,
    ],
    [
      "a condition with an error",
      { condition: "spec.retry >" },
      /Accepted=False\/Invalid: the condition cannot be evaluated/,
    ],
  ])("%s: it is not used", (_, spec, expected) => {
    expect(statusOf(...gateways, ...routes, rule(spec))).toMatch(expected);
  });

  test("it is about a generation", () => {
    const { evaluation } = cluster([...gateways, ...routes, rule({})], { definitions: builtInDefinitions() });
    const [status] = coverageStatuses(worldOf(evaluation), optionsOf(evaluation).evaluateCondition);
    expect(status?.conditions.map(({ observedGeneration }) => observedGeneration)).toEqual([4, 4]);
  });
});
