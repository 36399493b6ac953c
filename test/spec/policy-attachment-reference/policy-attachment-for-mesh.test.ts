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

  describe("simple: a consumer's TimeoutPolicy on a Service of another namespace, without any route", () => {
    const foo = service("foo", { namespace: "producer" });
    const timeout = (name: string, namespace: string, created: number) =>
      policy("TimeoutPolicy", name, "Service/producer/foo", { timeout: name }, { namespace, created });
    const kind = (sketch: Partial<Parameters<typeof policyKind>[1]>) =>
      policyKind("TimeoutPolicy", {
        targets: ["Service"],
        ends: ["Service"],
        targeting: { refs: "One", crossNamespace: "Consumer" },
        ...sketch,
      });
    const kinds = [
      ["Inherited", kind({})],
      ["Inherited, None", kind({ merge: { none: true } })],
      ["Direct", kind({ class: "Direct" })],
    ] as const;

    test.each(kinds)("%s: it takes effect on the requests of its own namespace", (_, definition) => {
      const made = cluster([foo, timeout("consumer", "consumer", 0)], { definitions: [definition] });
      expect(made.chains()).toEqual(["Service/producer/foo (from consumer)"]);
      expect(made.spec("Service/producer/foo", { from: "consumer" })).toEqual({ timeout: "consumer" });
      expect(made.outcome("consumer/consumer")).toBe("Enforced");
      expect(made.conditions("consumer/consumer")).toEqual([
        "Service/producer/foo: Accepted=True/Accepted Enforced=True/Enforced",
      ]);
      expect(made.affectedBy("Service/producer/foo")).toEqual(["consumer/consumer"]);
    });

    test.each(kinds)("%s: a producer's policy takes effect on the requests of all others", (_, definition) => {
      const made = cluster([foo, timeout("consumer", "consumer", 0), timeout("producer", "producer", 1)], {
        definitions: [definition],
      });
      expect(made.spec("Service/producer/foo", { from: "others" })).toEqual({ timeout: "producer" });
    });

    test.each(kinds.slice(1))("%s: the older policy of a consumer replaces the producer's", (_, definition) => {
      const made = cluster([foo, timeout("consumer", "consumer", 0), timeout("producer", "producer", 1)], {
        definitions: [definition],
      });
      expect(made.spec("Service/producer/foo", { from: "consumer" })).toEqual({ timeout: "consumer" });
      expect(made.outcome("consumer/consumer")).toBe("Enforced");
      // It takes effect on some requests and not on others.
      expect(made.outcome("producer/producer")).toBe("PartiallyEnforced by consumer/consumer");
      expect(made.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    });

    test.each(kinds.slice(1))("%s: a newer policy of a consumer is Conflicted", (_, definition) => {
      const made = cluster([foo, timeout("consumer", "consumer", 2), timeout("producer", "producer", 1)], {
        definitions: [definition],
      });
      for (const from of ["consumer", "others"])
        expect(made.spec("Service/producer/foo", { from })).toEqual({ timeout: "producer" });
      expect(made.outcome("producer/producer")).toBe("Enforced");
      expect(made.outcome("consumer/consumer")).toBe("Conflicted by producer/producer");
    });

    test("a kind that is not about a mesh has no such path", () => {
      const ingress = kind({ targeting: { crossNamespace: "Forbidden" } });
      const own = policy("TimeoutPolicy", "own", "Service/foo", { timeout: 1 }, { namespace: "producer" });
      expect(cluster([foo, own], { definitions: [ingress] }).chains()).toEqual([]);
      const mesh = kind({ targeting: { crossNamespace: "Forbidden" }, mesh: true });
      expect(cluster([foo, own], { definitions: [mesh] }).chains()).toEqual(["Service/producer/foo (from others)"]);
    });

    test("requests that a route carries do not go to the Service itself", () => {
      const [[, definition]] = kinds;
      const backend = service("foo-a", { namespace: "producer" });
      const own = timeout("producer", "producer", 0);
      const byProducer = route("split", "Service/foo", { namespace: "producer", rules: [{ backends: ["foo-a"] }] });
      expect(cluster([foo, backend, own, byProducer], { definitions: [definition] }).chains()).toEqual([
        "Service/producer/foo > HTTPRoute/producer/split > Service/producer/foo-a (from others)",
      ]);
      const byConsumer = route("mine", "Service/producer/foo", {
        namespace: "consumer",
        rules: [{ backends: ["Service/producer/foo-a"] }],
      });
      expect(
        cluster([foo, backend, own, byConsumer, timeout("consumer", "consumer", 1)], { definitions: [definition] })
          .chains()
          .toSorted(),
      ).toEqual([
        "Service/producer/foo (from others)",
        "Service/producer/foo > HTTPRoute/consumer/mine > Service/producer/foo-a (from consumer)",
      ]);
    });
  });

  describe("the hierarchy: consumer Namespace, consumer route, Namespace of the backend, backend", () => {
    const mesh = policyKind("MeshPolicy", {
      targets: ["Namespace", "Service", "HTTPRoute"],
      ends: ["Service"],
      namespacesAbove: ["HTTPRoute", "Service"],
      targeting: { refs: "One", crossNamespace: "Consumer" },
      merge: inherited,
    });
    const on = (name: string, namespace: string, target: string) =>
      policy("MeshPolicy", name, target, { override: { x: name } }, { namespace });
    const objects = [service("foo", { namespace: "prod" }), service("foo-a", { namespace: "prod" })];
    const intercept = route("intercept", "Service/prod/foo", {
      namespace: "client",
      rules: [{ backends: ["Service/prod/foo-a"] }],
    });

    test("with a consumer's route", () => {
      const policies = [
        on("consumer-namespace", "client", "Namespace/client"),
        on("consumer-route", "client", "HTTPRoute/intercept"),
        on("backend-namespace", "prod", "Namespace/prod"),
        on("backend", "prod", "Service/foo-a"),
      ];
      for (const at of policies.keys()) {
        const made = cluster([...objects, intercept, ...policies.slice(at)], { definitions: [mesh] });
        expect(made.spec("Service/prod/foo > Service/prod/foo-a", { from: "client" })).toEqual({
          x: policies[at]?.["metadata"] && (policies[at]["metadata"] as { name: string }).name,
        });
      }
      const [path] = cluster([...objects, intercept, ...policies], { definitions: [mesh] })
        .paths()
        .filter((one) => one.includes("intercept"));
      expect(path).toBe(
        "Namespace/client > Service/prod/foo > HTTPRoute/client/intercept > HTTPRoute/client/intercept#rule-1 > Namespace/prod > Service/prod/foo-a (from client)",
      );
    });

    test("without a route: a policy on a consumer Namespace takes effect where one of its policies targets the Service", () => {
      const made = cluster(
        [
          ...objects,
          on("consumer-namespace", "client", "Namespace/client"),
          on("backend-namespace", "prod", "Namespace/prod"),
          policy("MeshPolicy", "on-foo", "Service/prod/foo", { default: { y: 1 } }, { namespace: "client" }),
        ],
        { definitions: [mesh] },
      );
      expect(made.paths().filter((path) => path.includes("client"))).toEqual([
        "Namespace/client > Namespace/prod > Service/prod/foo (from client)",
      ]);
      expect(made.spec("Service/prod/foo", { from: "client" })).toEqual({ x: "consumer-namespace", y: 1 });
      expect(made.spec("Service/prod/foo", { from: "others" })).toEqual({ x: "backend-namespace" });
      expect(made.spec("Service/prod/foo-a", { from: "others" })).toEqual({ x: "backend-namespace" });
    });

    test("split off further down: the consumer Namespace is still the highest level", () => {
      const made = cluster(
        [
          ...objects,
          route("split", "Service/foo", { namespace: "prod", rules: [{ backends: ["foo-a"] }] }),
          on("consumer-namespace", "client", "Namespace/client"),
          on("producer-route", "prod", "HTTPRoute/split"),
          policy("MeshPolicy", "on-foo-a", "Service/prod/foo-a", { default: { y: 1 } }, { namespace: "client" }),
        ],
        { definitions: [mesh] },
      );
      expect(made.spec("HTTPRoute/prod/split", { from: "client" })).toEqual({ x: "consumer-namespace", y: 1 });
      expect(made.spec("HTTPRoute/prod/split", { from: "others" })).toEqual({ x: "producer-route" });
    });
  });
});
