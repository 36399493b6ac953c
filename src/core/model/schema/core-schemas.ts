/** Schemas of the kinds that Gateway API does not define, as far as the engine or a data plane reads their fields. */
import type { Schema } from "./schema.ts";

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
/** Values of open sets, and names. */
const word: Schema = { type: "string", minLength: 1, maxLength: 253 };
/** Names that may be empty: groups, sections, hostnames. */
const name: Schema = { type: "string", maxLength: 253 };
const port: Schema = { type: "integer", minimum: 1, maximum: 65_535 };
const portOrZero: Schema = { type: "integer", minimum: 0, maximum: 65_535 };
const transport: Schema = { type: "string", enum: ["TCP", "UDP", "SCTP"] };
const textOrInteger: Schema = { "x-kubernetes-int-or-string": true };
const unchecked: Schema = {};

const list = (items: Schema, bounds: Pick<Schema, "minItems" | "maxItems"> = {}): Schema => ({
  type: "array",
  items,
  ...bounds,
});
const map = (values: Schema): Schema => ({ type: "object", additionalProperties: values });
const object = (properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema => ({
  type: "object",
  properties,
  required,
});

/** Fields that are not listed are neither checked nor dropped. */
const open = (schema: Schema): Schema => ({ ...schema, "x-kubernetes-preserve-unknown-fields": true });

const metadata = open(
  object(
    {
      name: word,
      namespace: text,
      labels: map(text),
      annotations: map(text),
      creationTimestamp: text,
      generation: { type: "integer", minimum: 0 },
      managedFields: unchecked,
    },
    "name",
  ),
);

/** The schema of an object: its metadata, a status that is not checked, and the other properties. */
export const objectSchema = (properties: Readonly<Record<string, Schema>> = {}, ...required: string[]): Schema =>
  open(object({ metadata, status: unchecked, ...properties }, "metadata", ...required));

const service = object({
  type: text,
  clusterIP: text,
  externalName: text,
  selector: map(text),
  ports: list(
    object(
      { name, port, protocol: transport, appProtocol: text, targetPort: textOrInteger, nodePort: portOrZero },
      "port",
    ),
  ),
});

const endpointSlice = objectSchema(
  {
    addressType: { type: "string", enum: ["IPv4", "IPv6", "FQDN"] },
    endpoints: list(
      object(
        {
          addresses: list(text),
          conditions: object({ ready: flag, serving: flag, terminating: flag }),
          hostname: name,
          nodeName: text,
          zone: text,
        },
        "addresses",
      ),
    ),
    ports: list(object({ name, port: portOrZero, protocol: transport, appProtocol: text })),
  },
  "addressType",
);

/** The schema of a schema, down to a depth. Below it, anything is allowed. */
const schemaOfSchema = (depth: number): Schema => {
  if (depth === 0) return object({});
  const inner = schemaOfSchema(depth - 1);
  return object({ type: text, properties: map(inner), items: inner, required: list(text), nullable: flag });
};
const customResourceDefinition = object({
  group: word,
  scope: { type: "string", enum: ["Namespaced", "Cluster"] },
  names: object({ kind: word, plural: text, singular: text, listKind: text }),
  versions: list(
    object({ name: word, served: flag, storage: flag, schema: object({ openAPIV3Schema: schemaOfSchema(12) }) }),
  ),
});

const secretRef = object({ group: name, kind: word, name: word, namespace: word }, "name");
const selector = object({
  matchLabels: map(text),
  matchExpressions: list(object({ key: text, operator: text, values: list(text) }, "key", "operator")),
});
/** The experimental kind that preceded ListenerSet. Gateway API v1.7.0 no longer has it; a port may be absent or 0. */
const xListenerSet = object(
  {
    parentRef: secretRef,
    listeners: list(
      object(
        {
          name: word,
          hostname: name,
          port: portOrZero,
          protocol: word,
          tls: object({
            mode: { type: "string", enum: ["Terminate", "Passthrough"] },
            certificateRefs: list(secretRef, { maxItems: 64 }),
            options: map(text),
          }),
          allowedRoutes: object({
            namespaces: object({ from: { type: "string", enum: ["All", "Same", "Selector", "None"] }, selector }),
            kinds: list(object({ group: name, kind: word }, "kind"), { maxItems: 8 }),
          }),
        },
        "name",
        "protocol",
      ),
      { minItems: 1, maxItems: 64 },
    ),
  },
  "parentRef",
  "listeners",
);

export interface CoreSchema {
  readonly group: string;
  readonly kind: string;
  readonly schema: Schema;
}

export const coreSchemas: readonly CoreSchema[] = [
  { group: "", kind: "Service", schema: objectSchema({ spec: service }) },
  { group: "discovery.k8s.io", kind: "EndpointSlice", schema: endpointSlice },
  {
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
    schema: objectSchema({ spec: customResourceDefinition }),
  },
  {
    group: "gateway.networking.x-k8s.io",
    kind: "XListenerSet",
    schema: objectSchema({ spec: xListenerSet }, "spec"),
  },
];
