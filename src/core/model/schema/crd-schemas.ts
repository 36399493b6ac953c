import { once } from "../collections/once.ts";
import { isJsonList, isJsonObject, type JsonObject, objectAt, ownValue } from "../json.ts";
import { type KubeObject, labelsOf, type ObjectFamily } from "../kube-object.ts";
import { compareText, isGroupName, isKindName, type KindId, kindId } from "../refs.ts";
import { guardOf, objectSchemaOf } from "./built-in-schema.ts";
import { objectSchema } from "./core-schemas.ts";
import { compileObjectSchema, type KindSchema } from "./object-schema.ts";
import { openFilterTypes } from "./open-filter-types.ts";
import { objects, text } from "./read-fields.ts";
import type { Schema } from "./schema.ts";

/** The schemas of a snapshot: those of its CRDs, and the built-in ones. */
export interface SchemaBook {
  /** The schema that objects of a family are judged by. */
  readonly of: (family: ObjectFamily) => KindSchema;
  /** The schema of a CRD of the input, also of policies. Undefined if no CRD has this kind and version. */
  readonly ofCrd: (family: ObjectFamily) => KindSchema | undefined;
}

/** The label of the CRDs of policies. */
export const POLICY_LABEL = "gateway.networking.k8s.io/policy";
/** The fields that name the targets of a policy, unless its definition names others. */
export const TARGET_FIELDS: readonly string[] = ["targetRef", "targetRefs", "targetSelectors"];

/**
 * The CRD of the input first
 *
 * An object is judged by the schema of the version that it is written in, of a CRD in the input; without one by Gateway API's
 * built-in schema. A policy that breaks its schema is Invalid instead of absent: parsing it says so. `rules`: CRDs and
 * PolicyDefinitions.
 * Kubernetes, "Validation"
 */
export function schemaBook(rules: readonly KubeObject[]): SchemaBook {
  const kinds = new Map<KindId, CrdSchemas>();
  const crds = rules.filter(({ family }) => family.kind === "CustomResourceDefinition");
  const defined = new Set(rules.flatMap(policyKindsOf));
  // The API server serves one CRD of a kind. Of several in the input the first by name counts.
  for (const crd of crds.sort((a, b) => compareText(a.id, b.id))) {
    const schemas = crdSchemas(crd);
    if (schemas !== undefined && !kinds.has(schemas.kindId)) kinds.set(schemas.kindId, schemas);
  }
  const ofCrd: SchemaBook["ofCrd"] = ({ kindId: id, apiVersion }) => kinds.get(id)?.byVersion.get(apiVersion)?.();
  return {
    ofCrd,
    of: (family) => {
      const isPolicy = defined.has(family.kindId) || (kinds.get(family.kindId)?.isPolicy ?? false);
      return (isPolicy ? undefined : ofCrd(family)) ?? objectSchemaOf(family);
    },
  };
}

/** The kinds that a PolicyDefinition describes. */
const policyKindsOf = ({ family, raw }: KubeObject): readonly KindId[] =>
  family.kind !== "PolicyDefinition"
    ? []
    : objects(objectAt(raw, "spec"), "policies").map((policy) =>
        kindId({ group: text(policy, "group", ""), kind: text(policy, "kind", "") }),
      );

interface CrdSchemas {
  readonly kindId: KindId;
  readonly isPolicy: boolean;
  /** By `group/version`. */
  readonly byVersion: ReadonlyMap<string, () => KindSchema>;
}

function crdSchemas(crd: KubeObject): CrdSchemas | undefined {
  const spec = objectAt(crd.raw, "spec");
  const [group, kind] = [ownValue(spec, "group"), ownValue(objectAt(spec, "names"), "kind")];
  if (typeof group !== "string" || typeof kind !== "string" || !isGroupName(group) || !isKindName(kind))
    return undefined;
  const byVersion = new Map<string, () => KindSchema>();
  let isPolicy = Object.hasOwn(labelsOf(crd), POLICY_LABEL);
  for (const version of objects(spec, "versions")) {
    const name = ownValue(version, "name");
    const root = objectAt(objectAt(version, "schema"), "openAPIV3Schema");
    if (typeof name !== "string" || !isJsonObject(ownValue(root, "properties"))) continue;
    const apiVersion = `${group}/${name}`;
    isPolicy ||= hasTargetFields(root);
    byVersion.set(
      apiVersion,
      once(() => {
        const guard = guardOf({ apiVersion, group, kind });
        const schema = compileObjectSchema(wholeObject(root));
        return { first: schema, others: () => [], ...(guard === undefined ? {} : { guard }) };
      }),
    );
  }
  return { kindId: kindId({ group, kind }), isPolicy, byVersion };
}

const hasTargetFields = (root: JsonObject): boolean => {
  const properties = objectAt(objectAt(objectAt(root, "properties"), "spec"), "properties");
  return TARGET_FIELDS.some((field) => Object.hasOwn(properties, field));
};

/** The schema of a CRD with that of metadata; status is not judged. */
function wholeObject(root: JsonObject): Schema {
  const { properties, required } = root;
  const own = isJsonObject(properties) ? properties : {};
  const { apiVersion: _, kind: _kind, metadata: _metadata, status: _status, ...fields } = own;
  const names = isJsonList(required) ? required.filter((name) => typeof name === "string" && name !== "status") : [];
  const whole = objectSchema(openFilterTypes({ properties: fields } as Schema).properties, ...(names as string[]));
  const { properties: _properties, required: _required, type: _type, ...rest } = root;
  return { ...rest, ...whole };
}
