import type { JsonObject } from "./json.ts";
import type { KubeObject, SourcePosition } from "./kube-object.ts";
import type { ObjectId, ObjectRef } from "./refs.ts";

/** What the objects of a kind in a namespace have in common. */
export interface ObjectFamily {
  readonly apiVersion: string;
  readonly kind: string;
  readonly group: string;
  readonly namespace: string;
  /** Their ids, but for the name. */
  readonly prefix: string;
}

/** An object of the snapshot, small, as there are many: its reference is put together when somebody asks. */
export class IdentifiedObject implements KubeObject {
  readonly id: ObjectId;
  readonly raw: JsonObject;
  declare readonly source?: SourcePosition;
  readonly #family: ObjectFamily;
  readonly #name: string;

  constructor(family: ObjectFamily, name: string, raw: JsonObject, source: SourcePosition | undefined) {
    // A sum of two texts would hold on to both of them; this is one text, and it is kept for every object.
    this.id = [family.prefix, name].join("") as ObjectId;
    this.raw = raw;
    this.#family = family;
    this.#name = name;
    if (source !== undefined) this.source = source;
  }

  get ref(): ObjectRef {
    const { group, kind, namespace } = this.#family;
    return { group, kind, namespace, name: this.#name };
  }

  get apiVersion(): string {
    return this.#family.apiVersion;
  }
}
