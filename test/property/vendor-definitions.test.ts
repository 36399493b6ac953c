/** The definitions of implementations that come with the program, in random clusters. */
import fc from "fast-check";
import { describe, test } from "vitest";
import type { PolicyDefinition } from "../../src/core/model/definition.ts";
import { allVendorDefinitions } from "../../src/definitions/vendor-definitions.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { expectEqualsOracle } from "./expect-equals-oracle.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import type { PolicyKindUnderTest } from "./random/define-kind.ts";
import { clusterWith, someOf } from "./random/random-cluster.ts";

/** Random clusters have no Gateways of these controllers: every Gateway counts. Named rules and maps that are one value have two fields each. */
const underTest = ({ merge, ...rest }: PolicyDefinition): PolicyKindUnderTest => ({
  definition: { ...rest, merge, controllers: [] },
  paths: [
    "priority",
    "color",
    "options.b.c",
    ...(Object.keys(merge.granularity.values).length === 0 ? [] : [merge.granularity.field]),
    ...[...merge.rules.slice(0, 2).map((path) => `${path}.named`), ...merge.atomicPaths.slice(0, 3)].flatMap((path) => [
      `${path}.a`,
      `${path}.b`,
    ]),
  ],
  strategies: Object.keys(merge.granularity.values),
  words: Object.keys(merge.granularity.values),
  removals: [],
  conditions: [],
});

describe(`the definitions of implementations: the engine gives the same results as the oracle (seed ${seed})`, () => {
  test.each([...allVendorDefinitions()].map(([vendor, definitions], index) => ({ vendor, definitions, index })))(
    "$vendor",
    { timeout: PROPERTY_TIMEOUT_MS },
    ({ definitions, index }) => {
      const kinds = definitions.map(underTest);
      const chosen = kinds.length < 4 ? fc.constant(kinds) : someOf(kinds);
      const property = fc.property(clusterWith(chosen), (cluster) => {
        const { objects, definitions: used, malformed } = cluster;
        expectEqualsOracle(evaluateDocuments([...objects, ...malformed], used), objects, used);
      });
      assertProperty(property, { numRuns: 40, stream: 401 + index });
    },
  );
});
