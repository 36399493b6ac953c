/**
 * GEP-713, "Combined merge strategies": parts of a kind that do not all have the same rules
 * GEP-713, "Hierarchy of target kinds and mechanics for calculating Effective meta resources"
 */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { definitionObject } from "../../../src/core/model/parse/definition/definition-object.ts";
import { parseDefinition } from "../../../src/core/model/parse/definition/parse-definition.ts";
import { type Cluster, cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { kubeObject } from "../../support/cluster/kube-objects.ts";

/** Settings for clients, for requests and for backends. Access rules of all policies add up; the others are merged field by field. */
const definition = (more: JsonObject = {}): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name: "proxypolicies.example.com" },
  spec: {
    policies: [{ group: "example.com", kind: "ProxyPolicy" }],
    class: "Inherited",
    targeting: {
      kinds: [
        { kind: "Gateway", sections: ["Listener"] },
        { kind: "HTTPRoute", sections: ["Rule"] },
        { kind: "Service" },
      ],
    },
    hierarchy: { effectiveTargets: ["GatewayListener", "HTTPRouteRule", "Service"] },
    merge: { granularity: { default: "Field" } },
    parts: [
      {
        name: "clients",
        paths: ["clients"],
        targets: ["Gateway", "GatewayListener"],
        effectiveTargets: ["GatewayListener"],
      },
      { name: "requests", paths: ["requests.retries", "requests.timeout"], effectiveTargets: ["HTTPRouteRule"] },
      {
        name: "access",
        paths: ["requests.access"],
        effectiveTargets: ["HTTPRouteRule"],
        merge: { strategy: "Accumulate" },
      },
      {
        name: "backends",
        paths: ["backends"],
        effectiveTargets: ["Service"],
        merge: { granularity: { default: "Atomic" } },
      },
    ],
    ...more,
  },
});

const proxy = (name: string, on: string | readonly string[], spec: JsonObject) => policy("ProxyPolicy", name, on, spec);

const objects = [gateway("g"), route("r", "Gateway/g", { rules: [{ name: "rule", backends: ["s"] }] }), service("s")];

const policies = [
  proxy("base", "Gateway/g", {
    clients: { keepAlive: 60 },
    requests: { retries: 1, timeout: "5s", access: { allow: "staff" } },
    backends: { tls: true, pool: 4 },
  }),
  proxy("route", "HTTPRoute/r", { requests: { retries: 2, access: { deny: "bots" } }, backends: { pool: 8 } }),
];

const made = cluster([definition(), ...objects, ...policies]);

