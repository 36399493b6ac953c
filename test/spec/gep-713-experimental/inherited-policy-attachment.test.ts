/** GEP-713 experimental, "Inherited Policy Attachment: It's all about the defaults and overrides" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, routeTo } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { inherited } from "./inherited-policies.ts";

describe("Inherited Policy Attachment: It's all about the defaults and overrides", () => {
  const levels = policyKind("FieldsPolicy", {
    targets: ["Gateway", "HTTPRoute"],
    ends: ["HTTPRoute"],
    merge: { ...inherited, atomicPaths: ["annotations"] },
  });
  const at = (gatewaySpec: JsonObject, routeSpec: JsonObject) =>
    cluster(
      [
        gateway("g"),
        routeTo("r", "Gateway/g"),
        policy("FieldsPolicy", "gp", "Gateway/g", gatewaySpec),
        policy("FieldsPolicy", "rp", "HTTPRoute/r", routeSpec),
      ],
      { definitions: [levels] },
    ).spec("Gateway/g > HTTPRoute/r");

  for (const [rule, gatewaySpec, routeSpec, expected] of [
    ["the set of all distinct fields", { defaults: { a: 1 } }, { overrides: { b: 2 } }, { a: 1, b: 2 }],
    ["overrides win over the same setting in defaults", { overrides: { a: 1 } }, { defaults: { a: 2 } }, { a: 1 }],
    ["overrides: less specific beats more specific", { overrides: { a: 1 } }, { overrides: { a: 2 } }, { a: 1 }],
    ["defaults: more specific beats less specific", { defaults: { a: 1 } }, { defaults: { a: 2 } }, { a: 2 }],
    [
      "an object's fields are replaced one by one",
      { overrides: { o: { a: 1 } } },
      { defaults: { o: { a: 2, b: 2 } } },
      { o: { a: 1, b: 2 } },
    ],
    [
      "a list is entirely replaced, not merged",
      { overrides: { list: [1] } },
      { defaults: { list: [2, 3] } },
      { list: [1] },
    ],
    [
      "a map of annotations is entirely replaced",
      { overrides: { annotations: { a: "1" } } },
      { defaults: { annotations: { b: "2" } } },
      { annotations: { a: "1" } },
    ],
  ] as const) {
    test(rule, () => {
      expect(at(gatewaySpec, routeSpec)).toEqual(expected);
    });
  }
});
