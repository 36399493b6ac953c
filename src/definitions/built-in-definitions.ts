import { once } from "../core/model/collections/once.ts";
import type { PolicyDefinition } from "../core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/model/json.ts";
import { KubeObject, objectFamily } from "../core/model/kube-object.ts";
import { parseDefinition } from "../core/model/parse/parse-definition.ts";
import { builtInDocuments } from "./gen/built-in-documents.ts";

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

const parsed = once(() => builtInDocuments.map(parseBuiltIn));

function parseBuiltIn(raw: JsonObject): PolicyDefinition {
  const { definition, findings } = parseDefinition(toObject(raw));
  if (definition !== undefined && findings.length === 0) return definition;
  throw new Error(`a built-in definition is invalid: ${findings.map(({ message }) => message).join(" ")}`);
}

function toObject(raw: JsonObject): KubeObject {
  const metadata = raw["metadata"];
  const name = isJsonObject(metadata) ? textOf(metadata["name"]) : "";
  return new KubeObject(objectFamily(textOf(raw["apiVersion"]), "PolicyDefinition", ""), name, raw);
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
