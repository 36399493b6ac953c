/** The example `examples/bakery` in a control plane. */

import { setTimeout as sleep } from "node:timers/promises";
import { nodeFileSystem } from "../../../src/adapters/files/node-file-system.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/model/json.ts";
import { loadDocuments } from "../../../src/sources/load-documents.ts";
import { anySpec, customResourceDefinition, pluralOf } from "../crd/custom-resource.ts";
import type { ControlPlane } from "./control-plane.ts";
import { untilEstablished } from "./until.ts";

/** Applies the objects in the order of their age, a second apart, as creation times have whole seconds. */
export async function applyBakery(plane: ControlPlane): Promise<void> {
  const { documents } = await loadDocuments(["examples/bakery"], nodeFileSystem(process.stdin));
  const objects = documents.flatMap(({ value }) => (isJsonObject(value) ? [value] : []));
  const dated = objects.map((object) => ({ object, created: createdOf(object) }));
  const namespaces = [...new Set(objects.map((object) => metadataOf(object).namespace ?? ""))].filter(
    (name) => name !== "",
  );
  const plain = dated.filter(({ created }) => created === "");
  await applyAll(plane, [...policyCrds, ...namespaces.map(namespaceObject)]);
  await untilEstablished(plane.kubectl);
  await applyAll(
    plane,
    plain.map(({ object }) => object),
  );
  const byAge = dated.filter(({ created }) => created !== "").sort((a, b) => (a.created < b.created ? -1 : 1));
  for (const { object } of byAge) {
    await sleep(1100);
    await applyAll(plane, [object]);
  }
}

const metadataOf = (object: JsonObject): { readonly namespace?: string; readonly creationTimestamp?: string } =>
  object["metadata"] as { namespace?: string; creationTimestamp?: string };
const createdOf = (object: JsonObject): string => metadataOf(object).creationTimestamp ?? "";
const namespaceObject = (name: string): JsonObject => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

const applyAll = (plane: ControlPlane, items: readonly JsonObject[]): Promise<string> =>
  plane.kubectl(
    ["apply", "-f", "-"],
    JSON.stringify({ apiVersion: "v1", kind: "List", items: items.map(withoutTime) }),
  );
const withoutTime = (object: JsonObject): JsonObject => {
  const { creationTimestamp: _, ...metadata } = metadataOf(object);
  return { ...object, metadata };
};

/** The bakery's own policy kinds, with no schema to speak of. */
const policyCrds = ["AuthPolicy", "RateLimitPolicy"].map((kind) =>
  customResourceDefinition({ group: "policies.example.com", kind, plural: pluralOf(kind), spec: anySpec }),
);
