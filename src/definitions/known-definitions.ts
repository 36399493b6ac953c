import type { DefinitionLibrary, PolicyDefinition } from "../core/model/definition.ts";
import { builtInDefinitions } from "./built-in-definitions.ts";
import { vendorDefinitions } from "./vendor-definitions.ts";

/** The definitions that an evaluation begins with. A PolicyDefinition in the input replaces them. */
export interface KnownDefinitions {
  readonly definitions: readonly PolicyDefinition[];
  readonly library?: DefinitionLibrary;
}

/** The kinds that are known without a PolicyDefinition in the input: the built-in kinds, and those of implementations. */
export const knownDefinitions = (): KnownDefinitions => ({
  definitions: builtInDefinitions(),
  library: vendorDefinitions(),
});
