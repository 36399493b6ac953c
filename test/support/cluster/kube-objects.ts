import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseDocuments } from "../../../src/adapters/files/parse-documents.ts";
import type { PolicyDefinition } from "../../../src/core/model/definition.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/model/json.ts";
import { KubeObject, objectFamily } from "../../../src/core/model/kube-object.ts";
import { parseDefinition } from "../../../src/core/model/parse/definition/parse-definition.ts";

/** A document as a KubeObject. Omitted parts of its identity are empty. */
export function kubeObject(raw: JsonObject): KubeObject {
  const metadata = isJsonObject(raw["metadata"]) ? raw["metadata"] : {};
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const family = objectFamily(text(raw["apiVersion"]), text(raw["kind"]), text(metadata["namespace"]));
  return new KubeObject(family, text(metadata["name"]), raw);
}

/** Every object of a YAML text. An invalid text throws. */
export function kubeObjects(yaml: string, file = "test.yaml"): readonly KubeObject[] {
  const { documents, findings } = parseDocuments(yaml, file);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ line, message }) => `${file}:${line}: ${message}`).join("\n"));
  return documents.map(({ value }) => kubeObject(isJsonObject(value) ? value : {}));
}

/** A definition of test/testdata/definitions, by file name. */
export function definitionFrom(name: string): PolicyDefinition {
  const path = fileURLToPath(new URL(`../../testdata/definitions/${name}.yaml`, import.meta.url));
  const [object] = kubeObjects(readFileSync(path, "utf8"), path);
  const parsed = object === undefined ? undefined : parseDefinition(object);
  if (parsed?.definition === undefined || parsed.findings.length > 0) {
    throw new Error(`${path}: ${parsed?.findings.map(({ message }) => message).join(" ")}`);
  }
  return parsed.definition;
}
