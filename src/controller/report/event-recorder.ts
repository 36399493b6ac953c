/** Writes Events: few, and the same one not twice in a short time. */

import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { createObject } from "../../adapters/cluster/client/object-requests.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { reviewOwnAccess } from "../../adapters/cluster/client/reviews.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { type KindId, type ObjectId, parseObjectId, splitId } from "../../core/model/refs.ts";
import type { ObjectEvent } from "../../core/view/change-events.ts";

export interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly controllerName: string;
  /** The name of this process. */
  readonly instance: string;
  readonly resourceOf: (kind: KindId) => ApiResource | undefined;
  readonly objectOf: (id: ObjectId) => JsonObject | undefined;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  /** How much longer this process may write; 0 if it does not lead. */
  readonly remainingMs: () => number;
  /** Called for each Event: it was written, there were too many, or the server refused it. */
  readonly onOutcome: (outcome: EventOutcome, error?: Error) => void;
}

/** `late`: this process may not write any more. */
export type EventOutcome = "written" | "repeated" | "limited" | "late" | "failed";

const EVENTS = { group: "events.k8s.io", version: "v1", plural: "events" };
/** An Event of the same object and reason is written once in this time. */
const QUIET_MS = 60_000;
/** The number of events that are written at once. After them, one is written for each pause. */
const BURST = 30;
const PAUSE_MS = 2000;
const MOST_REMEMBERED = 10_000;
const DEADLINE_MS = 5000;
const MOST_TEXT = 1024;

const ASK_AGAIN_MS = 5 * 60_000;
const NO_RIGHT = new Error("the controller may not create events.events.k8s.io in all namespaces");

/** Events are a help for people: one that cannot be written is dropped. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  /** When the last Event of an object and reason was written. */
  readonly #last = new Map<string, number>();
  #fullAtMs = Number.NEGATIVE_INFINITY;
  #right: { readonly askedMs: number; readonly allowed: Promise<boolean> } | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record(event: ObjectEvent): void {
    const { monotonicMs, onOutcome } = this.#options;
    const nowMs = monotonicMs();
    const key = `${event.object} ${event.reason}`;
    if (nowMs - (this.#last.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return onOutcome("repeated");
    const fullAtMs = Math.max(this.#fullAtMs, nowMs) + PAUSE_MS;
    if (fullAtMs - nowMs > BURST * PAUSE_MS) return onOutcome("limited");
    this.#fullAtMs = fullAtMs;
    if (this.#last.size >= MOST_REMEMBERED) this.#last.clear();
    this.#last.set(key, nowMs);
    void this.#write(event);
  }

  async #write(event: ObjectEvent): Promise<void> {
    const { client, remainingMs, onOutcome } = this.#options;
    const object = this.#eventObject(event);
    if (object === undefined) return;
    try {
      if (!(await this.#mayCreate())) return onOutcome("failed", NO_RIGHT);
      // The review took its time, and another replica may lead by now.
      const deadlineMs = Math.floor(Math.min(DEADLINE_MS, remainingMs()));
      if (deadlineMs <= 0) return onOutcome("late");
      await createObject(client, EVENTS, object, { deadlineMs });
      onOutcome("written");
    } catch (error) {
      onOutcome("failed", error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Asked once in a while, so that a controller without the right sends no request that is refused. */
  #mayCreate(): Promise<boolean> {
    const { client, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    if (this.#right === undefined || nowMs - this.#right.askedMs > ASK_AGAIN_MS) {
      const allowed = reviewOwnAccess(client, { verb: "create", group: EVENTS.group, resource: EVENTS.plural }).then(
        (decision) => decision.allowed,
      );
      this.#right = { askedMs: nowMs, allowed };
    }
    return this.#right.allowed;
  }

  /** Kubernetes, "Event v1 events.k8s.io". Events about objects without a namespace are in `default`. */
  #eventObject({ object: id, type, reason, message }: ObjectEvent): JsonObject | undefined {
    const { controllerName, instance, resourceOf, objectOf, nowMs } = this.#options;
    const { kind, namespace, name } = parseObjectId(id);
    const resource = resourceOf(splitId(id).kind);
    const metadata = objectOf(id)?.["metadata"];
    if (resource === undefined || metadata === undefined) return undefined;
    const { group, version } = resource;
    const uid = typeof metadata === "object" && metadata !== null && "uid" in metadata ? metadata["uid"] : undefined;
    return {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: {
        generateName: `${name.slice(0, 200).replace(/[^a-z0-9]+$/, "")}-`,
        namespace: namespace === "" ? "default" : namespace,
      },
      eventTime: new Date(nowMs()).toISOString().replace("Z", "000Z"),
      reportingController: controllerName,
      reportingInstance: instance.slice(0, 128),
      action: "Evaluate",
      reason,
      type,
      note: message.slice(0, MOST_TEXT),
      regarding: {
        apiVersion: group === "" ? version : `${group}/${version}`,
        kind,
        name,
        ...(namespace === "" ? {} : { namespace }),
        ...(typeof uid === "string" ? { uid } : {}),
      },
    };
  }
}
