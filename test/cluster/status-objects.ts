/** Objects for the tests of status: policy kinds with their CRDs, and scenarios of the specifications in namespaces of their own. */
import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../../src/core/model/json.ts";
import { anySpec, customResourceDefinition, pluralOf } from "../support/crd/custom-resource.ts";
import type { ControlPlane } from "../support/kubernetes/control-plane.ts";
import { untilEstablished } from "../support/kubernetes/until.ts";

interface CrdSketch {
  readonly group: string;
  readonly kind: string;
  /** The schema of `status`; anything by default. */
  readonly status?: JsonObject;
  readonly hasSubresource?: boolean;
}

/** A policy kind with a status that may be anything. */
export const policyCrd = ({ group, kind, status = anySpec, hasSubresource = true }: CrdSketch): JsonObject =>
  customResourceDefinition({ group, kind, plural: pluralOf(kind), spec: anySpec, status, hasSubresource });

export const applyAll = (plane: ControlPlane, items: readonly (JsonObject | string)[]): Promise<string> =>
  plane.kubectl(
    ["apply", "--server-side", "--force-conflicts", "-f", "-"],
    items.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join("\n---\n"),
  );

/** Applies CRDs and definitions, and waits until the kinds are served. */
export async function applyKinds(plane: ControlPlane, ...kinds: readonly (JsonObject | string)[]): Promise<void> {
  await applyAll(plane, kinds);
  await untilEstablished(plane.kubectl);
}

export const definitionText = (name: string): string => readFileSync(`test/testdata/definitions/${name}.yaml`, "utf8");

/** The objects in another namespace, without times. */
export const inNamespace = (namespace: string, objects: readonly JsonObject[]): readonly JsonObject[] =>
  objects.map((object) => {
    const { creationTimestamp: _, ...metadata } = isJsonObject(object["metadata"]) ? object["metadata"] : {};
    return { ...object, metadata: { ...metadata, namespace } };
  });

export const namespaceObject = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});

interface WrittenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}

interface WrittenEntry {
  readonly controllerName: string;
  readonly ancestorRef?: { readonly kind: string; readonly name: string };
  readonly conditions: readonly WrittenCondition[];
}

export interface WrittenObject {
  readonly metadata: { readonly generation?: number; readonly resourceVersion: string };
  readonly status?: {
    readonly ancestors?: readonly WrittenEntry[];
    readonly parents?: readonly WrittenEntry[];
    readonly conditions?: readonly WrittenCondition[];
    readonly listeners?: readonly (WrittenEntry & { readonly name: string })[];
  };
}

export async function getWritten(
  plane: ControlPlane,
  resource: string,
  name: string,
  namespace: string,
): Promise<WrittenObject> {
  return JSON.parse(
    await plane.kubectl(["get", resource, name, ...(namespace === "" ? [] : ["-n", namespace]), "-o", "json"]),
  ) as WrittenObject;
}

const wordOf = ({ type, status, reason }: WrittenCondition): string => `${type}=${status}/${reason}`;

/** `Gateway/g1: Accepted=True/Accepted Enforced=True/Enforced`, for each ancestor. */
export const ancestorLines = ({ status }: WrittenObject): readonly string[] =>
  (status?.ancestors ?? []).map(
    ({ ancestorRef, conditions }) =>
      `${ancestorRef?.kind ?? ""}/${ancestorRef?.name ?? ""}: ${conditions.map(wordOf).join(" ")}`,
  );

/** The policies that the Affected condition of a kind names, wherever it is in the object. */
export function affectedBy({ status }: WrittenObject, kind: string): readonly string[] {
  const all = [
    ...(status?.conditions ?? []),
    ...[...(status?.parents ?? []), ...(status?.listeners ?? [])].flatMap(({ conditions }) => conditions),
  ];
  const found = all.filter(({ type }) => type === `prevail.dev/${kind}Affected`);
  const names = found.flatMap(({ message }) =>
    [...message.matchAll(/\/([\w-]+)(?:,| |$)/g)].map(([, name = ""]) => name),
  );
  return [...new Set(names)].sort();
}
