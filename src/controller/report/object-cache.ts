import { versionOf } from "../../adapters/cluster/client/watch-objects.ts";
import type { JsonObject } from "../../core/model/json.ts";
import type { ObjectId } from "../../core/model/refs.ts";

/** Objects as they are in the cluster: as the watch reported them, or as the response to a request of our own if that is newer. */
export class ObjectCache {
  readonly #newer = new Map<ObjectId, JsonObject>();
  /** Objects of kinds that are not followed any more, as they were last seen. */
  readonly #retained = new Map<ObjectId, JsonObject>();
  #watched: (id: ObjectId) => JsonObject | undefined = () => undefined;

  /** Uses the state of the watch from now on. Responses that it has caught up with are forgotten. */
  use(watched: (id: ObjectId) => JsonObject | undefined): void {
    this.#watched = watched;
    for (const [id, object] of this.#newer) {
      const seen = watched(id);
      if (seen === undefined || !isNewer(object, seen)) this.#newer.delete(id);
    }
  }

  find(id: ObjectId): JsonObject | undefined {
    const seen = this.#watched(id);
    return seen === undefined ? this.#retained.get(id) : (this.#newer.get(id) ?? seen);
  }

  /** Keeps an object of a kind that is not followed any more, until what was written there is withdrawn. */
  retain(id: ObjectId, object: JsonObject): void {
    this.#retained.set(id, object);
  }

  release(id: ObjectId): void {
    this.#retained.delete(id);
  }

  retained(): Iterable<ObjectId> {
    return this.#retained.keys();
  }

  /** An object from the response of a request. */
  note(id: ObjectId, object: JsonObject): void {
    const seen = this.#watched(id);
    if (this.#retained.has(id)) this.#retained.set(id, object);
    if (seen !== undefined && isNewer(object, seen)) this.#newer.set(id, object);
    else this.#newer.delete(id);
  }

  clear(): void {
    this.#newer.clear();
    this.#retained.clear();
  }
}

/** Kubernetes, "Resource versions": versions of one resource are whole numbers that grow. Where they are not, the watch counts. */
function isNewer(a: JsonObject, b: JsonObject): boolean {
  const [one, other] = [versionOf(a), versionOf(b)];
  if (!/^\d+$/.test(one) || !/^\d+$/.test(other)) return false;
  return one.length === other.length ? one > other : one.length > other.length;
}
