import { expect, test } from "vitest";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { chooseResources } from "./choose-resources.ts";

const resource = (group: string, kind: string, plural: string): ApiResource => ({
  group,
  version: "v1",
  kind,
  plural,
  isNamespaced: true,
  verbs: ["get", "list", "watch"],
  shortNames: [],
  hasStatus: false,
});
const SERVED = [
  resource("", "Secret", "secrets"),
  resource("", "ConfigMap", "configmaps"),
  resource("", "Pod", "pods"),
  resource("example.com", "KeyPolicy", "keypolicies"),
];

/** A definition by whose kinds such objects would be read, as a policy or as a level of a hierarchy. */
const definition = (name: string, policies: JsonObject, kinds: readonly JsonObject[]): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "PolicyDefinition",
  metadata: { name },
  spec: {
    policies: [policies],
    class: "Inherited",
    settings: "Root",
    targeting: { namedBy: [{ level: "Gateway", annotation: "example.com/key" }] },
    merge: { strategy: "Accumulate" },
    visibility: "Target",
    hierarchy: { effectiveTargets: ["Gateway"], kinds },
  },
});

test("what a definition names is read, but no Secrets and ConfigMaps, as which kinds it names them", () => {
  const definitions = [
    definition("a", { group: "example.com", kind: "KeyPolicy" }, [{ group: "", kind: "Pod" }]),
    definition("b", { group: "", kind: "Secret" }, []),
    definition("c", { group: "", kind: "ConfigMap" }, []),
    definition(
      "d",
      { group: "example.com", kind: "LockPolicy" },
      ["Secret", "ConfigMap"].map((kind) => ({ group: "", kind })),
    ),
  ];
  const policyKinds = [{ group: "", kind: "Secret" }];
  const { chosen } = chooseResources(SERVED, definitions, { policyKinds });
  expect(chosen.map(({ kind }) => kind)).toEqual(["Pod", "KeyPolicy"]);
});
