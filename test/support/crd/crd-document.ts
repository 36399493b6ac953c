/** Builds CustomResourceDefinitions. `npm run golden` writes `deploy/crds` from them. */
import type { Json, JsonObject } from "../../../src/core/model/json.ts";

export interface CrdKind {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly labels: JsonObject;
  readonly description: string;
  readonly columns: readonly JsonObject[];
  readonly spec: JsonObject;
  readonly status?: JsonObject;
}

export function crdDocument(kind: CrdKind): JsonObject {
  const singular = kind.kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.prevail.dev`, labels: kind.labels },
    spec: {
      group: "prevail.dev",
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular,
        shortNames: [...kind.shortNames],
        categories: ["gateway-api"],
      },
      scope: kind.scope,
      versions: [
        {
          name: "v1alpha1",
          served: true,
          storage: true,
          additionalPrinterColumns: [...kind.columns, column("Age", ".metadata.creationTimestamp", "date")],
          ...(kind.status === undefined ? {} : { subresources: { status: {} } }),
          schema: { openAPIV3Schema: rootSchema(kind) },
        },
      ],
    },
  };
}

export const column = (name: string, jsonPath: string, type = "string"): JsonObject => ({ name, type, jsonPath });

const rootSchema = ({ description, spec, status }: CrdKind): JsonObject => ({
  ...object(description, {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec,
    ...(status === undefined ? {} : { status }),
  }),
  required: ["spec"],
});

export const object = (description: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  description,
  type: "object",
  properties,
  ...more,
});

export const text = (description: string, more: JsonObject = {}): JsonObject => ({
  description,
  type: "string",
  ...more,
});

export const integer = (description: string, more: JsonObject): JsonObject => ({
  description,
  type: "integer",
  ...more,
});

/** A list that is replaced as a whole, as in merging policies. */
export const list = (description: string, items: JsonObject, more: JsonObject = {}): JsonObject => ({
  description,
  type: "array",
  items,
  "x-kubernetes-list-type": "atomic",
  ...more,
});

/** A CEL rule for the value whose schema contains it (`self`). */
export const validation = (rule: string, message: string): JsonObject => ({ rule, message });
export const validations = (...rules: readonly JsonObject[]): { readonly "x-kubernetes-validations": Json } => ({
  "x-kubernetes-validations": [...rules],
});
