/** Definitions and objects that the tests of GEP-713 share. */
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { type ClusterOptions, cluster } from "../../support/cluster/cluster.ts";
import { gateway, policy, route, service } from "../../support/cluster/gateway-objects.ts";
import { policyKind } from "../../support/cluster/policy-kind.ts";

/** ColorPolicy with all that the GEP lets a kind opt into. */
export const colorPolicy = (sketch: Partial<Parameters<typeof policyKind>[1]> = {}): PolicyDefinition =>
  policyKind("ColorPolicy", {
    group: "policies.controller.io",
    targets: ["Gateway/Listener", "HTTPRoute/Rule"],
    ends: ["Service"],
    ...sketch,
    targeting: { selectors: true, ...sketch.targeting },
    merge: {
      granularity: { default: "Atomic", field: "strategy", values: { atomic: "Atomic", patch: "Patch" } },
      blocks: "Exclusive",
      ...sketch.merge,
    },
  });

export const color = (
  name: string,
  on: Parameters<typeof policy>[2],
  spec: JsonObject,
  options: { created?: number; namespace?: string } = {},
) => policy("ColorPolicy", name, on, spec, { group: "policies.controller.io", ...options });

/** `g1 > r1 > b1`, … as objects. */
export function topology(paths: readonly (readonly [string, string, string])[]): readonly JsonObject[] {
  const names = (i: 0 | 1 | 2) => [...new Set(paths.map((path) => path[i]))];
  const routes = names(1).map((name) => {
    const own = paths.filter(([, r]) => r === name);
    return route(name, [...new Set(own.map(([g]) => `Gateway/${g}`))], {
      rules: [{ backends: [...new Set(own.map(([, , b]) => b))] }],
    });
  });
  return [...names(0).map((name) => gateway(name)), ...routes, ...names(2).map((name) => service(name))];
}

export const at = (path: string) =>
  path.replace(/g\d/, "Gateway/$&").replace(/r\d/, "HTTPRoute/$&").replace(/b\d/, "Service/$&");

export const colorDefinition = colorPolicy();

const labelled = (name: string, labels: Record<string, string>, namespace = "default") =>
  gateway(name, { labels, namespace });

export const gateways = [
  labelled("prod-eu", { env: "production", region: "eu" }),
  labelled("prod-us", { env: "production", region: "us" }),
  labelled("test-eu", { env: "test", region: "eu" }),
  gateway("plain"),
  labelled("foreign", { env: "production" }, "other"),
];

/** A policy kind that ends at the Gateway shows most plainly which were meant. */
export const onGateways = colorPolicy({ targets: ["Gateway/Listener"], ends: ["Gateway"] });

export const colored = (made: ReturnType<typeof cluster>) =>
  made
    .effective()
    .filter(({ sources }) => sources.length > 0)
    .map(({ path }) => path.at(-1)?.name ?? "");

export const select = (selector: JsonObject, rest: JsonObject = {}): JsonObject => ({
  group: "gateway.networking.k8s.io",
  kind: "Gateway",
  selector,
  ...rest,
});

/** One Gateway, one route, one backend; `p1` above `p2` unless both are on the Gateway. */
export function contest(
  definition: PolicyDefinition | string,
  policies: readonly JsonObject[],
  options: Omit<ClusterOptions, "definitions"> = {},
) {
  return cluster([...topology([["g1", "r1", "b1"]]), ...policies], { ...options, definitions: [definition] });
}

/** `Gateway/g1 status.conditions` and so on, with the policies that each names. */
export const affectedLines = (made: ReturnType<typeof cluster>): readonly string[] =>
  made
    .targetConditions()
    .map((line) => line.replace("example.com/ColorPolicyAffected=True by ", "").replaceAll("ColorPolicy default/", ""));

export const paths = [
  ["g1", "r1", "b1"],
  ["g1", "r2", "b1"],
  ["g2", "r3", "b1"],
  ["g2", "r4", "b2"],
] as const;
