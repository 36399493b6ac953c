import { expect, test } from "vitest";
import { builtInDefinitions } from "../../src/index.ts";
import { cluster } from "../support/cluster/cluster.ts";
import { gateway, gatewayClass, policy, routeTo, service } from "../support/cluster/gateway-objects.ts";

test("an override on the Gateway takes effect over a default on the route", () => {
  const retry = (name: string, target: string, block: "defaults" | "overrides", attempts: number) =>
    policy("RetryPolicy", name, target, { [block]: { retry: { attempts } } }, { group: "prevail.dev" });
  const policies = [retry("house", "Gateway/g", "overrides", 5), retry("ana", "HTTPRoute/r", "defaults", 1)];
  const gateways = [gatewayClass("class", "prevail.dev/gateway"), gateway("g")];
  const objects = [...gateways, routeTo("r", "Gateway/g", "s"), service("s"), ...policies];
  const { effective, outcome } = cluster(objects, { definitions: builtInDefinitions() });
  expect(effective("RetryPolicy").map(({ spec }) => spec)).toEqual([{ retry: { attempts: 5 } }]);
  expect(outcome("ana")).toBe("Overridden by house");
});
