import type { JsonObject } from "./json.ts";
import { type KindId, kindId, type ObjectId, type ObjectRef, objectId } from "./refs.ts";

/** Where a document was read from. Positions never influence a result. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What the objects of a kind in a namespace have in common. */
export interface ObjectFamily {
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  readonly kindId: KindId;
  readonly namespace: string;
  /** Their ids, but for the name. */
  readonly prefix: string;
}

export function objectFamily(apiVersion: string, kind: string, namespace: string): ObjectFamily {
  const slash = apiVersion.indexOf("/");
  const group = slash === -1 ? "" : apiVersion.slice(0, slash);
  const prefix = objectId({ group, kind, namespace, name: "" });
  return { apiVersion, group, kind, kindId: kindId({ group, kind }), namespace, prefix };
}

/** The id of one of them. A sum of two texts would hold on to both of them; this is one text. */
export const idIn = ({ prefix }: ObjectFamily, name: string): ObjectId => [prefix, name].join("") as ObjectId;

/**
 * One object of the snapshot: identity parsed, everything else kept as it came (unknown fields included). Small, as there
 * are many: its reference and its id are built on first access.
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

  /** Made anew each time: `family` and `name` say the same for nothing. */
  get ref(): ObjectRef {
    const { group, kind, namespace } = this.family;
    return { group, kind, namespace, name: this.name };
  }

  get apiVersion(): string {
    return this.family.apiVersion;
  }
}
