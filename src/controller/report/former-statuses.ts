/** Withdraws what the controller wrote into objects of kinds that it does not report on any more. */
import { setTimeout as sleep } from "node:timers/promises";
import { isForbidden, isNotFound } from "../../adapters/cluster/client/api-error.ts";
import { discoverResources } from "../../adapters/cluster/client/discover-resources.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import type { ApiObjectName } from "../../adapters/cluster/client/object-requests.ts";
import { type ApiResource, resourceName } from "../../adapters/cluster/client/resource.ts";
import { reviewOwnAccess } from "../../adapters/cluster/client/reviews.ts";
import { type GroupKind, type ObjectId, objectId } from "../../core/model/refs.ts";
import { NOTHING_WANTED } from "../../core/status/wanted-status.ts";
import type { WriteEvent } from "./status-writer.ts";
import { findWritten, mayBeWritten, RestoredError, type WithdrawOptions, withdrawObject } from "./withdraw-object.ts";
import type { WriteLimit } from "./write-limit.ts";

export interface FormerStatusesOptions extends Pick<WithdrawOptions, "isReported"> {
  readonly client: KubeClient;
  readonly controllerName: string;
  readonly isDryRun: boolean;
  readonly remainingMs: () => number;
  readonly limit: WriteLimit;
  readonly report: (event: WriteEvent) => void;
  readonly signal: AbortSignal;
  readonly now: () => string;
  readonly find: (kind: GroupKind) => FormerKind;
}

/** The current facts about a kind. */
export interface FormerKind {
  /** `Nothing`: there is nothing to withdraw. `Held`: not now, because something that this rests on cannot be read. */
  readonly state: "Nothing" | "Held" | "Former";
  /** True: its objects are seen, so that all but conditions of policies is withdrawn where the status is written. */
  readonly isFollowed: boolean;
  readonly isPolicyKind: boolean;
  /** False: its objects are followed, and none was seen with a condition of a policy. */
  readonly mayHaveAny: boolean;
}

/** A part of objects, which has a right of its own. */
type Part = NonNullable<WithdrawOptions["part"]>;

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const WRITE_DEADLINE_MS = 10_000;

/**
 * Withdraws the status that a definition leaves behind. Two parts of what was written are not seen in the evaluation: conditions of policies without ancestors,
 * which do not name their controller, and everything in objects of kinds that are not followed, because a PolicyDefinition was deleted while no controller
 * ran. Both are found by the field manager of the controller, in lists of metadata: once when this replica begins to lead, and for each kind that it ceases to own.
 */
export class FormerStatuses {
  readonly #options: FormerStatusesOptions;
  /** Resources that have to be looked at, by name. `isKnown`: something was written there, which may not have been seen yet. */
  readonly #pending = new Map<string, { readonly resource: ApiResource; readonly isKnown: boolean }>();
  #isAllPending = false;
  #leading: AbortController | undefined;
  #running: Promise<void> | undefined;

  constructor(options: FormerStatusesOptions) {
    this.#options = options;
  }

  /** True: something has to be looked at, now or again after a time. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** This process leads from now on. */
  lead(): void {
    this.#leading ??= new AbortController();
    this.#isAllPending = true;
    this.#run();
  }

