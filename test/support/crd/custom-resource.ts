import type { Json, JsonObject } from "../../../src/core/model/json.ts";

interface CrdOptions {
  /** The schema of `spec`. */
  readonly spec: JsonObject;
  readonly group?: string;
  readonly kind?: string;
  /** Default: the kind and `es`. */
  readonly plural?: string;
  readonly version?: string;
  readonly labels?: JsonObject;
  /** The schema of `status`. */
  readonly status?: JsonObject;
  /** Whether the status is a subresource. Default: it is not. */
  readonly hasSubresource?: boolean;
}

/** A CRD with one version. The default kind is Box of example.com. */
export function customResourceDefinition(options: CrdOptions): JsonObject {
  const { spec, group = "example.com", kind = "Box", version = "v1", labels, status, hasSubresource = false } = options;
  const plural = options.plural ?? `${kind.toLowerCase()}es`;
  const properties = { spec, ...(status === undefined ? {} : { status }) };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, ...(labels === undefined ? {} : { labels }) },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(hasSubresource ? { subresources: { status: {} } } : {}),
          schema: { openAPIV3Schema: { type: "object", properties } },
        },
      ],
    },
  };
}

/** `policies` of Policy, `issuers` of Issuer. */
export const pluralOf = (kind: string): string => kind.toLowerCase().replace(/y$/, "ie").concat("s");

/** The schema of a spec that may have any fields. */
export const anySpec: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** An object of that kind. */
export const customResource = (spec: Json): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Box",
  metadata: { name: "box", namespace: "default" },
  spec,
});
