/** Sets and removes the finalizer of GatewayClasses. */
import { isConflict } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { getObject, updateObject } from "../../adapters/cluster/client/object-requests.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { type ClassUse, withFinalizer } from "../../core/gateway-status/class-finalizer.ts";
import { objectAt, textAt } from "../../core/model/json.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { WorkQueue } from "../report/work-queue.ts";

export interface ClassFinalizersOptions {
  readonly client: KubeClient;
  /** How much longer this process may write; 0 if it does not lead. */
  readonly remainingMs: () => number;
  /** A finalizer cannot be written for now; undefined when it can again. */
  readonly onTrouble: (error: Error | undefined) => void;
  readonly monotonicMs: () => number;
}

export const GATEWAY_CLASSES: ApiResource = {
  group: GATEWAY_API,
  version: "v1",
  kind: "GatewayClass",
  plural: "gatewayclasses",
  isNamespaced: false,
  verbs: ["get", "list", "update"],
  shortNames: [],
  hasStatus: true,
};
/** The manager of the field (Kubernetes, "Field management"). */
export const FINALIZER_MANAGER = "prevail-finalizer";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
const WRITE_DEADLINE_MS = 10_000;

/** The wish of the last state for each class is carried out once, by the replica that leads: the object is read, and written where it differs. */
export class ClassFinalizers {
  readonly #options: ClassFinalizersOptions;
  readonly #queue: WorkQueue<string>;
  #wanted: ReadonlyMap<string, ClassUse> = new Map();
  /** The wishes that were carried out. */
  readonly #done = new Map<string, ClassUse>();
  /** How often each wish that stands has failed. */
  readonly #failures = new Map<string, number>();

  constructor(options: ClassFinalizersOptions) {
    this.#options = options;
    const { monotonicMs } = options;
    this.#queue = new WorkQueue({ workers: 1, work: (name) => this.#work(name), monotonicMs });
  }

  /** The classes of this controller by name, and whether a Gateway uses each. */
  want(classes: ReadonlyMap<string, ClassUse>): void {
    this.#wanted = classes;
    for (const name of this.#done.keys()) if (!classes.has(name)) this.#done.delete(name);
    this.#addDiffering();
  }

  /** This replica writes from now on. Another one may have written meanwhile. */
  lead(): void {
    this.#done.clear();
    this.#addDiffering();
  }

  open(): void {
    this.#queue.open();
    this.#addDiffering();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #addDiffering(): void {
    for (const name of this.#wanted.keys()) if (!this.#isDone(name)) this.#queue.add(name);
  }

  #isDone(name: string): boolean {
    const [wanted, done] = [this.#wanted.get(name), this.#done.get(name)];
    return wanted?.isUsed === done?.isUsed && wanted?.uid === done?.uid;
  }

  /** Undefined: done; a number: again after that time. */
  async #work(name: string): Promise<number | undefined> {
    const { client, remainingMs, onTrouble } = this.#options;
    const wanted = this.#wanted.get(name);
    if (wanted === undefined || remainingMs() <= 0) {
      // The class has gone, or the replica that leads now reports what it cannot write.
      this.#forgetFailures(name);
      return undefined;
    }
    const deadlineMs = Math.max(1, Math.floor(Math.min(WRITE_DEADLINE_MS, remainingMs())));
    try {
      const object = await getObject(client, GATEWAY_CLASSES, { name }, { deadlineMs });
      // Another class of this name may be one of another controller. If it is ours, the next state has it.
      const isMeant = object !== undefined && textAt(objectAt(object, "metadata"), "uid") === wanted.uid;
      const next = isMeant ? withFinalizer(object, wanted) : undefined;
      if (next !== undefined) {
        if (remainingMs() <= 0) return undefined;
        await updateObject(client, GATEWAY_CLASSES, next, { deadlineMs, fieldManager: FINALIZER_MANAGER });
      }
      this.#done.set(name, wanted);
      this.#forgetFailures(name);
      return this.#isDone(name) ? undefined : 0;
    } catch (error) {
      const failures = this.#failures.get(name) ?? 0;
      this.#failures.set(name, failures + 1);
      if (!isConflict(error)) onTrouble(error instanceof Error ? error : new Error(String(error)));
      return Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 10), LONGEST_WAIT_MS);
    }
  }

  #forgetFailures(name: string): void {
    if (this.#failures.delete(name) && this.#failures.size === 0) this.#options.onTrouble(undefined);
  }
}
