/** GEP-713 experimental, "Policy Attachment for Mesh" */

import { describe, expect, test } from "vitest";
import { worldOf } from "../../../src/core/evaluation.ts";
import { explainTarget } from "../../../src/core/explain/explain/explain-target.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { objectId } from "../../../src/core/model/refs.ts";
import { cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";
import { inherited } from "./inherited-policies.ts";

describe("Policy Attachment for Mesh", () => {
  const mesh = policyKind("MeshPolicy", {
    targets: ["Service", "HTTPRoute"],
    ends: ["Service"],
    targeting: { crossNamespace: "Consumer" },
    merge: inherited,
  });
  const producer = [
    service("foo", { namespace: "prod" }),
    service("foo-a", { namespace: "prod" }),
    route("split", "Service/foo", { namespace: "prod", rules: [{ backends: ["foo-a"] }] }),
  ];
  const meshPolicy = (name: string, namespace: string, on: string, spec: JsonObject) =>
    policy("MeshPolicy", name, on, spec, { namespace, created: 0 });
  const at = "Service/prod/foo > HTTPRoute/prod/split > Service/prod/foo-a";

  test("in its own namespace a policy takes effect on the requests of all namespaces", () => {
    const made = cluster([...producer, meshPolicy("own", "prod", "Service/foo", { overrides: { x: "own" } })], {
      definitions: [mesh],
    });
    expect(made.chains()).toEqual(["Service/prod/foo > HTTPRoute/prod/split > Service/prod/foo-a (from others)"]);
    expect(made.spec(at, { from: "others" })).toEqual({ x: "own" });
    expect(made.outcome("prod/own")).toBe("Enforced");
  });

  test("it can only apply to requests from the same namespace if the target is in a different namespace", () => {
    const made = cluster(
      [
        ...producer,
        meshPolicy("own", "prod", "HTTPRoute/split", { defaults: { x: "own", y: "own" } }),
        meshPolicy("consumer", "client", "Service/prod/foo", { overrides: { x: "client" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec(at, { from: "client" })).toEqual({ x: "client", y: "own" });
    expect(made.spec(at, { from: "others" })).toEqual({ x: "own", y: "own" });
    expect(made.effective()).toHaveLength(2);
    expect(made.outcome("client/consumer")).toBe("Enforced");
    expect(made.tally("client/consumer")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
    expect(made.outcome("prod/own")).toBe("PartiallyEnforced by client/consumer");
    expect(made.tally("prod/own")).toEqual({ paths: 2, full: 1, partial: 1, none: 0, met: 0 });
  });

  test("two consumers do not see each other's policies", () => {
    const made = cluster(
      [
        ...producer,
        meshPolicy("p", "red", "Service/prod/foo", { overrides: { x: "red" } }),
        meshPolicy("p", "blue", "Service/prod/foo", { overrides: { x: "blue" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec(at, { from: "red" })).toEqual({ x: "red" });
    expect(made.spec(at, { from: "blue" })).toEqual({ x: "blue" });
    expect(made.spec(at, { from: "others" })).toEqual({});
    expect([made.outcome("red/p"), made.outcome("blue/p")]).toEqual(["Enforced", "Enforced"]);
  });

  test("a consumer in a namespace named 'others' is not everybody", () => {
    const made = cluster(
      [
        ...producer,
        meshPolicy("own", "prod", "Service/foo", { defaults: { x: "own" } }),
        meshPolicy("consumer", "others", "Service/prod/foo", { overrides: { x: "theirs" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec(at, { from: "namespace/others" })).toEqual({ x: "theirs" });
    expect(made.spec(at, { from: "others" })).toEqual({ x: "own" });
    expect(made.tally("others/consumer")).toEqual({ paths: 1, full: 1, partial: 0, none: 0, met: 0 });
  });

  test("a consumer's policy that lost the route to an older one, and has a rule of it, affects the rule alone", () => {
    const none = policyKind("MeshPolicy", {
      targets: ["HTTPRoute/Rule"],
      ends: ["HTTPRoute/Rule"],
      targeting: { crossNamespace: "Consumer" },
      merge: { none: true },
    });
    const target = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "prod", name: "split" };
    const made = cluster(
      [
        service("foo", { namespace: "prod" }),
        route("split", "Service/foo", { namespace: "prod", rules: [{ name: "one" }, { name: "two" }] }),
        policy("MeshPolicy", "own", target, { x: "own" }, { namespace: "prod", created: 0 }),
        policy(
          "MeshPolicy",
          "theirs",
          target,
          { targetRefs: [{ ...target, sectionName: "one" }], x: "theirs" },
          { namespace: "client", created: 1 },
        ),
      ],
      { definitions: [none] },
    );
    expect(made.affectedBy("HTTPRoute/prod/split")).toEqual(["prod/own"]);
    expect(made.affectedBy("HTTPRoute/prod/split#one")).toEqual(["client/theirs", "prod/own"]);
    expect(made.affectedBy("HTTPRoute/prod/split#two")).toEqual(["prod/own"]);
  });

  describe("None: a target is an object together with the namespace that requests come from", () => {
    const none = policyKind("MeshPolicy", {
      targets: ["Service"],
      ends: ["Service"],
      targeting: { crossNamespace: "Consumer" },
      merge: { none: true },
    });
    const onFoo = (name: string, namespace: string, created: number) =>
      policy("MeshPolicy", name, "Service/prod/foo", { x: name }, { namespace, created });
    const contest = (...policies: readonly JsonObject[]) =>
      cluster([...producer, ...policies], { definitions: [none] });
    const foo = objectId({ group: "", kind: "Service", namespace: "prod", name: "foo" });
    /** What each reader says about a conflict: finding, status, and `explain` on the target. */
    const conflicts = (made: ReturnType<typeof cluster>, namespace: string, name: string) => ({
      findings: made
        .findingsOn(name)
        .filter(({ code }) => code === "Conflicted")
        .map(({ message }) => message),
      status: made.conditions(`${namespace}/${name}`),
      explain: explainTarget(worldOf(made.evaluation), { id: foo }, { group: true })
        .failures.filter(({ policy: id }) => id.endsWith(`/${namespace}/${name}`))
        .map(({ reason, message }) => `${reason}: ${message}`),
    });

    test("an older policy of a consumer and a newer one for all requests: both are accepted, and nothing is reported", () => {
      const made = contest(onFoo("young-general", "prod", 1), onFoo("old-consumer", "client", 0));
      expect(made.spec("Service/prod/foo-a", { from: "client" })).toEqual({ x: "old-consumer" });
      expect(made.spec("Service/prod/foo-a", { from: "others" })).toEqual({ x: "young-general" });
      expect(made.outcome("client/old-consumer")).toBe("Enforced");
      expect(conflicts(made, "client", "old-consumer")).toEqual({
        findings: [],
        status: ["Service/prod/foo: Accepted=True/Accepted Enforced=True/Enforced"],
        explain: [],
      });
      expect(conflicts(made, "prod", "young-general")).toMatchObject({ findings: [], explain: [] });
    });

    test("a newer policy of a consumer and an older one for all requests: the consumer's is Conflicted", () => {
      const made = contest(onFoo("old-general", "prod", 0), onFoo("young-consumer", "client", 1));
      for (const from of ["client", "others"])
        expect(made.spec("Service/prod/foo-a", { from })).toEqual({ x: "old-general" });
      expect(made.outcome("prod/old-general")).toBe("Enforced");
      expect(made.outcome("client/young-consumer")).toBe("Conflicted by prod/old-general");
      const message =
        "Service prod/foo already has MeshPolicy prod/old-general for requests from namespace client, which is older; only one MeshPolicy takes effect on a target";
      expect(made.message("client/young-consumer")).toBe(message);
      expect(made.messages("client/young-consumer", "Accepted")).toEqual([message]);
      expect(conflicts(made, "client", "young-consumer")).toEqual({
        findings: [message],
        status: ["Service/prod/foo: Accepted=False/Conflicted"],
        explain: [`Conflicted: ${message}`],
      });
    });

    test("two policies of one consumer namespace: verdict, status, finding and explain say the same", () => {
      const made = contest(onFoo("b", "client", 0), onFoo("a", "client", 0));
      expect(made.spec("Service/prod/foo-a", { from: "client" })).toEqual({ x: "a" });
      expect(made.outcome("client/a")).toBe("Enforced");
      expect(made.outcome("client/b")).toBe("Conflicted by client/a");
      const message =
        "Service prod/foo already has MeshPolicy client/a for requests from namespace client, which comes first by namespace/name; only one MeshPolicy takes effect on a target";
      expect(made.message("client/b")).toBe(message);
      expect(made.messages("client/b", "Accepted")).toEqual([message]);
      expect(conflicts(made, "client", "b")).toEqual({
        findings: [message],
        status: ["Service/prod/foo: Accepted=False/Conflicted"],
        explain: [`Conflicted: ${message}`],
      });
      expect(conflicts(made, "client", "a")).toMatchObject({ findings: [], explain: [] });
    });

    test("policies of two consumer namespaces do not meet", () => {
      const made = contest(onFoo("p", "red", 0), onFoo("q", "blue", 1));
      expect([made.outcome("red/p"), made.outcome("blue/q")]).toEqual(["Enforced", "Enforced"]);
      expect([...made.findingsOn("p"), ...made.findingsOn("q")]).toEqual([]);
    });
  });

  test("a consumer's policy does not take effect on traffic through a Gateway", () => {
    const made = cluster(
      [
        ...producer,
        gateway("edge", { namespace: "prod" }),
        route("ingress", "Gateway/edge", { namespace: "prod", rules: [{ backends: ["foo"] }] }),
        meshPolicy("consumer", "client", "Service/prod/foo", { overrides: { x: "client" } }),
        meshPolicy("own", "prod", "Service/foo", { defaults: { x: "own" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.spec("Gateway/prod/edge > HTTPRoute/prod/ingress > Service/prod/foo")).toEqual({ x: "own" });
    expect(made.spec(at, { from: "client" })).toEqual({ x: "client" });
  });

  test("a route can be used to intercept these requests and split them between different backends", () => {
    const made = cluster(
      [
        ...producer,
        service("foo-b", { namespace: "client" }),
        route("intercept", "Service/prod/foo", { namespace: "client", rules: [{ backends: ["foo-b"] }] }),
        meshPolicy("consumer", "client", "HTTPRoute/intercept", { defaults: { x: "client" } }),
        meshPolicy("own", "prod", "Service/foo", { defaults: { x: "prod", y: "prod" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.chains().toSorted()).toEqual([
      "Service/prod/foo > HTTPRoute/client/intercept > Service/client/foo-b (from client)",
      "Service/prod/foo > HTTPRoute/prod/split > Service/prod/foo-a (from others)",
    ]);
    expect(made.spec("HTTPRoute/client/intercept > Service/client/foo-b")).toEqual({ x: "client", y: "prod" });
  });

  test("requests that are intercepted do not go the producer's way, nor does a policy on them", () => {
    const made = cluster(
      [
        ...producer,
        service("foo-b", { namespace: "client" }),
        route("intercept", "Service/prod/foo", { namespace: "client", rules: [{ backends: ["foo-b"] }] }),
        meshPolicy("consumer", "client", "Service/prod/foo", { overrides: { x: "client" } }),
        meshPolicy("own", "prod", "Service/foo", { defaults: { x: "prod" } }),
      ],
      { definitions: [mesh] },
    );
    expect(made.chains().toSorted()).toEqual([
      "Service/prod/foo > HTTPRoute/client/intercept > Service/client/foo-b (from client)",
      "Service/prod/foo > HTTPRoute/prod/split > Service/prod/foo-a (from others)",
    ]);
    expect(made.spec("HTTPRoute/client/intercept")).toEqual({ x: "client" });
    expect(made.spec("HTTPRoute/prod/split")).toEqual({ x: "prod" });
  });
});
