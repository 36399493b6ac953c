import type { PolicyDefinition } from "../core/model/definition.ts";
import { isJsonObject, type JsonObject, textOf } from "../core/model/json.ts";
import { KubeObject, objectFamily } from "../core/model/kube-object.ts";
import { parseDefinition } from "../core/model/parse/definition/parse-definition.ts";

/** Parses a definition that comes with the program. An error in it is a mistake of ours. */
export function parseDocument(raw: JsonObject): PolicyDefinition {
  const { definition, findings } = parseDefinition(toObject(raw));
  if (definition !== undefined) return definition;
  throw new Error(`a built-in definition is invalid: ${findings.map(({ message }) => message).join(" ")}`);
}

function toObject(raw: JsonObject): KubeObject {
  const metadata = raw["metadata"];
  const name = isJsonObject(metadata) ? textOf(metadata["name"]) : "";
  return new KubeObject(objectFamily(textOf(raw["apiVersion"]), "PolicyDefinition", ""), name, raw);
}
