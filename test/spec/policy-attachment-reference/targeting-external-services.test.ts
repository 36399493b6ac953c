/** Policy attachment reference, "Targeting External Services" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy } from "../../support/cluster/gateway-objects.ts";

describe("Targeting External Services", () => {
  test("a reference to a virtual resource type; without defaults or overrides it is a Direct Attached Policy", () => {
    const foo = policy(
      "RetryPolicy",
      "foo",
      { group: "networking.example.net", kind: "ExternalService", name: "foo.com" },
      { maxRetries: 5 },
      { group: "networking.example.net" },
    );
    const made = cluster([foo], { definitions: ["external-retry-policy"] });
    expect(made.outcome("foo")).toBe("Enforced");
    expect(made.effective().map(({ path, spec }) => [path.map(({ kind, name }) => `${kind}/${name}`), spec])).toEqual([
      [["ExternalService/foo.com"], { maxRetries: 5 }],
    ]);
  });
});
