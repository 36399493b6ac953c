/** A policy of a kind that no PolicyDefinition describes is reported. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { caveatsFor } from "../../../src/index.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, routeTo, service } from "../../support/cluster/gateway-objects.ts";

describe("A policy of a kind that no PolicyDefinition describes is reported", () => {
  const open = { "x-kubernetes-preserve-unknown-fields": true };
  const crd = (name: string, label: string | undefined, color: JsonObject = { type: "string" }) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name, ...(label === undefined ? {} : { labels: { "gateway.networking.k8s.io/policy": label } }) },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "LocalPolicy", plural: name.split(".")[0] ?? "" },
      versions: [
        {
          name: "v1",
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { color, targetRef: open, targetRefs: open } } },
            },
          },
        },
      ],
    },
  });
  const aimed = policy("LocalPolicy", "p", "Gateway/g", { color: "red" });
  const selecting = {
    ...aimed,
    spec: { targetSelectors: [{ group: "gateway.networking.k8s.io", kind: "Gateway", matchLabels: { a: "b" } }] },
  };
  const unknown = (...objects: readonly unknown[]) =>
    cluster(objects)
      .findingsOn("p")
      .filter(({ code }) => code === "UnknownPolicyKind")
      .map(({ message }) => message.replace(/^.*Add/, "Add"));
  const addCrd = "Add a PolicyDefinition, or its CRD with the label gateway.networking.k8s.io/policy";
  const addLabel =
    "Add a PolicyDefinition, or give its CRD the label gateway.networking.k8s.io/policy (Direct or Inherited)";

  test.each([
    ["nothing at all", [aimed], [addCrd]],
    ["nothing, and it only selects", [selecting], [addCrd]],
    ["a CRD without the label", [aimed, crd("localpolicies.example.com", undefined)], [addLabel]],
    ["a CRD whose label says something else", [aimed, crd("localpolicies.example.com", "yes")], [addLabel]],
    ["a CRD with the label", [aimed, crd("localpolicies.example.com", "Inherited")], []],
  ])("%s", (_, objects, expected) => {
    expect(unknown(...objects)).toEqual(expected);
  });

  test("the label alone: a policy on a Service takes effect, and whatever rests on it says that it is inferred", () => {
    const bare = crd("localpolicies.example.com", "Inherited");
    const label = { ...bare, spec: { ...bare.spec, versions: [{ name: "v1", storage: true, schema: {} }] } };
    const made = cluster([
      gateway("g"),
      routeTo("r", "Gateway/g", "s"),
      service("s"),
      policy("LocalPolicy", "p", "Service/s", { color: "red" }),
      label,
    ]);
    expect(made.outcome("p")).toBe("Enforced");
    expect(made.spec("Service/s")).toEqual({ color: "red" });
    expect(caveatsFor(made.evaluation, { about: "Input" }).map(({ code }) => code)).toEqual(["InferredDefinition"]);
  });

  test("of two CRDs for one kind the first by name counts, whatever the order, and the other is reported", () => {
    const first = crd("a.example.com", "Inherited", { type: "string" });
    const second = crd("b.example.com", "Direct", { type: "integer" });
    for (const objects of [
      [first, second],
      [second, first],
    ]) {
      const made = cluster([gateway("g"), routeTo("r", "Gateway/g"), aimed, ...objects]);
      expect(made.outcome("p")).toBe("Enforced");
      expect(made.paths("LocalPolicy")).toHaveLength(1);
      expect(made.findings.filter(({ code }) => code === "CrdClash")).toEqual([
        expect.objectContaining({
          object: "CustomResourceDefinition.apiextensions.k8s.io//b.example.com",
          field: "spec.names.kind",
          message:
            "CustomResourceDefinition a.example.com already describes LocalPolicy (example.com); this one is not used. Remove one of them",
        }),
      ]);
    }
  });
});
