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

/** Random clusters have no Gateways of these controllers: every Gateway counts. */
const underTest = (definition: PolicyDefinition): PolicyKindUnderTest => ({
  definition: { ...definition, controllers: [] },
  paths: ["priority", "color", "colors.dark", "options.a", "options.b.c", ...definition.merge.atomicPaths.slice(0, 3)],
  strategies: [],
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
