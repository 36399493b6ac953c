import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { kubeObject, kubeObjects } from "../../../../../test/support/cluster/kube-objects.ts";
import { builtInDefinitions } from "../../../../definitions/built-in-definitions.ts";
import type { PolicyDefinition } from "../../definition.ts";
import type { JsonObject } from "../../json.ts";
import type { KubeObject } from "../../kube-object.ts";
import { definitionSchema } from "../../schema/own-kinds/definition-schema.ts";
import { definitionObject } from "./definition-object.ts";
import { parseDefinition } from "./parse-definition.ts";

function parse(object: KubeObject): PolicyDefinition {
  const { definition, findings } = parseDefinition(object);
  if (definition === undefined) throw new Error(findings.map(({ message }) => message).join("\n"));
  return definition;
}

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const documents = [
  "test/testdata/definitions",
  "examples/bakery",
  "src/cli/define/testdata",
  "test/e2e/testdata/worked-examples",
]
  .flatMap((folder) => readdirSync(`${root}${folder}`).map((name) => `${folder}/${name}`))
  .filter((path) => path.endsWith(".yaml"))
  .flatMap((path) => kubeObjects(readFileSync(`${root}${path}`, "utf8"), path))
  .filter(({ ref }) => ref.kind === "PolicyDefinition");

describe("an object of a definition is read as the same definition", () => {
  for (const definition of builtInDefinitions())
    test(`built in: ${definition.name}`, () =>
      expect(parse(kubeObject(definitionObject(definition)))).toEqual(definition));

  for (const document of documents) {
    const definition = parse(document);
    test(definition.name, () => expect(parse(kubeObject(definitionObject(definition)))).toEqual(definition));
  }

  test("with every field at another value than its default", () => {
    const spec: JsonObject = {
      policies: [
        { group: "example.com", kind: "ColorPolicy", scope: "Cluster" },
        { group: "example.com", kind: "TeamColorPolicy", scope: "Namespaced" },
      ],
      class: "Inherited",
      targeting: {
        fields: { ref: "on", refs: "ons", selectors: "onAll" },
        refs: "One",
        selectors: true,
        crossNamespace: "ReferenceGrant",
        positionalRules: true,
        impliedKind: "Cloud",
        kinds: [
          { group: "gateway.networking.k8s.io", kind: "Gateway", sections: ["Listener"], policies: ["ColorPolicy"] },
          {
            group: "example.com",
            kind: "Cloud",
            virtual: true,
            forbids: [{ path: "a.b", bySectionName: true, because: "it rains" }],
          },
          { group: "example.com", kind: "Room", sections: ["Wall"] },
        ],
      },
      hierarchy: {
        effectiveTargets: [
          { group: "gateway.networking.k8s.io", kind: "HTTPRoute", section: "Rule" },
          "RoomWall",
          "Cloud",
        ],
        namespaces: { above: ["HTTPRoute"] },
        roots: ["Gateway", { group: "example.com", kind: "House" }],
        mesh: true,
        through: ["Gateway", "HTTPRoute", "House", "Room", "Service", "Cloud"],
        links: [{ from: "House", to: "Room", via: "ParentRefs", path: "spec.houseRef" }],
        kinds: [
          { group: "example.com", kind: "House", scope: "Cluster", plural: "houses", shortNames: ["hs"], sections: [] },
          {
            group: "example.com",
            kind: "Room",
            scope: "Namespaced",
            sections: [{ section: "Wall", path: "spec.walls" }],
            route: { protocols: ["HTTP"], hostnames: true },
          },
        ],
      },
      merge: {
        granularity: {
          default: "Merge",
          base: "Overrides",
          field: "way",
          values: { whole: "Atomic", mine: "Custom/paint" },
        },
        rules: ["layers"],
        ruleNames: "Fixed",
        atomicPaths: ["frame"],
        blocks: "Exclusive",
        bare: "Direct",
        decidedBy: "Annotation",
        annotation: { key: "example.com/way", values: { soft: { base: "Defaults", granularity: "Patch" } } },
        sameTarget: "OldestWins",
        empty: "TakesPlace",
      },
      settings: "Spec",
      mapsTo: [
        {
          from: "retry",
          to: { level: { group: "gateway.networking.k8s.io", kind: "HTTPRoute", section: "Rule" }, path: "retry" },
          create: false,
        },
      ],
      references: [
        {
          path: "paint.refs",
          kinds: [{ group: "", kind: "ConfigMap" }],
          keys: ["ca.crt"],
          format: "Certificates",
          reason: "NoPaint",
          noneValid: "NoneAtAll",
        },
      ],
      status: { vocabulary: "Programmed", ancestors: "Target", owner: "example.com/painter" },
      controllers: ["example.com/painter"],
      visibility: "Target",
      sensitive: ["paint.recipe"],
      governs: "Clients",
      governsPaths: { RateLimits: ["paint.limit"], Retries: ["retry"] },
      approximate: [{ because: "of another colour", paths: ["paint"] }],
    };
    // A field that is new has to be added here and in definitionObject. Parts have no meaning with mapsTo: gep-713/parts-of-a-kind has them.
    const fields = Object.keys(definitionSchema.properties ?? {}).filter((key) => key !== "parts");
    expect(fields.filter((key) => !Object.hasOwn(spec, key))).toEqual([]);
    const metadata = { name: "colors.example.com" };
    const definition = parse(
      kubeObject({ apiVersion: "prevail.dev/v1alpha1", kind: "PolicyDefinition", metadata, spec }),
    );
    expect(parse(kubeObject(definitionObject(definition)))).toEqual(definition);
  });

  test("with lists, workloads and links that select", () => {
    const spec: JsonObject = {
      policies: [{ group: "example.com", kind: "MeshPolicy" }],
      class: "Inherited",
      targeting: {
        kinds: ["Gateway"],
        absent: {
          means: "OwnNamespace",
          workloadSelector: "selector",
          workloads: ["Pod", { kind: "Deployment", labels: "spec.template.metadata.labels", nameLabels: ["app"] }],
        },
      },
      hierarchy: {
        effectiveTargets: ["Gateway", "Deployment", "Pod"],
        namespaces: { above: ["Gateway", "Deployment", "Pod"] },
        kinds: [
          { group: "apps", kind: "Deployment" },
          { group: "", kind: "Pod" },
        ],
        links: [
          {
            from: "Deployment",
            to: "Pod",
            via: "ChildRefs",
            path: "spec.pods",
            grants: "NotNeeded",
            anyName: "*",
            byLabel: { group: "label.example.com", kind: "Label", label: "app", allNamespaces: "all" },
          },
        ],
      },
      merge: {
        granularity: { default: "Field" },
        lists: [
          { path: "rules", join: "Append" },
          { path: "upgrades", by: "type", items: "Fields" },
        ],
        sameTarget: "Undefined",
      },
    };
    const metadata = { name: "mesh.example.com" };
    const definition = parse(
      kubeObject({ apiVersion: "prevail.dev/v1alpha1", kind: "PolicyDefinition", metadata, spec }),
    );
    expect(definition.targeting.absent?.workloads?.[0]).toEqual({ group: "", kind: "Pod", labels: "metadata.labels" });
    expect(definition.merge.lists).toEqual([
      { path: "rules", items: "Whole" },
      { path: "upgrades", by: "type", items: "Fields" },
    ]);
    expect(parse(kubeObject(definitionObject(definition)))).toEqual(definition);
  });
});
