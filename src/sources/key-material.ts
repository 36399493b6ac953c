/**
 * Removes certificates and keys from documents before anything else reads them: they never enter a snapshot, an output or a configuration.
 * Key material is plain data, so that it can be passed between threads.
 */
import { findTextAt, isJsonObject, type JsonObject } from "../core/model/json.ts";
import type { ObjectRef } from "../core/model/refs.ts";

export interface KeyMaterial {
  /** By `namespace/name` of the Secret; both in PEM. */
  readonly certificates: ReadonlyMap<string, { readonly chain: string; readonly privateKey: string }>;
  /** By `namespace/name` of the ConfigMap: `ca.crt`, in PEM. */
  readonly authorities: ReadonlyMap<string, string>;
}

export const NO_KEY_MATERIAL: KeyMaterial = { certificates: new Map(), authorities: new Map() };

export const isSameMaterial = (a: KeyMaterial, b: KeyMaterial): boolean =>
  JSON.stringify([[...a.certificates], [...a.authorities]]) ===
  JSON.stringify([[...b.certificates], [...b.authorities]]);

export interface SplitDocuments<Document> {
  /** Secrets without their contents. */
  readonly documents: readonly Document[];
  readonly keyMaterial: KeyMaterial;
}

const DEFAULT_NAMESPACE = "default";

export function splitKeyMaterial<Document extends { readonly value: unknown }>(
  documents: readonly Document[],
  decodeBase64: (text: string) => string,
): SplitDocuments<Document> {
  const certificates = new Map<string, { readonly chain: string; readonly privateKey: string }>();
  const authorities = new Map<string, string>();
  const left = documents.map((document): Document => {
    const { value } = document;
    if (!isJsonObject(value) || value["apiVersion"] !== "v1") return document;
    const { metadata } = value;
    const name = materialName({
      namespace: findTextAt(metadata, "namespace") ?? DEFAULT_NAMESPACE,
      name: findTextAt(metadata, "name") ?? "",
    });
    if (value["kind"] === "ConfigMap") {
      const authority = findTextAt(value["data"], "ca.crt");
      if (authority !== undefined) authorities.set(name, authority);
      return document;
    }
    if (value["kind"] !== "Secret") return document;
    const chain = secretText(value, "tls.crt", decodeBase64);
    const privateKey = secretText(value, "tls.key", decodeBase64);
    if (chain !== undefined && privateKey !== undefined) certificates.set(name, { chain, privateKey });
    const { data: _, stringData: __, ...rest } = value;
    return { ...document, value: rest };
  });
  return { documents: left, keyMaterial: { certificates, authorities } };
}

/** The key of key material: the Secret or ConfigMap that contains it. */
export const materialName = ({ namespace, name }: Pick<ObjectRef, "namespace" | "name">): string =>
  `${namespace}/${name}`;

/** `stringData` takes precedence over `data` (Kubernetes, Secret). */
function secretText(secret: JsonObject, key: string, decodeBase64: (text: string) => string): string | undefined {
  const encoded = findTextAt(secret["data"], key);
  return findTextAt(secret["stringData"], key) ?? (encoded === undefined ? undefined : decodeBase64(encoded));
}
