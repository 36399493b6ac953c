/** GEP-713 experimental, "Targeting External Services" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy } from "../../support/cluster/gateway-objects.ts";

describe("Targeting External Services", () => {
  const retries = (name: string, maxRetries: number, host: string, created: number) =>
    policy(
      "RetryPolicy",
      name,
      `ExternalService/${host}`,
      { default: { maxRetries } },
      { group: "networking.acme.io", created },
    );

  test("policies to requests to external services: a reference to a virtual resource type", () => {
    const made = cluster([retries("foo", 5, "foo.com", 0)], { definitions: ["external-retry-policy-default"] });
    expect(made.paths()).toEqual(["ExternalService/foo.com"]);
    expect(made.spec("ExternalService/foo.com")).toEqual({ maxRetries: 5 });
    expect(made.outcome("foo")).toBe("Enforced");
    expect(made.affectedBy("ExternalService/foo.com")).toEqual(["foo"]);
  });

  test("two policies on one external service are in conflict, on two they are not", () => {
    const made = cluster(
      [retries("newer", 1, "foo.com", 1), retries("older", 5, "foo.com", 0), retries("other", 9, "bar.com", 2)],
      { definitions: ["external-retry-policy-default"] },
    );
    expect(made.spec("ExternalService/foo.com")).toEqual({ maxRetries: 5 });
    expect(made.spec("ExternalService/bar.com")).toEqual({ maxRetries: 9 });
    expect(made.outcome("newer")).toBe("Overridden by older");
  });
});
