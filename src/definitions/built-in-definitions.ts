import type { PolicyDefinition } from "../core/model/definition.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/model/json.ts";
import type { KubeObject } from "../core/model/kube-object.ts";
import { parseDefinition } from "../core/model/parse-definition.ts";
import { objectId } from "../core/model/refs.ts";
import { builtInDocuments } from "./gen/built-in-documents.ts";

let parsed: readonly PolicyDefinition[] | undefined;

/** The policy kinds that need no PolicyDefinition of the user's. A user's own definition of a kind takes its place. */
export function builtInDefinitions(): readonly PolicyDefinition[] {
  parsed ??= builtInDocuments.map(parseBuiltIn);
  return parsed;
}

function parseBuiltIn(raw: JsonObject): PolicyDefinition {
  const { definition, findings } = parseDefinition(toObject(raw));
  if (definition !== undefined && findings.length === 0) return definition;
  throw new Error(`a built-in definition is wrong: ${findings.map(({ message }) => message).join(" ")}`);
}

function toObject(raw: JsonObject): KubeObject {
  const metadata = raw["metadata"];
  const name = isJsonObject(metadata) ? textOf(metadata["name"]) : "";
  const ref = { group: "prevail.dev", kind: "PolicyDefinition", namespace: "", name };
  return { id: objectId(ref), ref, apiVersion: textOf(raw["apiVersion"]), raw };
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
