import { once } from "../collections/once.ts";
import type { Json } from "../json.ts";
import type { GroupKind } from "../refs.ts";
import { compileSchema, type SchemaOptions } from "./compile-schema.ts";
import { coreSchemas, type KindSchema, objectSchema } from "./core-schemas.ts";
import { fitsSchema } from "./fits-schema.ts";
import {
  findGatewayApiSchemas,
  type GatewayApiKind,
  gatewayApiKinds,
  parseGatewayApiSchema,
} from "./gateway-api-schemas.ts";
import { openFilterTypes } from "./open-filter-types.ts";
import { isBuiltInPolicyKind, retryPolicySchemas } from "./policy-schemas.ts";
import type { CompiledSchema, Schema } from "./schema.ts";
import { type SchemaProblem, schemaProblems } from "./schema-problems.ts";

/**
 * The schemas that objects of one kind and version may have: one for each release channel of Gateway API. The channel of a
 * cluster is not known, so a value is accepted if one of them accepts it.
 */
export interface BuiltInSchema {
  /** The schema that messages are about: that of the experimental channel, which has more fields. */
  readonly first: CompiledSchema;
  /** The schema of the standard channel, if it differs. Compiled when the first one refuses a value. */
  readonly others: () => readonly CompiledSchema[];
}

export const fitsBuiltIn = ({ first, others }: BuiltInSchema, value: Json): boolean =>
  fitsSchema(first, value) || others().some((schema) => fitsSchema(schema, value));

export function builtInProblems(schema: BuiltInSchema, value: Json, field?: string): readonly SchemaProblem[] {
  return fitsBuiltIn(schema, value) ? [] : schemaProblems(schema.first, value, field);
}

interface Versioned extends GroupKind {
  readonly apiVersion: string;
}

/** The schema of objects. Of kinds that are not built in, and of policies, only the metadata is checked. */
export const objectSchemaOf = (kind: Versioned): BuiltInSchema => find(objectKinds(), kind) ?? anyObject();

/** The schema of `spec` of policies of a built-in kind. */
export const policySchemaOf = (kind: Versioned): BuiltInSchema | undefined => find(policyKinds(), kind);

/** The schemas of one kind. Each is compiled when the first object of its version is checked. */
interface KindSchemas {
  readonly group: string;
  readonly byVersion: ReadonlyMap<string, () => BuiltInSchema>;
  /** For versions that are not listed: the schema of the storage version. */
  readonly fallback: () => BuiltInSchema;
}

function find(
  kinds: ReadonlyMap<string, KindSchemas>,
  { apiVersion, group, kind }: Versioned,
): BuiltInSchema | undefined {
  const schemas = kinds.get(kind);
  if (schemas === undefined || schemas.group !== group) return undefined;
  const version = apiVersion.slice(group.length + 1);
  return (schemas.byVersion.get(version) ?? schemas.fallback)();
}

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

const unversioned = ({ group, schema }: KindSchema): KindSchemas => ({
  group,
  byVersion: new Map(),
  fallback: once(() => compileChannels([() => schema])),
});

function versioned(kind: GatewayApiKind, wrap: (spec: Schema) => Schema, options: SchemaOptions = {}): KindSchemas {
  const compile = (version: string): (() => BuiltInSchema) =>
    once(() =>
      compileChannels(
        findGatewayApiSchemas(kind, version).map((row) => () => wrap(openFilterTypes(parseGatewayApiSchema(row)))),
        options,
      ),
    );
  const byVersion = new Map(kind.versions.map((version) => [version, compile(version)]));
  return { group: kind.group, byVersion, fallback: byVersion.get(kind.storageVersion) ?? anyObject };
}

function compileChannels([first, ...others]: readonly (() => Schema)[], options: SchemaOptions = {}): BuiltInSchema {
  const compile = (schema: () => Schema): CompiledSchema => compileSchema(schema(), { ...options, origin: "BuiltIn" });
  return { first: compile(first ?? objectSchema), others: once(() => others.map(compile)) };
}