  /** The kind of this resource may not be owned any more. */
  add(resource: ApiResource): void {
    if (this.#leading === undefined) return;
    this.#pending.set(resourceName(resource), { resource, isKnown: true });
    this.#run();
  }

  /** Resolves when no write is under way. */
  async follow(): Promise<void> {
    this.#leading?.abort();
    this.#leading = undefined;
    this.#isAllPending = false;
    this.#pending.clear();
    await this.#running;
  }

  #run(): void {
    if (this.#leading === undefined || this.#running !== undefined || this.#options.signal.aborted) return;
    this.#running = this.#work(AbortSignal.any([this.#leading.signal, this.#options.signal])).finally(() => {
      this.#running = undefined;
      if (this.#isAllPending || this.#pending.size > 0) this.#run();
    });
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      if (this.#isAllPending) await this.#findAll(signal).catch(() => undefined);
      for (const [name, entry] of this.#pending) {
        const isDone = await this.#look(entry, signal).catch((error) => isForbidden(error) || isNotFound(error));
        // The kind may have been added again meanwhile.
        if (isDone && this.#pending.get(name) === entry) this.#pending.delete(name);
      }
      if (!this.#isAllPending && this.#pending.size === 0) return;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #findAll(signal: AbortSignal): Promise<void> {
    const { resources } = await discoverResources(this.#options.client, signal);
    if (signal.aborted) return;
    this.#isAllPending = false;
    for (const resource of resources)
      if (mayBeWritten(resource) && !this.#pending.has(resourceName(resource)))
        this.#pending.set(resourceName(resource), { resource, isKnown: false });
  }

  /** True if nothing is left of what was written into objects of this resource, or nothing can be done about it. */
  async #look(
    { resource, isKnown }: { readonly resource: ApiResource; readonly isKnown: boolean },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, controllerName, find } = this.#options;
    const { state, isFollowed, mayHaveAny } = find(resource);
    if (state !== "Former") return state === "Nothing";
    if (!mayHaveAny && !isKnown) return true;
    if (!(await this.#may("list", resource, "", signal))) return true;
    const names = await findWritten(client, resource, controllerName, signal);
    if (names.length === 0) return true;
    let isDone = true;
    // Objects that are followed lose only conditions of policies here.
    for (const part of [
      ...(resource.hasStatus ? (["status"] as const) : []),
      ...(isFollowed ? [] : (["annotations"] as const)),
    ])
      isDone = (await this.#withdrawPart(resource, names, part, signal)) && isDone;
    return isDone;
  }

  /** As above. Without the right to the part one object that has it is named. */
  async #withdrawPart(
    resource: ApiResource,
    names: readonly ApiObjectName[],
    part: Part,
    signal: AbortSignal,
  ): Promise<boolean> {
    const mayWrite = await this.#may("update", resource, part === "status" ? "/status" : "", signal);
    let isDone = true;
    for (const name of names) {
      const outcome = await this.#withdraw(resource, name, { part, mayWrite }, signal);
      if (outcome === "Forbidden") return isDone;
      isDone = outcome === "Done" && isDone;
    }
    return isDone;
  }

  async #may(verb: string, resource: ApiResource, subresource: string, signal: AbortSignal): Promise<boolean> {
    const { group, plural } = resource;
    const access = { verb, group, resource: `${plural}${subresource}` };
    return (await reviewOwnAccess(this.#options.client, access, { signal })).allowed;
  }

  /** `Forbidden`: there is something that may not be written. `Later`: it needs another attempt. */
  async #withdraw(
    resource: ApiResource,
    name: ApiObjectName,
    { part, mayWrite }: { readonly part: Part; readonly mayWrite: boolean },
    signal: AbortSignal,
  ): Promise<"Done" | "Forbidden" | "Later"> {
    const { client, controllerName, isReported, isDryRun, remainingMs, limit, find, report, now } = this.#options;
    const { isFollowed, isPolicyKind } = find(resource);
    const what = { object: idOf(resource, name), resource: resourceName(resource) };
    const isSame = (kind: FormerKind): boolean =>
      kind.state === "Former" && kind.isFollowed === isFollowed && kind.isPolicyKind === isPolicyKind;
    const beforeWrite = async (): Promise<{ readonly deadlineMs: number } | undefined> => {
      if (isDryRun || !mayWrite) return undefined;
      await limit.take(signal);
      const deadlineMs = Math.floor(Math.min(WRITE_DEADLINE_MS, remainingMs()));
      return signal.aborted || deadlineMs <= 0 || !isSame(find(resource)) ? undefined : { deadlineMs };
    };
    try {
      const outcome = await withdrawObject({
        client,
        controllerName,
        resource,
        name,
        wanted: isFollowed ? undefined : NOTHING_WANTED,
        isPolicyKind,
        isReported,
        part,
        beforeWrite,
        now,
        signal,
      });
      if (outcome === "Withdrawn") report({ type: "Written", ...what });
      if (outcome !== "Withheld") return "Done";
      if (!mayWrite) {
        report({ type: "LeftOut", ...what, message: forbiddenMessage(resource, part) });
        return "Forbidden";
      }
      if (isDryRun) report({ type: "WouldWrite", ...what });
      return isDryRun ? "Done" : "Later";
    } catch (error) {
      if (!signal.aborted)
        report({ type: "Refused", ...what, error: error instanceof Error ? error : new Error(String(error)) });
      return isForbidden(error) || error instanceof RestoredError ? "Done" : "Later";
    }
  }
}

const forbiddenMessage = (resource: ApiResource, part: Part): string =>
  part === "status"
    ? `what was written into ${resourceName(resource)} cannot be withdrawn without the right to update their status`
    : `annotations of ${resourceName(resource)} cannot be withdrawn without the right to update the objects`;

const idOf = ({ group, kind }: ApiResource, { namespace = "", name }: ApiObjectName): ObjectId =>
  objectId({ group, kind, namespace, name });
