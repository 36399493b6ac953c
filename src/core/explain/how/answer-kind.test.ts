import { describe, expect, test } from "vitest";
import { ask, attempts, noRetries, retry, routes, shorts, sizeKind } from "../../../../test/support/cluster/ask-how.ts";
import { gateway, listener, policy, route, service } from "../../../../test/support/cluster/gateway-objects.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../model/json.ts";

describe("who must agree", () => {
  const platform = [
    gateway("g", { namespace: "infra", listeners: [listener("http", { from: "All" })] }),
    route("r", "Gateway/infra/g", { namespace: "team", rules: [{ backends: ["s"] }] }),
    service("s", { namespace: "team" }),
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "infra", annotations: { "prevail.dev/contact": "platform@example.com" } },
    },
  ];

  test("an override of another namespace forbids it: the policy, its block, and whom to ask", () => {
    const house = retry("house", "Gateway/g", attempts("overrides", 5), "infra");
    const answer = ask([...platform, house], "httproute/r", { "retry.attempts": 0 });
    expect(answer.kinds.map(({ forbiddenBy }) => forbiddenBy)).toEqual([
      [
        {
          policy: "RetryPolicy.prevail.dev/infra/house",
          block: "overrides",
          pointer: "/retry/attempts",
          namespace: "infra",
          contacts: [{ contact: "platform@example.com", object: "Namespace.//infra" }],
        },
      ],
    ]);
    const rights = answer.kinds.flatMap(({ changes }) => changes.map(({ needsRights }) => needsRights));
    expect(rights.every((one) => one.length > 0)).toBe(true);
    const [infra] = rights.flat().filter((one) => one.namespace === "infra");
    expect(infra?.contacts.map(({ contact }) => contact)).toEqual(["platform@example.com"]);
  });

  test("a default of another namespace forbids nothing", () => {
    const house = retry("house", "Gateway/g", attempts("defaults", 5), "infra");
    const answer = ask([...platform, house], "httproute/r", { "retry.attempts": 0 });
    expect(answer.kinds[0]?.forbiddenBy).toEqual([]);
    expect(shorts(answer).slice(0, 2)).toEqual(["SetField r +0", "CreatePolicy r-retry defaults +0"]);
    expect(shorts(answer).filter((text) => text.endsWith("(infra)"))).not.toEqual([]);
  });

  test("an atomic override that sets something else forbids it, too", () => {
    const house = policy("TestPolicy", "house", "Gateway/g", { overrides: { other: 1 } }, { namespace: "infra" });
    const answer = ask(
      [...platform, house, policy("TestPolicy", "x", "HTTPRoute/r", { defaults: { size: 1 } }, { namespace: "team" })],
      "httproute/r",
      { size: 2 },
      [
        {
          ...sizeKind,
          merge: { ...sizeKind.merge, granularity: { default: "Atomic", field: "strategy", values: {} } },
        },
      ],
    );
    expect(answer.kinds[0]?.forbiddenBy.map((one) => one.policy)).toEqual(["TestPolicy.example.com/infra/house"]);
    expect(shorts(answer).every((text) => text.includes("(infra)"))).toBe(true);
  });
});

describe("the state now", () => {
  test("it is so already: the value and its source", () => {
    const answer = ask([...routes(noRetries)], "httproute/r#one", { "retry.attempts": 0 });
    expect(answer.kinds.map(({ state, changes }) => [state, changes.length])).toEqual([["AlreadySo", 0]]);
    expect(answer.kinds[0]?.now.map(({ value, source }) => [value, source?.object])).toEqual([
      [0, "HTTPRoute.gateway.networking.k8s.io/default/r"],
    ]);
  });

  test("a setting that nothing sets should not be set: it is so already", () => {
    const answer = ask(routes(), "httproute/r", { "retry.attempts": undefined });
    expect(answer.kinds.map(({ state }) => state)).toEqual(["AlreadySo"]);
  });

  test("a target with values as wanted on some paths only is changed on the others", () => {
    const answer = ask([...routes(noRetries)], "httproute/r", { "retry.attempts": 0 });
    const [first] = answer.kinds[0]?.changes ?? [];
    expect(first?.reach.wanted).toEqual({ values: 1, paths: 1 });
    expect(first?.steps[0]?.targets.map(({ sectionName }) => sectionName)).toEqual(["two"]);
  });

  test("paths below an absent parent are counted with each change", () => {
    const objects = routes().filter((object) => object["kind"] !== "Gateway");
    const answer = ask(objects, "httproute/r", { "retry.attempts": 0 });
    expect(answer.kinds[0]?.incompletePaths).toBe(2);
    expect(answer.kinds[0]?.changes.map(({ incompletePaths }) => incompletePaths)).toEqual(
      answer.kinds[0]?.changes.map(() => 2),
    );
  });
});

describe("manifests", () => {
  test("have no status and nothing that the API server maintains, and their namespace and creation time", () => {
    const [, r] = routes();
    const stored = {
      ...r,
      metadata: {
        name: "r",
        creationTimestamp: "2025-01-01T00:00:00Z",
        uid: "1",
        resourceVersion: "7",
        generation: 3,
        managedFields: [],
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", team: "bread" },
      },
      status: { parents: [] },
    };
    const answer = ask(
      [...routes().filter((one) => one !== r && one["metadata"] !== r?.["metadata"] && !isNamed(one, "r")), stored],
      "httproute/r",
      { "retry.attempts": 0 },
    );
    expect(answer.kinds[0]?.changes[0]?.objects[0]?.manifest).toMatchObject({
      metadata: {
        name: "r",
        namespace: "default",
        creationTimestamp: "2025-01-01T00:00:00Z",
        annotations: { team: "bread" },
      },
    });
    const text = JSON.stringify(answer.kinds[0]?.changes[0]?.objects[0]?.manifest);
    for (const word of ["status", "uid", "resourceVersion", "generation", "managedFields", "last-applied"])
      expect(text).not.toContain(word);
  });

  test("a new policy has a name that is free", () => {
    const taken = retry("q-retry", "Gateway/g", attempts("defaults", 5));
    const answer = ask([...routes(), taken], "httproute/q", { "retry.attempts": 0 });
    expect(shorts(answer)[1]).toBe("CreatePolicy q-retry-2 defaults +0");
  });
});

const isNamed = (object: JsonObject, name: string): boolean => {
  const metadata = ownValue(object, "metadata");
  return isJsonObject(metadata) && ownValue(metadata, "name") === name;
};
