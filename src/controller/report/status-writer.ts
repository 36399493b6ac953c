/** Writes the status of one object at a time. */
import { isDeepStrictEqual } from "node:util";
import { ApiError, isConflict, isNotFound } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { getObject, updateObject, updateStatus } from "../../adapters/cluster/client/object-requests.ts";
import { type ApiResource, resourceName } from "../../adapters/cluster/client/resource.ts";
import { trimObject } from "../../adapters/cluster/client/trim-object.ts";
import { type JsonObject, objectAt, objectsIn, ownValue, textAt } from "../../core/model/json.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { type ObjectId, parseObjectId } from "../../core/model/refs.ts";
import { type MergedStatus, type MergeOptions, mergeStatus } from "../../core/status/merge-status.ts";
import type { WantedStatus } from "../../core/status/wanted-status.ts";
import type { StoppedStatus } from "../../core/view/view-context.ts";
import type { ObjectCache } from "./object-cache.ts";
import { ResetLog } from "./reset-log.ts";
import type { WriteLimit } from "./write-limit.ts";
import { WritePace } from "./write-pace.ts";

/** The status to write for one object now. */
export interface WantedWrite {
  readonly wanted: WantedStatus;
  readonly resource: ApiResource;
  readonly options: Omit<MergeOptions, "now">;
  /** The parts that may not be changed now, because something that they depend on cannot be read. Equal texts mean equal parts. */
  readonly held: string;
}

/** The outcome of a write, for metrics and the log. */
export type WriteEvent =
  | { readonly type: "Written" | "Conflict" | "WouldWrite"; readonly object: ObjectId; readonly resource: string }
  /** The API server refused it, or could not be reached. There is another attempt later. */
  | { readonly type: "Refused"; readonly object: ObjectId; readonly resource: string; readonly error: Error }
  /** Another writer has removed our entries once more. */
  | { readonly type: "Reset"; readonly object: ObjectId; readonly resource: string; readonly manager: string }
  /** Nothing is written here any more. */
  | { readonly type: "Stopped"; readonly object: ObjectId; readonly resource: string; readonly manager: string }
  /** A part of what is wanted has no room, or the object cannot have a status. */
  | { readonly type: "LeftOut"; readonly object: ObjectId; readonly resource: string; readonly message: string };

export interface StatusWriterOptions {
  readonly client: KubeClient;
  /** The manager of the fields that are written (`fieldManagerOf`). */
  readonly fieldManager: string;
  readonly cache: ObjectCache;
  readonly limit: WriteLimit;
  /** Undefined if nothing is known about the kind of the object. */
  readonly find: (id: ObjectId) => WantedWrite | undefined;
  /** How much longer this process may write. */
  readonly remainingMs: () => number;
  readonly isDryRun: boolean;
  readonly report: (event: WriteEvent) => void;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly random?: () => number;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 5 * 60_000;
const MOST_CONFLICTS = 5;
const WRITE_DEADLINE_MS = 10_000;

interface WriteRecord {
  /** The uid of the object: another object of the same name begins anew. */
  readonly uid: string;
  /** The status that the object was last found with, or was given, and how many parts of it had no entry or no room. Undefined: not known. */
  confirmed: Confirmed | undefined;
  failures: number;
  readonly pace: WritePace;
  readonly resets: ResetLog;
  readonly reported: Set<string>;
}

interface Confirmed extends Pick<WantedWrite, "wanted" | "held"> {
  readonly leftOut: number;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #records = new Map<ObjectId, WriteRecord>();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** The number of objects that are not written because another writer resets them. */
  countStopped(): number {
    const nowMs = this.#options.monotonicMs();
    return [...this.#records.values()].filter(({ resets }) => resets.stoppedBy(nowMs) !== undefined).length;
  }

  /** Undefined unless the status of the object differs from what is wanted because another writer resets it. */
  stoppedStatus(id: ObjectId): StoppedStatus | undefined {
    const { nowMs, monotonicMs } = this.#options;
    const record = this.#records.get(id);
    const stopped = record?.confirmed === undefined ? record?.resets.stopped : undefined;
    return stopped && { manager: stopped.manager, until: formatTime(nowMs() + stopped.untilMs - monotonicMs()) };
  }

  forget(): void {
    this.#records.clear();
  }

  /** Makes the status of the object what is wanted. Returns the time after which to call again, if that is needed. */
  async write(id: ObjectId): Promise<number | undefined> {
    try {
      for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts++) {
        const outcome = await this.#attempt(id);
        if (outcome !== "Conflict") return outcome;
        await this.#readAgain(id);
      }
      return FIRST_WAIT_MS;
    } catch (error) {
      return this.#refused(id, error);
    }
  }

