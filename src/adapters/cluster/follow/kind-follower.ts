/** Keeps the objects of one resource up to date: a first list, then a watch that is renewed whenever it ends. */
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../../core/model/json.ts";
import { ApiError, isExpired, isNotFound } from "../client/api-error.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { listObjects } from "../client/list-objects.ts";
import type { ApiResource } from "../client/resource.ts";
import { versionOf, type WatchEvent, watchObjects } from "../client/watch-objects.ts";
import { objectKey } from "./object-key.ts";

export interface FollowedChanges {
  readonly upserted: readonly JsonObject[];
  readonly deleted: readonly JsonObject[];
}

export interface FollowOptions {
  readonly client: KubeClient;
  readonly resource: ApiResource;
  /** All namespaces if undefined. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly signal: AbortSignal;
  /** Called with what differs from the last call. The first call has everything, also if that is nothing. */
  readonly onChanges: (changes: FollowedChanges) => void;
  /** Called when the server cannot be followed, with the reason, and with undefined when it can again. The last state stays. */
  readonly onTrouble?: (error: Error | undefined) => void;
  readonly random?: () => number;
  /** Milliseconds between two lists of a resource that is listed repeatedly instead of watched. */
  readonly pollMs?: number | undefined;
  /** How often the follower listed and watched, for tests and metrics. */
  readonly counts?: FollowCounts;
}

export interface FollowCounts {
  lists: number;
  watches: number;
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 30_000;
/** Bookmarks come about every minute. A watch that is silent for longer is replaced. */
const SILENCE_MS = 150_000;

/**
 * Watching for changes
 *
 * The first state is streamed (`sendInitialEvents`) where the server has that, else listed in pages. A watch that ends is resumed at the last version
 * that was seen, without a list. If that version has expired (410), the last state stays until the new list is complete; then the difference is
 * reported, deletions included. Waits between failures grow to 30 s, with jitter.
 * Kubernetes, "Efficient detection of changes"
 */
export async function followKind(options: FollowOptions): Promise<void> {
  const { signal, onTrouble, random = Math.random } = options;
  let failures = 0;
  let isTroubled = false;
  const recover = (): void => {
    if (isTroubled) onTrouble?.(undefined);
    isTroubled = false;
  };
  const follower = new KindFollower(options, recover);
  while (!signal.aborted) {
    try {
      await follower.step();
      recover();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const made = follower.takeProgress();
      if (isExpired(error)) follower.forgetVersion();
      // A connection that broke after it had delivered something is resumed at once.
      failures = made ? 1 : failures + 1;
      if (failures > 1 || isNotFound(error)) {
        isTroubled = true;
        onTrouble?.(error instanceof Error ? error : new Error(String(error)));
      }
      if (made || (isExpired(error) && failures === 1)) continue;
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10), LONGEST_WAIT_MS);
      await sleep(waitMs * (0.5 + random() / 2), undefined, { signal }).catch(() => undefined);
    }
  }
}

class KindFollower {
  readonly #options: FollowOptions;
  readonly #counts: FollowCounts;
  readonly #onCurrent: () => void;
  /** Every object by its key. The objects are those that were reported, so nothing is kept twice. */
  #known = new Map<string, JsonObject>();
  #version: string | undefined;
  #canStream = true;
  #hasReported = false;
  #hasProgressed = false;

  /** `onCurrent`: called when the objects are known to be up to date, as far as the server has them. */
  constructor(options: FollowOptions, onCurrent: () => void) {
    this.#options = options;
    this.#onCurrent = onCurrent;
    this.#counts = options.counts ?? { lists: 0, watches: 0 };
  }

  forgetVersion(): void {
    this.#version = undefined;
  }

  /** True if anything arrived since the last call. */
  takeProgress(): boolean {
    const made = this.#hasProgressed;
    this.#hasProgressed = false;
    return made;
  }

  /** One list if there is no version to resume at, then one watch until it ends. */
  async step(): Promise<void> {
    const { pollMs, signal } = this.#options;
    if (pollMs !== undefined) {
      if (this.#hasReported) await sleep(pollMs, undefined, { signal });
      return this.#list();
    }
    if (this.#version === undefined && !this.#canStream) await this.#list();
    await this.#watch();
  }

  async #list(): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector, signal } = this.#options;
    this.#counts.lists++;
    const { items, resourceVersion } = await listObjects(client, resource, {
      namespace,
      labelSelector,
      fieldSelector,
      signal,
    });
    this.#replace(items);
    this.#version = resourceVersion;
    this.#hasProgressed = true;
  }

  async #watch(): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector, signal, random = Math.random } = this.#options;
    this.#counts.watches++;
    const silence = new Silence(SILENCE_MS);
    const timeoutSeconds = Math.round(300 + 300 * random());
    const initial: JsonObject[] | undefined = this.#version === undefined ? [] : undefined;
    if (initial !== undefined) this.#counts.lists++;
    try {
      const events = watchObjects(client, resource, {
        namespace,
        labelSelector,
        fieldSelector,
        resourceVersion: this.#version,
        timeoutSeconds,
        signal: AbortSignal.any([signal, silence.signal]),
        onOpen: () => {
          if (initial === undefined) this.#onCurrent();
        },
      });
      let isInitial = initial !== undefined;
      for await (const event of events) {
        silence.isBroken();
        this.#hasProgressed ||= !isInitial;
        if (!isInitial) this.#take(event);
        else if (event.type === "BOOKMARK" && event.endsInitialEvents) {
          isInitial = false;
          this.#replace(initial ?? []);
          this.#version = event.resourceVersion;
          this.#hasProgressed = true;
          this.#onCurrent();
        } else if (event.type !== "BOOKMARK") initial?.push(event.object);
      }
    } catch (error) {
      if (initial !== undefined && this.#version === undefined && isRefusal(error)) {
        // An older server, or one without the feature, refuses the options.
        this.#canStream = false;
        return;
      }
      throw error;
    } finally {
      silence.end();
    }
  }

  #take(event: WatchEvent): void {
    const { onChanges } = this.#options;
    if (event.resourceVersion !== "") this.#version = event.resourceVersion;
    if (event.type === "BOOKMARK") return;
    const key = objectKey(event.object);
    if (event.type === "DELETED") {
      if (this.#known.delete(key)) onChanges({ upserted: [], deleted: [event.object] });
      return;
    }
    // A resumed watch may repeat what was seen.
    const before = this.#known.get(key);
    if (before !== undefined && versionOf(before) === event.resourceVersion) return;
    this.#known.set(key, event.object);
    onChanges({ upserted: [event.object], deleted: [] });
  }

  #replace(items: readonly JsonObject[]): void {
    const next = new Map(items.map((item) => [objectKey(item), item]));
    const upserted = items.filter((item) => {
      const before = this.#known.get(objectKey(item));
      return before === undefined || versionOf(before) !== versionOf(item);
    });
    const deleted = [...this.#known].filter(([key]) => !next.has(key)).map(([, object]) => object);
    this.#known = next;
    if (this.#hasReported && upserted.length === 0 && deleted.length === 0) return;
    this.#hasReported = true;
    this.#options.onChanges({ upserted, deleted });
  }
}

/** The server does not know `sendInitialEvents`, or forbids it: 400 or 422. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 400 || error.status === 422);

/** Aborts its signal if nothing calls `isBroken` for a while. */
class Silence {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(new Error("the watch was silent for too long")), ms);
    this.#timer.unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  isBroken(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
