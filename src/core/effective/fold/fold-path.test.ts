import { describe, expect, test } from "vitest";
import { kubeObject } from "../../../../test/support/cluster/kube-objects.ts";
import { type EvaluateOptions, effectivePolicies, evaluate, verdicts } from "../../evaluate.ts";
import type { Source } from "../../merge/provenance.ts";
import type { PolicyDefinition } from "../../model/definition.ts";
import type { JsonObject } from "../../model/json.ts";
import { parseDefinition } from "../../model/parse/definition/parse-definition.ts";
import { buildSnapshot } from "../../model/snapshot.ts";

/** Stacks of equal policies fold alike; the sources of each must name its own policies. */

const GATEWAY_API = "gateway.networking.k8s.io";

const object = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: `${GATEWAY_API}/v1`,
  kind,
  metadata: { name, namespace: "shop" },
  spec,
});

/** Two Gateways with a route each: results below both must be alike. */
const topology = [1, 2].flatMap((nth) => [
  object("Gateway", `g${nth}`, { gatewayClassName: "x", listeners: [{ name: "http", protocol: "HTTP", port: 80 }] }),
  object("HTTPRoute", `r${nth}`, { parentRefs: [{ name: `g${nth}` }], rules: [{ name: "one" }] }),
]);

function definition(merge: JsonObject): PolicyDefinition {
  const { definition: parsed } = parseDefinition(
    kubeObject({
      apiVersion: "prevail.dev/v1alpha1",
      kind: "PolicyDefinition",
      metadata: { name: "limitpolicies.example.com" },
      spec: {
        policies: [{ group: "example.com", kind: "LimitPolicy" }],
        class: "Inherited",
        targeting: {
          refs: "Many",
          kinds: [
            { kind: "Gateway", sections: ["Listener"] },
            { kind: "HTTPRoute", sections: ["Rule"] },
          ],
        },
        hierarchy: { effectiveTargets: ["HTTPRouteRule"] },
        merge,
      },
    }),
  );
  if (parsed === undefined) throw new Error("the definition of the test is wrong");
  return parsed;
}

const byRule = definition({
  granularity: { default: "Atomic", values: { atomic: "Atomic", merge: "Merge" } },
  rules: ["limits"],
});

type Target = readonly [kind: string, name: string, sectionName?: string];

const policy = (name: string, targets: readonly Target[], spec: JsonObject): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "LimitPolicy",
  metadata: { name, namespace: "shop" },
  spec: {
    targetRefs: targets.map(([kind, target, sectionName]) => ({
      group: GATEWAY_API,
      kind,
      name: target,
      ...(sectionName === undefined ? {} : { sectionName }),
    })),
    ...spec,
  },
});

function sourcesByRoute(
  policies: readonly JsonObject[],
  options: EvaluateOptions,
): ReadonlyMap<string, readonly Source[]> {
  const documents = [...topology, ...policies];
  const found = new Map<string, readonly Source[]>();
  for (const { path, sources } of effectivePolicies(evaluate(buildSnapshot(documents), options)))
    found.set(path.at(-1)?.name ?? "", sources);
  return found;
}

const nameOf = (id: string | null | undefined): string => id?.split("/").at(-1) ?? "";

describe("equal policies on other targets", () => {
  test("winners are listed in the order of their names, which may differ there", () => {
    const settings = (limit: string, strategy: string): JsonObject => ({
      defaults: { strategy, limits: { [limit]: 1 } },
    });
    const policies = [
      policy("m1", [["Gateway", "g1"]], settings("z", "atomic")),
      policy("a1", [["HTTPRoute", "r1"]], settings("y", "merge")),
      policy("z1", [["HTTPRoute", "r1", "one"]], settings("x", "merge")),
      policy("m2", [["Gateway", "g2"]], settings("z", "atomic")),
      policy("z2", [["HTTPRoute", "r2"]], settings("y", "merge")),
      policy("a2", [["HTTPRoute", "r2", "one"]], settings("x", "merge")),
    ];
    const found = sourcesByRoute(policies, { definitions: [byRule] });
    const losers = (route: string): readonly (readonly string[])[] =>
      (found.get(route) ?? []).flatMap(({ lost }) => lost.map(({ by }) => by.map(nameOf)));
    expect(losers("r1")).toEqual([["a1", "z1"]]);
    expect(losers("r2")).toEqual([["a2", "z2"]]);
  });

  test("a policy that is met twice is no rival of itself; two policies are", () => {
    const settings = { overrides: { strategy: "merge", limits: { x: 1 } } };
    const policies = [
      policy(
        "p",
        [
          ["Gateway", "g1"],
          ["HTTPRoute", "r1"],
        ],
        settings,
      ),
      policy("q", [["Gateway", "g2"]], settings),
      policy("b", [["HTTPRoute", "r2"]], settings),
    ];
    const documents = [...topology, ...policies];
    const evaluation = evaluate(buildSnapshot(documents), { definitions: [byRule] });
    const sources = [...effectivePolicies(evaluation)].map(({ sources }) =>
      sources.map(({ policy: source, lost }) => [nameOf(source), ...lost.map((loss) => nameOf(loss.policy))]),
    );
    expect(sources).toEqual([[["p", "p"]], [["q", "b"]]]);
    expect([...verdicts(evaluation)].map(({ verdict }) => verdict.state === "Accepted" && verdict.total.paths)).toEqual(
      [1, 1, 1],
    );
  });

  test("a custom strategy may ask who they are", () => {
    const stamping = definition({ granularity: { default: "Custom/stamp" } });
    const policies = [1, 2].flatMap((nth) => [
      policy(`top-${nth}`, [["Gateway", `g${nth}`]], { defaults: { color: "red" } }),
      policy(`low-${nth}`, [["HTTPRoute", `r${nth}`]], { defaults: { size: 1 } }),
    ]);
    const documents = [...topology, ...policies];
    const evaluation = evaluate(buildSnapshot(documents), {
      definitions: [stamping],
      strategies: {
        stamp: ({ established, challenger }) => ({ ...challenger.spec, stamp: established.policy.name }),
      },
    });
    expect([...effectivePolicies(evaluation)].map(({ spec }) => spec)).toEqual([
      { size: 1, stamp: "top-1" },
      { size: 1, stamp: "top-2" },
    ]);
  });
});
