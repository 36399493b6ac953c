/**
 * Clusters as templates generate them: several Gateways with two routes each, and policies on both that use one of two specs.
 * So many stacks consist of different policies with equal specs.
 */
import fc from "fast-check";
import { isJsonObject, type JsonObject } from "../../../src/core/model/json.ts";
import { gatewayGroup } from "./define-kind.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";

const NAMESPACE = "a";
const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"];

const plan = fc.record({
  /** The cluster whose definitions and policy specs are used. */
  cluster: randomCluster,
  /** For each Gateway, then for each route: the index of the policy spec on it; 2 means no policy. */
  templates: fc.array(fc.nat(2), { minLength: 9, maxLength: 9 }),
  names: fc.shuffledSubarray(NAMES, { minLength: NAMES.length }),
  /** Targets that get one more policy. */
  more: fc.array(fc.nat(8), { maxLength: 2 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

export const templatedCluster: fc.Arbitrary<RandomCluster> = plan.map(build);

const named = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: `${gatewayGroup}/v1`,
  kind,
  metadata: { name, namespace: NAMESPACE },
  spec,
});

function build({ cluster, templates, names, more }: Plan): RandomCluster {
  const { definitions, objects } = cluster;
  const gateways = [1, 2, 3].map((nth) =>
    named("Gateway", `g${nth}`, {
      gatewayClassName: "x",
      listeners: [
        { name: "l1", protocol: "HTTP", port: 80 },
        { name: "l2", protocol: "HTTP", port: 81 },
      ],
    }),
  );
  const routes = [1, 2, 3, 4, 5, 6].map((nth) =>
    named("HTTPRoute", `r${nth}`, {
      parentRefs: [{ name: `g${1 + (nth % 3)}` }],
      rules: [{ name: "one" }, { name: "two" }],
    }),
  );
  const targets = [...gateways, ...routes];
  const policyKinds = definitions.flatMap(({ policies }) => policies).filter(({ scope }) => scope === "Namespaced");
  const specs = objects.filter(({ kind }) => policyKinds.some((policy) => policy.kind === kind)).slice(0, 2);
  const policies = [...targets.keys(), ...more].flatMap((at, nth): readonly JsonObject[] => {
    const template = specs[templates[at] ?? 0];
    const target = targets[at];
    if (template === undefined || target === undefined) return [];
    return [policyLike(template, target, names[nth] ?? "z")];
  });
  return { definitions, objects: [...targets, ...policies], malformed: [] };
}

function policyLike(template: JsonObject, { kind, metadata }: JsonObject, name: string): JsonObject {
  const spec = isJsonObject(template["spec"]) ? template["spec"] : {};
  const settings = Object.entries(spec).filter(([key]) => !key.startsWith("target"));
  const targetRef = {
    group: gatewayGroup,
    kind: kind ?? "",
    name: isJsonObject(metadata) ? (metadata["name"] ?? "") : "",
  };
  return {
    ...template,
    metadata: { name, namespace: NAMESPACE },
    spec: { targetRef, ...Object.fromEntries(settings) },
  };
}
