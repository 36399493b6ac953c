import { expect, test } from "vitest";
import { cluster } from "../../../test/support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../../../test/support/cluster/gateway-objects.ts";
import { admissionSamples } from "../../core/admit.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { warmUp } from "./warm-up.ts";

const retry = (name: string, target: string): JsonObject =>
  policy("RetryPolicy", name, target, { overrides: { retry: { attempts: 5 } } }, { group: "prevail.dev" });

const evaluationOf = (...policies: readonly JsonObject[]) =>
  cluster(
    [
      gatewayClass("class", "prevail.dev/gateway-controller"),
      gateway("g"),
      ...["r1", "r2", "r3"].map((name) => routeTo(name, "Gateway/g", "s")),
      service("s"),
      ...policies,
    ],
    { definitions: builtInDefinitions(), completeness: "Complete" },
  ).evaluation;

const nameOf = (object: JsonObject): unknown => (object["metadata"] as JsonObject)["name"];

test("samples: those with the most paths first, then others", () => {
  const evaluation = evaluationOf(
    retry("gate", "Gateway/g"),
    ...["r1", "r2", "r3"].map((route) => retry(`of-${route}`, `HTTPRoute/${route}`)),
    retry("nowhere", "HTTPRoute/absent"),
  );
  expect(admissionSamples(evaluation, 2).map(nameOf)).toEqual(["gate", "of-r1"]);
  expect(admissionSamples(evaluation, 4).map(nameOf)).toEqual(["gate", "of-r1", "of-r2", "of-r3"]);
});

test("the evaluation stays as it is, with policies and without", () => {
  for (const evaluation of [evaluationOf(), evaluationOf(retry("gate", "Gateway/g"))]) {
    const before = admissionSamples(evaluation, 9);
    warmUp({ evaluation, unread: [] });
    expect(admissionSamples(evaluation, 9)).toEqual(before);
  }
});
