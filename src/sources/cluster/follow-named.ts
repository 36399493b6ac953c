/** Follows Secrets and ConfigMaps one by one, by their names: nothing else of these kinds is ever read. */
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { type FollowCounts, followKind } from "../../adapters/cluster/follow/kind-follower.ts";
import type { Change } from "../../core/apply.ts";
import { type JsonObject, objectAt } from "../../core/model/json.ts";
import { ABSENT } from "../../core/model/missing-content.ts";
import { formatRef, type ObjectId, type ObjectRef, objectId } from "../../core/model/refs.ts";
import { type KeyMaterial, splitKeyMaterial } from "../key-material.ts";

export interface NamedObjectsOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  /** Called with the changes: Secrets without their contents. Also called when only key material changed. */
  readonly onChanges: (changes: readonly Change[]) => void;
  /** An object cannot be followed for now; undefined when it can again. Its last state stays. */
  readonly onTrouble: (what: string, error: Error | undefined) => void;
  readonly counts?: FollowCounts | undefined;
}

const resource = (kind: string, plural: string): ApiResource => ({
  group: "",
  version: "v1",
  kind,
  plural,
  isNamespaced: true,
  verbs: ["list", "watch"],
  shortNames: [],
  hasStatus: false,
});
const RESOURCES: readonly ApiResource[] = [resource("Secret", "secrets"), resource("ConfigMap", "configmaps")];

interface Named {
  readonly ref: ObjectRef;
  readonly stop: AbortController;
  /** The object as it is in the evaluation. Undefined: not read yet. */
  seen: JsonObject | undefined;
  /** True until it has been read, or has taken too long. */
  isAwaited: boolean;
  certificates: KeyMaterial["certificates"];
  authorities: KeyMaterial["authorities"];
}

const NOTHING: Pick<Named, "certificates" | "authorities"> = { certificates: new Map(), authorities: new Map() };

/**
 * Follows Secrets and ConfigMaps by name. Each is followed by a watch of its own (`fieldSelector: metadata.name`), as long as it is wanted.
 * What does not exist is an object that says so, because a name that was not read is not known to be absent. What cannot be read any more
 * stays as it was last read.
 */
export class NamedObjects {
  readonly #options: NamedObjectsOptions;
  readonly #named = new Map<ObjectId, Named>();
  #material: KeyMaterial | undefined;

  constructor(options: NamedObjectsOptions) {
    this.#options = options;
  }

  /** True if something that is wanted has not been read yet, and is waited for. */
  isPending(): boolean {
    for (const { isAwaited } of this.#named.values()) if (isAwaited) return true;
    return false;
  }

  /** Ends the wait for objects that have not been read by now. */
  stopAwaiting(): void {
    for (const named of this.#named.values()) named.isAwaited = false;
  }

  /** The objects that have been read. */
  objects(): readonly JsonObject[] {
    return Array.from(this.#named.values(), ({ seen }) => seen).filter((seen) => seen !== undefined);
  }

  /** Certificates and keys. The returned object is the same until something in it changes. */
  keyMaterial(): KeyMaterial {
    this.#material ??= {
      certificates: new Map(Array.from(this.#named.values()).flatMap(({ certificates }) => [...certificates])),
      authorities: new Map(Array.from(this.#named.values()).flatMap(({ authorities }) => [...authorities])),
    };
    return this.#material;
  }

  /** Follows these, and no others. Returns what is not followed any more, as changes. */
  want(refs: readonly ObjectRef[]): readonly Change[] {
    const wanted = new Map(refs.map((ref) => [objectId(ref), ref]));
    const gone: Change[] = [];
    for (const [id, { ref, stop, seen }] of this.#named) {
      if (wanted.has(id)) continue;
      stop.abort();
      this.#named.delete(id);
      this.#material = undefined;
      this.#options.onTrouble(formatRef(ref), undefined);
      if (seen !== undefined) gone.push({ delete: ref });
    }
    for (const [id, ref] of wanted) if (!this.#named.has(id)) this.#follow(id, ref);
    return gone;
  }

  #follow(id: ObjectId, ref: ObjectRef): void {
    const { client, signal, onTrouble, counts } = this.#options;
    const found = RESOURCES.find(({ kind }) => kind === ref.kind);
    if (found === undefined || ref.group !== "") return;
    const named: Named = { ref, stop: new AbortController(), seen: undefined, isAwaited: true, ...NOTHING };
    this.#named.set(id, named);
    void followKind({
      client,
      resource: found,
      namespace: ref.namespace,
      fieldSelector: `metadata.name=${ref.name}`,
      signal: AbortSignal.any([signal, named.stop.signal]),
      ...(counts === undefined ? {} : { counts }),
      onTrouble: (error) => onTrouble(formatRef(ref), error),
      onChanges: ({ upserted }) => {
        if (!named.stop.signal.aborted) this.#use(named, upserted.at(-1));
      },
    });
  }

  /** `object`: undefined if it does not exist. */
  #use(named: Named, object: JsonObject | undefined): void {
    const value: JsonObject = { ...(object ?? absentObject(named.ref)), apiVersion: "v1", kind: named.ref.kind };
    const { documents, keyMaterial } = splitKeyMaterial([{ value }], decodeBase64);
    const [document] = documents;
    if (document === undefined) return;
    named.seen = withNeeded(document.value);
    named.isAwaited = false;
    named.certificates = keyMaterial.certificates;
    named.authorities = keyMaterial.authorities;
    this.#material = undefined;
    this.#options.onChanges([{ upsert: named.seen }]);
  }
}

const absentObject = ({ namespace, name }: ObjectRef): JsonObject => ({
  metadata: { namespace, name },
  [ABSENT]: true,
});

/** A ConfigMap is kept with its authorities only. */
function withNeeded(object: JsonObject): JsonObject {
  if (object["kind"] !== "ConfigMap") return object;
  const { data: _, binaryData: __, ...rest } = object;
  const { [AUTHORITIES]: text } = objectAt(object, "data");
  const { [AUTHORITIES]: bytes } = objectAt(object, "binaryData");
  return {
    ...rest,
    ...(text === undefined ? {} : { data: { [AUTHORITIES]: text } }),
    ...(bytes === undefined ? {} : { binaryData: { [AUTHORITIES]: bytes } }),
  };
}

const AUTHORITIES = "ca.crt";

const decodeBase64 = (text: string): string => Buffer.from(text, "base64").toString("utf8");
