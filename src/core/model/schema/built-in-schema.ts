import { once } from "../collections/once.ts";
import type { GroupKind } from "../refs.ts";
import { closeHeaderValues } from "./close-header-values.ts";
import { compileSchema, type SchemaOptions } from "./compile-schema.ts";
import { type CoreSchema, coreSchemas, objectSchema } from "./core-schemas.ts";
import {
  findGatewayApiSchemas,
  type GatewayApiKind,
  gatewayApiKinds,
  parseGatewayApiSchema,
} from "./gateway-api-schemas.ts";
import { compileObjectSchema, type KindSchema, type ObjectSchema } from "./object-schema.ts";
import { openFilterTypes } from "./open-filter-types.ts";
import { isBuiltInPolicyKind, retryPolicySchemas } from "./policy-schemas.ts";
import type { CompiledSchema, Schema } from "./schema.ts";

interface Versioned extends GroupKind {
  readonly apiVersion: string;
}

/** The constraints that the engine relies on in objects of a built-in kind, whatever their CRD allows: types, required fields and enums. */
export function guardOf(kind: Versioned): (() => CompiledSchema) | undefined {
  const schemas = objectKinds().get(kind.kind);
  if (schemas === undefined || schemas.group !== kind.group) return undefined;
  return once(() => compileSchema(schemas.schemaOf(versionOf(kind)), { origin: "BuiltIn", bounds: "Open" }));
}

/** The schema of objects. Of kinds that are not built in, and of policies, only the metadata is checked. */
export const objectSchemaOf = (kind: Versioned): KindSchema => find(objectKinds(), kind) ?? anyObject();

/** The schema of `spec` of policies of a built-in kind. */
export const policySchemaOf = (kind: Versioned): KindSchema | undefined => find(policyKinds(), kind);

/** The schemas of one kind. Each is compiled when the first object of its version is checked. */
interface KindSchemas {
  readonly group: string;
  readonly byVersion: ReadonlyMap<string, () => KindSchema>;
  /** For versions that are not listed: the schema of the storage version. */
  readonly fallback: () => KindSchema;
  /** The schema of a version as written, that of the experimental channel. */
  readonly schemaOf: (version: string) => Schema;
}

function find(kinds: ReadonlyMap<string, KindSchemas>, written: Versioned): KindSchema | undefined {
  const schemas = kinds.get(written.kind);
  if (schemas === undefined || schemas.group !== written.group) return undefined;
  return (schemas.byVersion.get(versionOf(written)) ?? schemas.fallback)();
}

const versionOf = ({ apiVersion, group }: Versioned): string => apiVersion.slice(group.length + 1);

const anyObject = once(() => compileChannels([objectSchema]));

const objectKinds = once((): ReadonlyMap<string, KindSchemas> => {
  const own = coreSchemas.map((row) => [row.kind, unversioned(row)] as const);
  const gatewayApi = gatewayApiKinds()
    .filter((kind) => !isBuiltInPolicyKind(kind))
    .map((kind) => [kind.kind, versioned(kind, (spec) => objectSchema({ spec }, "spec"))] as const);
  return new Map([...own, ...gatewayApi]);
});

const policyKinds = once((): ReadonlyMap<string, KindSchemas> => {
  const own = retryPolicySchemas.map((row) => [row.kind, unversioned(row)] as const);
  const gatewayApi = gatewayApiKinds()
    .filter(isBuiltInPolicyKind)
    // A policy that lacks a field still takes part: a data plane must not take a BackendTLSPolicy without a hostname for none.
    .map((kind) => [kind.kind, versioned(kind, (spec) => spec, { requiredFields: "Optional" })] as const);
  return new Map([...own, ...gatewayApi]);
});

const unversioned = ({ group, schema }: CoreSchema): KindSchemas => ({
  group,
  byVersion: new Map(),
  fallback: once(() => compileChannels([() => schema])),
  schemaOf: () => schema,
});

function versioned(kind: GatewayApiKind, wrap: (spec: Schema) => Schema, options: SchemaOptions = {}): KindSchemas {
  const schemasOf = (version: string): readonly (() => Schema)[] =>
    findGatewayApiSchemas(kind, version).map((row, index) => () => {
      const schema = parseGatewayApiSchema(row);
      return wrap(index === 0 ? openFilterTypes(schema) : closeHeaderValues(schema));
    });
  const compile = (version: string): (() => KindSchema) => once(() => compileChannels(schemasOf(version), options));
  const byVersion = new Map(kind.versions.map((version) => [version, compile(version)]));
  return {
    group: kind.group,
    byVersion,
    fallback: byVersion.get(kind.storageVersion) ?? anyObject,
    schemaOf: (version) => ([...schemasOf(version), ...schemasOf(kind.storageVersion)][0] ?? objectSchema)(),
  };
}

function compileChannels([first, ...others]: readonly (() => Schema)[], options: SchemaOptions = {}): KindSchema {
  const compile = (schema: () => Schema, more: SchemaOptions): ObjectSchema =>
    compileObjectSchema(schema(), { ...options, ...more, origin: "BuiltIn" });
  return {
    first: compile(first ?? objectSchema, {}),
    others: once(() => others.map((schema) => compile(schema, { unknownFields: "Refused" }))),
  };
}
