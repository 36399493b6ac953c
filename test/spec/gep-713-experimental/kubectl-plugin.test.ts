/** GEP-713 experimental, "Kubectl Plugin" */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { policy, service } from "../../support/cluster/gateway-objects.ts";

describe("Kubectl Plugin", () => {
  const crd = (labels: JsonObject) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "plainpolicies.example.com", labels },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "PlainPolicy", plural: "plainpolicies" },
      versions: [{ name: "v1", served: true, storage: true }],
    },
  });
  const plain = policy("PlainPolicy", "p", "Service/s", { x: 1 });

  test("the label gateway.networking.k8s.io/policy: true on the CRD makes a policy kind", () => {
    const made = cluster([service("s"), crd({ "gateway.networking.k8s.io/policy": "true" }), plain]);
    expect(made.spec("Service/s")).toEqual({ x: 1 });
    expect(made.outcome("p")).toBe("Enforced");
    // Whatever rests on an inferred definition says so.
    expect(made.findings.some(({ message }) => message.includes("PlainPolicy"))).toBe(true);
  });

  test("without the label it is not a policy, and overrides nothing", () => {
    const made = cluster([service("s"), crd({}), plain]);
    expect(made.effective("PlainPolicy")).toEqual([]);
  });
});
