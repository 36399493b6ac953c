/** Policy attachment reference, "Policy Attachment for Ingress" */
import { describe, expect, test } from "vitest";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, listener, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { acme } from "./acme-policies.ts";

describe("Policy Attachment for Ingress", () => {
  test("each policy applies to the referenced resource and everything below it, across namespaces", () => {
    const open = [listener("http", { from: "All" })];
    const made = cluster(
      [
        gateway("shared", { namespace: "infra", listeners: open }),
        route("one", "Gateway/infra/shared", { namespace: "a", rules: [{ backends: ["s"] }] }),
        route("two", "Gateway/infra/shared", { namespace: "b", rules: [{ backends: ["s"] }] }),
        service("s", { namespace: "a" }),
        service("s", { namespace: "b" }),
        policy(
          "AcmeServicePolicy",
          "all",
          "Gateway/shared",
          { default: { x: "all", y: "all" } },
          { namespace: "infra" },
        ),
        policy("AcmeServicePolicy", "mine", "HTTPRoute/two", { default: { x: "mine" } }, { namespace: "b" }),
      ],
      { definitions: [acme] },
    );
    expect(made.spec("HTTPRoute/a/one > Service/a/s")).toEqual({ x: "all", y: "all" });
    expect(made.spec("HTTPRoute/b/two > Service/b/s")).toEqual({ x: "mine", y: "all" });
  });
});
