/** Policy attachment reference, "Policy Attachment for Mesh" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { inherited } from "./acme-policies.ts";

describe("Policy Attachment for Mesh", () => {
  test("policy can be applied in any namespace but only to requests from the same namespace if the target is in another", () => {
    const mesh = policyKind("MeshPolicy", {
      targets: ["Service"],
      ends: ["Service"],
      targeting: { refs: "One", crossNamespace: "Consumer" },
      merge: inherited,
    });
    const made = cluster(
      [
        service("foo", { namespace: "prod" }),
        service("foo-a", { namespace: "prod" }),
        route("split", "Service/foo", { namespace: "prod", rules: [{ backends: ["foo-a"] }] }),
        policy("MeshPolicy", "own", "Service/foo", { default: { x: "own" } }, { namespace: "prod" }),
        policy("MeshPolicy", "away", "Service/prod/foo", { override: { x: "away" } }, { namespace: "client" }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec("Service/prod/foo-a", { from: "client" })).toEqual({ x: "away" });
    expect(made.spec("Service/prod/foo-a", { from: "others" })).toEqual({ x: "own" });
    expect(made.conditions("client/away")).toEqual(["Service/prod/foo: Accepted=True/Accepted Enforced=True/Enforced"]);
  });
});