  /** Undefined: done; a number: again after that time. */
  async #attempt(id: ObjectId): Promise<number | undefined | "Conflict"> {
    const { cache, limit, find, remainingMs, signal, monotonicMs } = this.#options;
    const first = find(id);
    const seen = cache.find(id);
    if (first === undefined || seen === undefined) {
      this.#records.delete(id);
      return undefined;
    }
    const record = this.#recordOf(id, seen);
    const merged = this.#merge(seen, first);
    if (!this.#differs(id, record, merged, first)) return undefined;
    const waitMs = record.pace.waitMs(first.wanted, monotonicMs());
    if (waitMs > 0) return waitMs;
    if (!(await this.#mayWrite(id, record, first, merged))) return undefined;
    await limit.take(signal);
    // The object, what is wanted and the leadership may have changed meanwhile.
    const now = find(id);
    const object = now === undefined ? undefined : await this.#readWhole(id, now);
    if (now === undefined || object === undefined) return undefined;
    const last = this.#merge(object, now);
    if (!this.#differs(id, record, last, now) || last.object === undefined) return undefined;
    if (remainingMs() <= 0) return FIRST_WAIT_MS;
    return this.#put(id, record, now, last, last.object);
  }

  async #put(
    id: ObjectId,
    record: WriteRecord,
    now: WantedWrite,
    { changes }: MergedStatus,
    object: JsonObject,
  ): Promise<number | undefined | "Conflict"> {
    const { client, fieldManager, cache, remainingMs, isDryRun, report, monotonicMs } = this.#options;
    const { resource, wanted, held } = now;
    const what = { object: id, resource: resourceName(resource) };
    if (isDryRun) {
      record.confirmed = { wanted, held, leftOut: 0 };
      report({ type: "WouldWrite", ...what });
      return undefined;
    }
    const options = {
      deadlineMs: Math.max(1, Math.floor(Math.min(WRITE_DEADLINE_MS, remainingMs()))),
      fieldManager,
    };
    // If the response is lost, the object may have either.
    record.confirmed = undefined;
    try {
      // A change of annotations is one of the object itself; its status follows with the new version.
      const put = changes.annotations ? updateObject : updateStatus;
      const response = trimObject(await put(client, resource, object, options));
      record.pace.noteWritten(monotonicMs());
      record.resets.noteWritten();
      record.failures = 0;
      cache.note(id, response);
      report({ type: "Written", ...what });
      const after = this.#merge(response, now);
      if (changes.annotations && changes.status) return 0;
      if (after.object !== undefined) throw new NotKeptError(resource);
      record.confirmed = { wanted, held, leftOut: after.leftOut.length };
      return undefined;
    } catch (error) {
      if (!isConflict(error)) throw error;
      report({ type: "Conflict", ...what });
      return "Conflict";
    }
  }

  #merge(object: JsonObject, { wanted, options }: WantedWrite): MergedStatus {
    return mergeStatus(object, wanted, { ...options, now: formatTime(this.#options.nowMs()) });
  }

  /** True if something is to be written. What cannot be written is reported once. */
  #differs(id: ObjectId, record: WriteRecord, merged: MergedStatus, { wanted, held, resource }: WantedWrite): boolean {
    for (const { reason, message } of merged.leftOut)
      if (reason === "Full") this.#reportOnce(id, record, resource, message);
    if (merged.object === undefined) {
      this.#options.cache.release(id);
      record.confirmed = { wanted, held, leftOut: merged.leftOut.length };
      record.failures = 0;
      return false;
    }
    if (this.#options.isDryRun && isDeepStrictEqual(record.confirmed?.wanted, wanted)) return false;
    if (!merged.changes.status || resource.hasStatus) return true;
    this.#reportOnce(id, record, resource, "the resource has no status subresource, so no status is written");
    return merged.changes.annotations;
  }

  #reportOnce(id: ObjectId, { reported }: WriteRecord, resource: ApiResource, message: string): void {
    if (reported.has(message)) return;
    reported.add(message);
    this.#options.report({ type: "LeftOut", object: id, resource: resourceName(resource), message });
  }

  /** False where another writer keeps removing what was written. */
  async #mayWrite(
    id: ObjectId,
    record: WriteRecord,
    { wanted, held, resource }: WantedWrite,
    { leftOut }: MergedStatus,
  ): Promise<boolean> {
    const { report, monotonicMs, isDryRun } = this.#options;
    const { confirmed } = record;
    // A part that was held, and differed unnoticed, may be changed again. Where fewer parts are left out than before, the controller of the Gateway has
    // listed a listener. In both cases nothing was removed.
    const isAsBefore = confirmed?.held === held && isDeepStrictEqual(confirmed.wanted, wanted);
    const wasConfirmed = confirmed !== undefined && isAsBefore && leftOut.length >= confirmed.leftOut;
    if (record.resets.stoppedBy(monotonicMs()) !== undefined) {
      // The status may have been as wanted in the meantime.
      record.confirmed = undefined;
      return false;
    }
    if (!wasConfirmed || isDryRun) return true;
    record.confirmed = undefined;
    const what = { object: id, resource: resourceName(resource), manager: await this.#lastManager(id, resource) };
    report({ type: "Reset", ...what });
    if (!record.resets.note({ manager: what.manager, atMs: monotonicMs() })) return true;
    report({ type: "Stopped", ...what });
    return false;
  }

  /** The manager, other than this controller, that wrote the object last. */
  async #lastManager(id: ObjectId, resource: ApiResource): Promise<string> {
    const { client, fieldManager, signal } = this.#options;
    const object = await getObject(client, resource, nameOf(id), { signal });
    const entries = objectsIn(ownValue(objectAt(object, "metadata"), "managedFields"))
      .filter((entry) => textAt(entry, "manager") !== fieldManager)
      .toSorted((a, b) => (textAt(a, "time") < textAt(b, "time") ? 1 : -1));
    return textAt(entries[0], "manager") || "unknown";
  }

  /**
   * The object to change. A PUT of the status of a custom resource ignores everything else, so the watched copy, which has no managed fields and not
   * all annotations, will do. For other writes the whole object is read.
   */
  async #readWhole(id: ObjectId, now: WantedWrite): Promise<JsonObject | undefined> {
    const { client, cache, signal } = this.#options;
    const { resource } = now;
    const object = cache.find(id);
    if (object === undefined) return undefined;
    if (isCustom(resource) && resource.hasStatus && !this.#merge(object, now).changes.annotations) return object;
    return getObject(client, resource, nameOf(id), { signal });
  }

  async #readAgain(id: ObjectId): Promise<void> {
    const { client, cache, find, signal } = this.#options;
    const resource = find(id)?.resource;
    if (resource === undefined) return;
    const object = await getObject(client, resource, nameOf(id), { signal });
    if (object !== undefined) cache.note(id, trimObject(object));
  }

  #refused(id: ObjectId, error: unknown): number | undefined {
    const { cache, find, report, signal, random = Math.random } = this.#options;
    if (signal.aborted) return undefined;
    const resource = find(id)?.resource;
    const record = this.#records.get(id);
    // The object is gone; the watch reports it soon.
    if (resource === undefined || record === undefined) return undefined;
    record.failures++;
    if (isNotFound(error)) {
      cache.release(id);
      if (cache.find(id) === undefined) return undefined;
      // The watch may not have reported yet that the object is gone.
      if (record.failures <= MOST_CONFLICTS) return FIRST_WAIT_MS;
    }
    report({
      type: "Refused",
      object: id,
      resource: resourceName(resource),
      error: error instanceof Error ? error : new Error(String(error)),
    });
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(record.failures - 1, 10), LONGEST_WAIT_MS);
    return waitMs * (0.75 + random() / 2);
  }

