import { isJsonObject, type JsonObject, objectAt, ownValue, textAt } from "./json.ts";
import { type KindId, kindId, type ObjectId, type ObjectRef, objectId } from "./refs.ts";

/** The position of a document in a file. Positions never influence a result. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The fields that all objects of a kind in a namespace share. */
export interface ObjectFamily {
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  readonly kindId: KindId;
  readonly namespace: string;
  /** The ids of the objects without the name. */
  readonly prefix: string;
}

/** The group of an `apiVersion`. Kubernetes' core group is empty. */
export function groupIn(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

/** The reference of an object as it is written. A part that is absent is empty. */
export function writtenRef(object: JsonObject): ObjectRef {
  const metadata = objectAt(object, "metadata");
  return {
    group: groupIn(textAt(object, "apiVersion")),
    kind: textAt(object, "kind"),
    namespace: textAt(metadata, "namespace"),
    name: textAt(metadata, "name"),
  };
}

export function objectFamily(apiVersion: string, kind: string, namespace: string): ObjectFamily {
  const group = groupIn(apiVersion);
  const prefix = objectId({ group, kind, namespace, name: "" });
  return { apiVersion, group, kind, kindId: kindId({ group, kind }), namespace, prefix };
}

/** The id of an object. `join` makes one flat string; `+` would keep both parts in memory. */
const idIn = ({ prefix }: ObjectFamily, name: string): ObjectId => [prefix, name].join("") as ObjectId;

/**
 * One object of the snapshot: its parsed identity and the document as it was given, unknown fields included. Snapshots have
 * many objects, so references and ids are built on demand.
 */
export class KubeObject {
  readonly raw: JsonObject;
  declare readonly source?: SourcePosition;
  readonly family: ObjectFamily;
  readonly name: string;
  #id: ObjectId | undefined;

  constructor(family: ObjectFamily, name: string, raw: JsonObject, source?: SourcePosition) {
    this.raw = raw;
    this.family = family;
    this.name = name;
    this.#id = undefined;
    if (source !== undefined) this.source = source;
  }

  get id(): ObjectId {
    this.#id ??= idIn(this.family, this.name);
    return this.#id;
  }

  /** Builds a new record each time; `family` and `name` have the same content at no cost. */
  get ref(): ObjectRef {
    const { group, kind, namespace } = this.family;
    return { group, kind, namespace, name: this.name };
  }

  get apiVersion(): string {
    return this.family.apiVersion;
  }
}

const NO_LABELS: JsonObject = {};

export function labelsOf(object: Pick<KubeObject, "raw"> | undefined): JsonObject {
  const metadata = object === undefined ? undefined : ownValue(object.raw, "metadata");
  const labels = isJsonObject(metadata) ? ownValue(metadata, "labels") : undefined;
  return isJsonObject(labels) ? labels : NO_LABELS;
}

/** The value of one annotation. Undefined if it is not there or is no string. */
export function annotationOf(object: Pick<KubeObject, "raw">, key: string): string | undefined {
  const metadata = ownValue(object.raw, "metadata");
  const annotations = isJsonObject(metadata) ? ownValue(metadata, "annotations") : undefined;
  const value = isJsonObject(annotations) ? ownValue(annotations, key) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The label that the API server adds to every Namespace. */
export const NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name";

/** The labels of a Namespace, defined or not. The API server adds one with its name. */
export const namespaceLabelsOf = (object: KubeObject | undefined, name: string): JsonObject => ({
  ...labelsOf(object),
  [NAMESPACE_NAME_LABEL]: name,
});
