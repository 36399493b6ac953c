/** Every definition that comes with the program, in random clusters. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import { builtInDefinitions } from "../../src/definitions/built-in-definitions.ts";
import { allVendorDefinitions } from "../../src/definitions/vendor-definitions.ts";
import { effectivePolicies } from "../../src/index.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { expectEqualsOracle } from "./expect-equals-oracle.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import type { PolicyKindUnderTest } from "./random/define-kind.ts";
import { clusterWith } from "./random/random-cluster.ts";
import { declaredObjects, fittedTo } from "./random/vendor-objects.ts";

const CLUSTERS_PER_DEFINITION = 16;
/** In so many of them at least a policy of the kind must take effect. */
const LEAST_IN_EFFECT = 2;

/** Random clusters have no Gateways of these controllers: every Gateway counts. Named rules and maps that are one value have two fields each. */
const underTest = ({ merge, parts = [], ...rest }: PolicyDefinition): PolicyKindUnderTest => ({
  definition: { ...rest, merge, ...(parts.length === 0 ? {} : { parts }), controllers: [] },
  paths: [
    "priority",
    "color",
    "options.b.c",
    ...(Object.keys(merge.granularity.values).length === 0 ? [] : [merge.granularity.field]),
    ...[...merge.rules.slice(0, 2).map((path) => `${path}.named`), ...merge.atomicPaths.slice(0, 3)].flatMap((path) => [
      `${path}.a`,
      `${path}.b`,
    ]),
    ...parts.flatMap(({ paths }) => paths.slice(0, 2)).flatMap((path) => [`${path}.a`, `${path}.b`]),
  ],
  strategies: Object.keys(merge.granularity.values),
  words: Object.keys(merge.granularity.values),
  removals: [],
  conditions: [],
});

const all = [...allVendorDefinitions(), ["built in", builtInDefinitions()] as const].flatMap(([vendor, definitions]) =>
  definitions.map((definition) => ({ vendor, name: definition.name, definition })),
);

describe(`every definition: the engine gives the same results as the oracle (seed ${seed})`, () => {
  test.each(all.map((one, index) => ({ ...one, index })))(
    "$vendor $name",
    { timeout: PROPERTY_TIMEOUT_MS },
    ({ definition, index }) => {
      let inEffect = 0;
      const random = clusterWith(fc.constant([underTest(definition)]), declaredObjects(definition));
      const property = fc.property(random, ({ definitions: used, malformed, objects: drawn }) => {
        const objects = drawn.map((object) => fittedTo(definition, object));
        const evaluation = evaluateDocuments([...objects, ...malformed], used);
        if ([...effectivePolicies(evaluation)].length > 0) inEffect++;
        expectEqualsOracle(evaluation, objects, used);
      });
      assertProperty(property, { numRuns: CLUSTERS_PER_DEFINITION, stream: 401 + index });
      expect(inEffect).toBeGreaterThanOrEqual(LEAST_IN_EFFECT);
    },
  );
});