  #recordOf(id: ObjectId, object: JsonObject): WriteRecord {
    const uid = textAt(objectAt(object, "metadata"), "uid");
    let record = this.#records.get(id);
    if (record === undefined || record.uid !== uid) {
      record = {
        uid,
        confirmed: undefined,
        failures: 0,
        pace: new WritePace(),
        resets: new ResetLog(),
        reported: new Set(),
      };
      this.#records.set(id, record);
    }
    return record;
  }
}

/** RFC 3339, in seconds, as times of conditions are. */
export const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Groups of the API server's own kinds have no dot, or end with `.k8s.io`. */
const isCustom = ({ group }: ApiResource): boolean =>
  group.includes(".") && (!group.endsWith(".k8s.io") || group === GATEWAY_API);

const nameOf = (id: ObjectId): { readonly namespace?: string; readonly name: string } => {
  const { namespace, name } = parseObjectId(id);
  return namespace === "" ? { name } : { namespace, name };
};

/** The API server accepted the status and dropped what its schema does not have. */
class NotKeptError extends ApiError {
  constructor(resource: ApiResource) {
    super(
      422,
      "NotKept",
      `the API server did not keep the status of ${resourceName(resource)}: its schema has no such field`,
    );
    this.name = "NotKeptError";
  }
}
