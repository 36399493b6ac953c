import { once } from "../core/model/collections/once.ts";
import type { PolicyDefinition } from "../core/model/definition.ts";
import { builtInDocuments } from "./gen/built-in-documents.ts";
import { parseDocument } from "./parse-document.ts";

/**
 * The policy kinds that are known without a PolicyDefinition in the input. A definition in the input replaces the built-in one.
 *
 * @example
 * ```ts
 * const kinds = builtInDefinitions().flatMap(({ policies }) => policies.map(({ kind }) => kind));
 * console.log(kinds);
 * ```
 */
export function builtInDefinitions(): readonly PolicyDefinition[] {
  return parsed();
}

const parsed = once(() => builtInDocuments.map(parseDocument));
