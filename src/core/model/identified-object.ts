import type { JsonObject } from "./json.ts";
import type { KubeObject, SourcePosition } from "./kube-object.ts";
import type { KindId, ObjectId, ObjectRef } from "./refs.ts";

/** What the objects of a kind in a namespace have in common. */
export interface ObjectFamily {
  readonly apiVersion: string;
  readonly kind: string;
  readonly group: string;
  readonly namespace: string;
  readonly kindId: KindId;
  /** Their ids, but for the name. */
  readonly prefix: string;
}

/** An object of the snapshot, small, as there are many: its reference and its id are put together when somebody asks. */
export class IdentifiedObject implements KubeObject {
  readonly raw: JsonObject;
  declare readonly source?: SourcePosition;
  readonly family: ObjectFamily;
  readonly name: string;
  #id: ObjectId | undefined;

  constructor(family: ObjectFamily, name: string, raw: JsonObject, source: SourcePosition | undefined) {
    this.raw = raw;
    this.family = family;
    this.name = name;
    this.#id = undefined;
    if (source !== undefined) this.source = source;
  }

  get id(): ObjectId {
    // A sum of two texts would hold on to both of them; this is one text, and it is kept.
    this.#id ??= [this.family.prefix, this.name].join("") as ObjectId;
    return this.#id;
  }

  get ref(): ObjectRef {
    const { group, kind, namespace } = this.family;
    return { group, kind, namespace, name: this.name };
  }

  get apiVersion(): string {
    return this.family.apiVersion;
  }
}
