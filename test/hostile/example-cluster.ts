/** The objects of `examples/bakery`, with schemas for the policy kinds that they define. Tests modify them with hostile values. */
import { readdirSync, readFileSync } from "node:fs";
import { parseDocuments } from "../../src/adapters/files/parse-documents.ts";
import { isJsonObject, type JsonObject } from "../../src/core/model/json.ts";

const folder = new URL("../../examples/bakery/", import.meta.url);

const written: readonly JsonObject[] = readdirSync(folder)
  .filter((file) => file.endsWith(".yaml"))
  .sort()
  .flatMap((file) => parseDocuments(readFileSync(new URL(file, folder), "utf8"), file).documents)
  .map(({ value }) => value)
  .filter(isJsonObject);

const mapOf = (additionalProperties: JsonObject): JsonObject => ({ type: "object", additionalProperties });
const structOf = (properties: JsonObject): JsonObject => ({ type: "object", properties });
const text: JsonObject = { type: "string" };

/** A CRD with a schema for the settings. Without a schema every setting of a policy is valid. */
function crdOf(kind: string, plural: string, settings: JsonObject): JsonObject {
  const aside = { strategy: text, when: text, remove: { type: "array", items: text } };
  const block = structOf({ ...aside, ...settings });
  const spec = structOf({ targetRef: structOf({}), defaults: block, overrides: block, ...aside, ...settings });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.policies.example.com` },
    spec: {
      group: "policies.example.com",
      scope: "Namespaced",
      names: { kind, plural },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: structOf({ spec }) } }],
    },
  };
}

const authRule = structOf({
  jwt: structOf({ issuerUrl: text }),
  selector: mapOf(text),
  anonymous: { type: "boolean" },
  header: text,
});

export const example: readonly JsonObject[] = [
  ...written,
  crdOf("AuthPolicy", "authpolicies", { rules: mapOf(mapOf(authRule)) }),
  crdOf("RateLimitPolicy", "ratelimitpolicies", {
    limits: mapOf(structOf({ requests: { type: "integer", minimum: 0 }, window: text })),
  }),
];
