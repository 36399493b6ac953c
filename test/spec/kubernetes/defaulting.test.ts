/** Kubernetes, "Defaulting" */
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { builtInDefinitions } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, routeTo, service } from "../../support/cluster/gateway-objects.ts";

const withRetry = (retry: JsonObject | undefined) => {
  const plain = routeTo("r", "Gateway/g", "s");
  const spec = plain["spec"] as JsonObject;
  const [rule] = spec["rules"] as readonly JsonObject[];
  const own = { ...plain, spec: { ...spec, rules: [{ ...rule, ...(retry === undefined ? {} : { retry }) }] } };
  const house = { defaults: { retry: { attempts: 3, backoff: "1s" } } };
  const policies = [policy("RetryPolicy", "house", "Gateway/g", house, { group: "prevail.dev" })];
  return cluster([gateway("g"), own, service("s"), ...policies], { definitions: builtInDefinitions() });
};

test.each<[string, JsonObject | undefined, JsonObject]>([
  [
    "the CRD gives attempts where the route has a stanza",
    { codes: [503] },
    { attempts: 1, codes: [503], backoff: "1s" },
  ],
  ["also where it is empty", {}, { attempts: 1, backoff: "1s" }],
  ["not where the route says otherwise", { attempts: 2 }, { attempts: 2, backoff: "1s" }],
  ["nor where there is no stanza", undefined, { attempts: 3, backoff: "1s" }],
])("a file gives the same answer as a cluster: %s", (_, retry, expected) => {
  expect(withRetry(retry).spec("Gateway/g > HTTPRoute/r")).toEqual({ retry: expected });
});

test("such a value is the object's own", () => {
  expect(withRetry({ codes: [503] }).source("Gateway/g > HTTPRoute/r", "/retry/attempts").held).toMatch(/HTTPRoute.*r/);
});
