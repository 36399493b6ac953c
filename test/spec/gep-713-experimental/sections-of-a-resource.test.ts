/** GEP-713 experimental, "Apply Policies to Sections of a Resource" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, reference, route } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { field } from "./inherited-policies.ts";

describe("Apply Policies to Sections of a Resource", () => {
  const definition = policyKind("RetryPolicy", {
    group: "networking.acme.io",
    targets: ["Gateway/Listener", "HTTPRoute/Rule", "Service/Port"],
    ends: ["HTTPRoute/Rule"],
    merge: { granularity: field },
  });
  const foo = route("foo", "Gateway/g", { hostnames: ["foo.com"], rules: [{ name: "bar" }, { name: "baz" }] });
  const retries = (name: string, on: string, maxRetries: number) =>
    policy("RetryPolicy", name, reference(on), { maxRetries }, { group: "networking.acme.io" });

  test("xRoute.Rules.Name: the policy takes effect on that rule only", () => {
    const made = cluster([gateway("g"), foo, retries("foo", "HTTPRoute/foo#bar", 5)], { definitions: [definition] });
    expect(made.spec("HTTPRoute/foo#bar")).toEqual({ maxRetries: 5 });
    expect(made.spec("HTTPRoute/foo#baz")).toEqual({});
    expect(made.affectedBy("HTTPRoute/foo#bar")).toEqual(["foo"]);
    expect(made.affectedBy("HTTPRoute/foo#baz")).toEqual([]);
  });

  test("Gateway.Listeners.Name: the policy takes effect on traffic of that listener only", () => {
    const two = gateway("g", {
      listeners: [
        { name: "plain", port: 80, protocol: "HTTP" },
        { name: "other", port: 81, protocol: "HTTP" },
      ],
    });
    const made = cluster([two, foo, retries("foo", "Gateway/g#plain", 5)], { definitions: [definition] });
    expect(made.spec("Gateway/g#plain > HTTPRoute/foo#bar")).toEqual({ maxRetries: 5 });
    expect(made.spec("Gateway/g#other > HTTPRoute/foo#bar")).toEqual({});
  });

  test("when unspecified, this targets the entire resource, and a section is more specific", () => {
    const made = cluster(
      [gateway("g"), foo, retries("whole", "HTTPRoute/foo", 1), retries("part", "HTTPRoute/foo#bar", 2)],
      {
        definitions: [definition],
      },
    );
    expect(made.spec("HTTPRoute/foo#bar")).toEqual({ maxRetries: 2 });
    expect(made.spec("HTTPRoute/foo#baz")).toEqual({ maxRetries: 1 });
    expect(made.outcome("whole")).toBe("PartiallyEnforced by part");
  });
});