/** The spec of the path that ends at the target: other paths go on through it. */
function specAt({ effective }: Cluster, target: string): JsonObject {
  const ends = effective().filter(
    ({ target: id }) => id.replace(/\..*?\/default\//, "/").replace("Service/default/", "Service/") === target,
  );
  expect(ends.length).toBe(1);
  return ends[0]?.spec ?? {};
}

describe("Parts are merged on their own", () => {
  test("each by its own rules: field by field, all of them, or as a whole", () => {
    expect(specAt(made, "HTTPRoute/r#rule")).toEqual({
      requests: { retries: 2, timeout: "5s" },
      "default/base": { requests: { access: { allow: "staff" } } },
      "default/route": { requests: { access: { deny: "bots" } } },
    });
    expect(specAt(made, "Service/s")).toEqual({ backends: { pool: 8 } });
    expect(made.source("Service/s", "/backends/tls")).toMatchObject({ lost: ["base bare true replaced by route"] });
  });

  test("a policy without settings in a part has no say in it", () => {
    const silent = cluster([
      definition(),
      ...objects,
      ...policies,
      proxy("rule", "HTTPRoute/r#rule", { requests: { retries: 3 } }),
    ]);
    expect(specAt(silent, "Service/s")).toEqual({ backends: { pool: 8 } });
    expect(specAt(silent, "HTTPRoute/r#rule")["requests"]).toEqual({ retries: 3, timeout: "5s" });
  });

  test("with parents: Closest that is the closest policy with settings in the part", () => {
    const closest = definition({
      parts: [{ name: "backends", paths: ["backends"], effectiveTargets: ["Service"], merge: { parents: "Closest" } }],
    });
    const clusterWith = cluster([
      closest,
      ...objects,
      ...policies,
      proxy("rule", "HTTPRoute/r#rule", { requests: { retries: 3 } }),
      proxy("service", "Service/s", { backends: { name: "s" } }),
    ]);
    expect(specAt(clusterWith, "Service/s")["backends"]).toEqual({ name: "s", pool: 8 });
  });

  test("with a base strategy of its own, also for policies without the field that selects one", () => {
    const granularity = { default: "Field", base: "Overrides", field: "mode", values: { Open: "Field" } };
    const locked = definition({
      merge: { granularity: { default: "Field", field: "mode", values: { Open: "Field" } } },
      parts: [{ name: "backends", paths: ["backends"], effectiveTargets: ["Service"], merge: { granularity } }],
    });
    const made = cluster([locked, ...objects, ...policies, proxy("open", "Service/s", { mode: "Open", note: "x" })]);
    expect(specAt(made, "Service/s")["backends"]).toEqual({ tls: true, pool: 4 });
    expect(specAt(made, "HTTPRoute/r#rule")["requests"]).toMatchObject({ retries: 2 });
  });

  test("settings that are in no part take effect wherever a path ends", () => {
    const noted = cluster([definition(), ...objects, ...policies, proxy("note", "Gateway/g#http", { note: "x" })]);
    for (const end of ["Gateway/g#http", "HTTPRoute/r#rule", "Service/s"])
      expect(specAt(noted, end)).toMatchObject({ note: "x" });
  });
});

describe("Paths end for each part", () => {
  test("settings for clients end at the listener, whatever is below", () => {
    expect(specAt(made, "Gateway/g#http")).toEqual({ clients: { keepAlive: 60 } });
    expect(specAt(made, "HTTPRoute/r#rule")).not.toHaveProperty("clients");
  });

  test("a policy has no part in a path on which none of its settings takes effect", () => {
    const only = cluster([definition(), ...objects, proxy("clients", "Gateway/g", { clients: { keepAlive: 5 } })]);
    expect(only.affectedBy("HTTPRoute/r#rule")).toEqual([]);
    expect(only.affectedBy("Gateway/g#http")).toEqual(["clients"]);
    expect(only.outcome("clients")).toBe("Enforced");
  });

  test("a policy is Overridden where all its settings on a path are", () => {
    const all = cluster([
      definition(),
      ...objects,
      proxy("high", "Gateway/g", { requests: { retries: 1 } }),
      proxy("low", "HTTPRoute/r", { requests: { retries: 2 } }),
    ]);
    expect(all.outcome("high")).toBe("Overridden by low");
  });
});

describe("A part may be for some targets only", () => {
  test("a policy with its settings and another target is Invalid, and the finding says what to do", () => {
    const wrong = cluster([definition(), ...objects, proxy("wrong", "HTTPRoute/r", { clients: { keepAlive: 5 } })]);
    expect(wrong.outcome("wrong")).toBe("Invalid");
    expect(wrong.findings.map(({ code, field, message }) => [code, field, message])).toContainEqual([
      "InvalidForTarget",
      "spec.clients.keepAlive",
      "spec.clients.keepAlive is 5; a policy on a HTTPRoute (spec.targetRef) cannot set clients: it is for Gateway, GatewayListener. Remove it, or set it in a policy with another target.",
    ]);
  });
});

describe("The strategy of a policy counts for its parts, too", () => {
  const locked = definition({
    merge: {
      granularity: { default: "Field", field: "mode", values: { Lock: { base: "Overrides", granularity: "Field" } } },
    },
  });

  test("a locked setting takes effect over lower ones in each part", () => {
    const lockedCluster = cluster([
      locked,
      ...objects,
      proxy("lock", "Gateway/g", { mode: "Lock", requests: { retries: 1 }, backends: { pool: 1 } }),
      proxy("low", "HTTPRoute/r", { requests: { retries: 2 }, backends: { pool: 2 } }),
    ]);
    expect(specAt(lockedCluster, "HTTPRoute/r#rule")).toEqual({ requests: { retries: 1 } });
    expect(specAt(lockedCluster, "Service/s")).toEqual({ backends: { pool: 1 } });
  });

  test("a word that selects nothing is reported once", () => {
    const { findings } = cluster([
      locked,
      ...objects,
      proxy("odd", "Gateway/g", { mode: "Lok", requests: { retries: 1 } }),
    ]);
    expect(findings.filter(({ code }) => code === "InvalidStrategy").map(({ field }) => field)).toEqual(["spec.mode"]);
  });
});

describe("Definitions with parts", () => {
  const read = (more: JsonObject) => parseDefinition(kubeObject(definition(more)));
  const part = (fields: JsonObject): JsonObject => ({ parts: [{ name: "p", paths: ["a"], ...fields }] });
  const found = (more: JsonObject) => read(more).findings.map(({ code, field }) => `${code} ${field}`);

  test("are written as they are read", () => {
    const { definition: once, findings } = read({});
    expect(findings).toEqual([]);
    const again = once && parseDefinition(kubeObject(definitionObject(once)));
    expect(again).toEqual({ definition: once, findings: [] });
  });

  for (const [name, more, expected] of [
    ["a part without rules of its own", part({}), ["DefinitionMissingField spec.parts[0]"]],
    ["an unknown field", part({ ends: [] }), ["DefinitionUnknownField spec.parts[0].ends"]],
    [
      "a target that the kind does not have",
      part({ targets: ["GRPCRoute"] }),
      ["DefinitionMisplaced spec.parts[0].targets[0]"],
    ],
    [
      "a level where no path ends",
      part({ effectiveTargets: ["ServicePort"] }),
      ["DefinitionMisplaced spec.parts[0].effectiveTargets[0]"],
    ],
    [
      "a target below the levels at which the part takes effect",
      part({ targets: ["Service"], effectiveTargets: ["HTTPRouteRule"] }),
      ["DefinitionTargetBelowEffective spec.parts[0].targets[0]"],
    ],
    [
      "one setting in two parts",
      {
        parts: [
          { name: "p", paths: ["a"], effectiveTargets: ["Service"] },
          { name: "p", paths: ["a.b"], effectiveTargets: ["Service"] },
        ],
      },
      ["DefinitionDuplicate spec.parts[1].name", "DefinitionDuplicate spec.parts[1].paths[0]"],
    ],
    [
      "a part of a map that is one value",
      {
        merge: { granularity: { default: "Field" }, atomicPaths: ["a"] },
        parts: [{ name: "p", paths: ["a.b"], targets: ["Gateway"] }],
      },
      ["DefinitionMisplaced spec.parts[0].paths[0]"],
    ],
    [
      "the field that selects a strategy in a part",
      { merge: { granularity: { field: "a.mode", values: { x: "Field" } } }, ...part({ targets: ["Gateway"] }) },
      ["DefinitionMisplaced spec.parts[0].paths[0]"],
    ],
    [
      "blocks",
      { merge: { words: { defaults: ["default"] } }, ...part({ targets: ["Gateway"] }) },
      ["DefinitionMisplaced spec.merge.words.defaults"],
    ],
    [
      "a Direct kind",
      { class: "Direct", merge: {}, hierarchy: {}, ...part({ targets: ["Gateway"] }) },
      ["DefinitionMisplaced spec.parts"],
    ],
    [
      "rules of its own where all policies take effect",
      { merge: { strategy: "Accumulate" }, ...part({ merge: { granularity: { default: "Field" } } }) },
      ["DefinitionMisplaced spec.parts[0].merge"],
    ],
    [
      "a mistake in the rules of a part, at its field",
      part({ merge: { strategy: "Accumulate", parents: "Closest", order: [{ path: "a..b" }] } }),
      ["DefinitionMisplaced spec.parts[0].merge.parents", "DefinitionUnknownValue spec.parts[0].merge.order[0].path"],
    ],
    [
      "levels that two parts do not share as a whole",
      {
        parts: [
          { name: "p", paths: ["a"], effectiveTargets: ["HTTPRouteRule"] },
          { name: "q", paths: ["b"], effectiveTargets: ["HTTPRouteRule", "Service"] },
        ],
      },
      ["DefinitionMisplaced spec.parts[0].effectiveTargets"],
    ],
  ] as const)
    test(`refuses ${name}`, () => {
      expect(found(more).filter((one) => !one.startsWith("DefinitionDirectSeveralKinds"))).toEqual(expected);
    });
});
