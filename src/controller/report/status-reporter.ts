/** Keeps the status of policies, and of the objects that they affect, as the evaluation of the cluster says. */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { type ApiResource, resourceName } from "../../adapters/cluster/client/resource.ts";
import { touchedOf } from "../../core/apply.ts";
import type { CompiledKind } from "../../core/effective/world/compiled-kind.ts";
import { worldOf } from "../../core/evaluation.ts";
import { isJsonObject, type JsonObject } from "../../core/model/json.ts";
import { type GroupKind, type KindId, kindId, type ObjectId, splitId } from "../../core/model/refs.ts";
import { affectedType, isAffectedTypeOf } from "../../core/status/affected-type.ts";
import type { MergeOptions } from "../../core/status/merge-status.ts";
import { StatusScope } from "../../core/status/status-tracker.ts";
import { changeEvents } from "../../core/view/change-events.ts";
import type { StoppedStatus } from "../../core/view/view-context.ts";
import type { LiveState, LiveStep } from "../live-evaluation.ts";
import { changedIds, generationOf, isMeaningful } from "./changed-ids.ts";
import { EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";
import { fieldManagerOf } from "./field-manager-of.ts";
import { formerKindOf, isHeldKind } from "./former-kind.ts";
import { type FormerKind, FormerStatuses } from "./former-statuses.ts";
import { areGatewaysHeld, findHeldKinds, type HeldKinds, NOT_HELD } from "./held-kinds.ts";
import { LiveStatuses, type LiveStatusesOptions } from "./live-statuses.ts";
import { ObjectCache } from "./object-cache.ts";
import { formatTime, StatusWriter, type WantedWrite, type WriteEvent } from "./status-writer.ts";
import { WorkQueue } from "./work-queue.ts";
import { createWriteLimit } from "./write-limit.ts";

export interface StatusReporterOptions extends LiveStatusesOptions {
  readonly client: KubeClient;
  readonly isDryRun: boolean;
  /** How much longer this process may write; 0 if it does not lead. */
  readonly remainingMs: () => number;
  readonly report: (event: WriteEvent) => void;
  /** The name of this process, for Events. */
  readonly instance: string;
  readonly onEvent: EventRecorderOptions["onOutcome"];
  readonly signal: AbortSignal;
}

export interface ReporterCounts {
  readonly queued: number;
  readonly stopped: number;
  /** Policy kinds whose words stay, each with what cannot be read. */
  readonly held: ReadonlyMap<KindId, string>;
  readonly computed: { readonly times: number; readonly ms: number };
}

const WORKERS = 8;
const RATE = { perSecond: 250, burst: 1000 };
/** Computations take at most a fifth of the time. */
const PAUSE_FACTOR = 4;
const LEAST_PAUSE_MS = 50;

/**
 * Reporting is level-triggered. After each change that means something the status of what it reaches is computed from the newest
 * evaluation, and every object that may differ is compared with it. So what was missed, reset by others or left by a process before is
 * corrected like everything else. Changes that arrive while a status is computed, and for a short time after it, are computed together.
 */
export class StatusReporter {
  readonly #options: StatusReporterOptions;
  readonly #cache = new ObjectCache();
  readonly #queue: WorkQueue<ObjectId>;
  readonly #writer: StatusWriter;
  readonly #events: EventRecorder;
  readonly #former: FormerStatuses;
  readonly #troubled = new Set<string>();
  /** Resources of kinds that are not followed any more. */
  readonly #retired = new Map<KindId, ApiResource>();
  /** Resources of kinds that were owned or followed, and are not any more. */
  readonly #formerKinds = new Map<KindId, ApiResource>();
  readonly #statuses: LiveStatuses;
  #mergeOptionsOf = new Map<KindId, Omit<MergeOptions, "now">>();
  #state: LiveState | undefined;
  #held = NOT_HELD;
  #areGatewaysHeld = false;
  #heldText = "";
  /** The changes since the last computation began. */
  #scope = new StatusScope();
  /** True: every object is compared after the next computation. */
  #isAllDirty = true;
  #isLeading = false;
  /** A computation, or the pause after it. */
  #running: Promise<void> | undefined;
  #isComputing = false;
  /** Computes once more without a change: CoverageRules were not due. */
  #again: NodeJS.Timeout | undefined;
  #isStale = false;
  #isComputed = false;
  #times = 0;
  #spentMs = 0;

  constructor(options: StatusReporterOptions) {
    this.#options = options;
    const { client, controllerName, instance, remainingMs, isDryRun, signal, onEvent } = options;
    this.#statuses = new LiveStatuses(options);
    const monotonicMs = (): number => performance.now();
    const limit = createWriteLimit(RATE, monotonicMs);
    this.#writer = new StatusWriter({
      client,
      fieldManager: fieldManagerOf(controllerName),
      cache: this.#cache,
      limit,
      find: (id) => this.#find(id),
      remainingMs,
      isDryRun,
      report: (event) => this.#noteWrite(event),
      signal,
      nowMs: Date.now,
      monotonicMs,
    });
    this.#events = new EventRecorder({
      client,
      controllerName,
      instance,
      resourceOf: (kind) => this.#state?.resources.get(kind),
      objectOf: (id) => this.#cache.find(id),
      nowMs: Date.now,
      monotonicMs,
      remainingMs,
      onOutcome: onEvent,
    });
    this.#former = new FormerStatuses({
      client,
      controllerName,
      isDryRun,
      remainingMs,
      limit,
      report: options.report,
      signal,
      isReported: options.isReported,
      now: () => formatTime(Date.now()),
      find: (kind) => this.#findFormer(kind),
    });
    this.#queue = new WorkQueue({ workers: WORKERS, work: (id) => this.#writer.write(id), monotonicMs });
  }

  counts(): ReporterCounts {
    return {
      queued: this.#queue.size,
      stopped: this.#writer.countStopped(),
      held: this.#held.byPolicyKind,
      computed: { times: this.#times, ms: this.#spentMs },
    };
  }

  /** Undefined unless another writer resets the status of the object, and it is left alone because of that. */
  stoppedStatus(id: ObjectId): StoppedStatus | undefined {
    return this.#writer.stoppedStatus(id);
  }

  /** Uses the next state of the cluster. */
  use(state: LiveState, step: LiveStep | undefined): void {
    const before = this.#state;
    this.#state = state;
    const { objects } = worldOf(state.evaluation);
    this.#cache.use((id) => objects.get(id)?.raw);
    if (step === undefined && before !== undefined) {
      this.#retain(before, state);
      this.#addFormer(before, state);
    }
    if (step === undefined || before === undefined) {
      this.#isAllDirty = true;
      this.#scope.addAll();
      this.#compute();
      return;
    }
    this.#recordChange(before, state, step);
    // A replica that begins to lead computes everything.
    if (!this.#isLeading) return;
    const touched = touchedOf(step.applied);
    const ids = changedIds(step, state);
    if (isMeaningful(touched) || ids.some((id) => generationOf(before, id) !== generationOf(state, id))) {
      this.#scope.add(touched, this.#statuses.ownedKinds(worldOf(before.evaluation)));
      for (const id of ids) this.#scope.addObject(id);
      this.#compute();
      return;
    }
    // Only status or bookkeeping changed: what is wanted stays, and others may have changed what was written.
    for (const id of ids) {
      if (this.#isComputing || this.#isStale) this.#scope.addObject(id);
      else this.#queue.add(id);
    }
  }

  /** Computes the status of this controller's own objects again: their data plane has another state. */
  refresh(): void {
    this.#compute();
  }

  /** Events of a change, from the replica that leads. While something cannot be read, a change may be none. */
  #recordChange(before: LiveState, after: LiveState, { applied }: LiveStep): void {
    const { isDryRun, onEvent, remainingMs } = this.#options;
    const { delta } = applied;
    if (isDryRun || remainingMs() <= 0 || this.#troubled.size > 0) return;
    if (delta.effective.length === 0 && delta.verdicts.length === 0) return;
    const worlds = { before: worldOf(before.evaluation), after: worldOf(after.evaluation) };
    const kinds = [worlds.before, worlds.after].flatMap((world) => this.#statuses.ownedKinds(world));
    const owned = new Set(kinds.flatMap(({ definition }) => definition.policies.map(kindId)));
    const { events, leftOut } = changeEvents(worlds, delta, (kind) => owned.has(kindId(kind)));
    for (const event of events) this.#events.record(event);
    for (let i = 0; i < leftOut; i++) onEvent("limited");
  }

  #noteWrite(event: WriteEvent): void {
    this.#options.report(event);
    // A write that was under way when the kind ceased to be owned.
    const former = event.type === "Written" ? this.#formerKinds.get(splitId(event.object).kind) : undefined;
    if (former !== undefined) this.#former.add(former);
    if (event.type !== "Stopped") return;
    const message = `the field manager '${event.manager}' has removed or changed the conditions of ${this.#options.controllerName} three times in ten minutes; they are not written for an hour`;
    this.#events.record({ object: event.object, type: "Warning", reason: "StatusReset", message });
  }

  /** A resource cannot be followed now; or it can again. */
  noteTrouble(resource: string, isTroubled: boolean): void {
    if (this.#troubled.has(resource) === isTroubled) return;
    if (isTroubled) this.#troubled.add(resource);
    else this.#troubled.delete(resource);
    this.#findHeld();
    if (isTroubled) return;
    this.#isAllDirty = true;
    this.#compute();
  }

  /** This process leads from now on. */
  lead(): void {
    this.#isLeading = true;
    this.#queue.open();
    this.#former.lead();
    this.#isAllDirty = true;
    this.#scope.addAll();
    this.#compute();
  }

  /** This process does not lead any more. Resolves when no write is under way. */
  async follow(): Promise<void> {
    this.#isLeading = false;
    this.#writer.forget();
    this.#cache.clear();
    this.#scope = new StatusScope();
    clearTimeout(this.#again);
    await Promise.all([this.#queue.close(), this.#former.follow()]);
  }

  /** A definition that goes may take its kinds with it: what was written into objects of these kinds is withdrawn. */
  #retain(before: LiveState, { resources }: LiveState): void {
    const { objects } = worldOf(before.evaluation);
    for (const [kind, resource] of before.resources) {
      if (resources.has(kind)) continue;
      this.#retired.set(kind, resource);
      for (const { id, raw } of objects.ofKind(kind))
        if (mayHaveOurs(raw, this.#options.controllerName)) this.#cache.retain(id, raw);
    }
  }

  /** Conditions of a kind without ancestors, and what is in objects that are not followed any more, may not have been seen before this change. */
  #addFormer(before: LiveState, after: LiveState): void {
    const wantedBefore = this.#statuses.kindsWithConditions(worldOf(before.evaluation));
    const wantedAfter = this.#statuses.kindsWithConditions(worldOf(after.evaluation));
    const owned = new Set(this.#ownedKinds(after).flatMap(({ definition }) => definition.policies.map(kindId)));
    for (const kind of this.#formerKinds.keys())
      if (after.resources.has(kind) && owned.has(kind)) this.#formerKinds.delete(kind);
    for (const [kind, resource] of before.resources) {
      if (after.resources.has(kind) && (wantedAfter.has(kind) || !wantedBefore.has(kind))) continue;
      if (!(after.resources.has(kind) && owned.has(kind))) this.#formerKinds.set(kind, resource);
      this.#former.add(resource);
    }
  }

  #findFormer(kind: GroupKind): FormerKind {
    const state = this.#state;
    if (state === undefined) return { state: "Held", isFollowed: true, isPolicyKind: false, mayHaveAny: true };
    return formerKindOf(kind, {
      world: worldOf(state.evaluation),
      held: this.#heldIn(state),
      owned: this.#ownedKinds(state),
      isFollowed: state.resources.has(kindId(kind)),
    });
  }

  #ownedKinds({ evaluation }: LiveState): readonly CompiledKind[] {
    return this.#statuses.ownedKinds(worldOf(evaluation));
  }

  #heldIn(state: LiveState): HeldKinds {
    return findHeldKinds(state.evaluation, this.#troubledKinds(state), this.#ownedKinds(state));
  }

  #find(id: ObjectId): WantedWrite | undefined {
    const { kind } = splitId(id);
    const resource = this.#state?.resources.get(kind) ?? this.#retired.get(kind);
    if (!this.#isComputed || resource === undefined) return undefined;
    let options = this.#mergeOptionsOf.get(kind);
    if (options === undefined) {
      options = this.#mergeOptions(kind);
      this.#mergeOptionsOf.set(kind, options);
    }
    return { wanted: this.#statuses.find(id), resource, options, held: this.#heldText };
  }

  #mergeOptions(kind: KindId): Omit<MergeOptions, "now"> {
    const { controllerName, ownStatuses } = this.#options;
    const { unknownKinds } = this.#held;
    const rulebook = this.#state === undefined ? undefined : worldOf(this.#state.evaluation).rulebook;
    const isAffectedType = isAffectedTypeOf(controllerName);
    const held = new Set<string>();
    const known = new Set<string>();
    for (const { policyKind } of rulebook?.kinds ?? []) {
      const type = affectedType(controllerName, policyKind.kind);
      known.add(type);
      if (isHeldKind(kindId(policyKind), this.#held)) held.add(type);
    }
    const isKnown = rulebook?.byPolicyKind.has(kind) === true;
    return {
      controllerName,
      isOurs: (type) => isAffectedType(type) && (known.has(type) ? !held.has(type) : unknownKinds === undefined),
      implementsGatewayApi: ownStatuses !== undefined,
      areGatewaysHeld: this.#areGatewaysHeld,
      mayChangeAncestors: isKnown ? !isHeldKind(kind, this.#held) : unknownKinds === undefined,
    };
  }

  #troubledKinds({ resources }: LiveState): ReadonlySet<KindId> {
    return new Set([...resources.values()].filter((one) => this.#troubled.has(resourceName(one))).map(kindId));
  }

  #findHeld(): void {
    if (this.#state === undefined) return;
    this.#held = this.#heldIn(this.#state);
    this.#areGatewaysHeld = areGatewaysHeld(worldOf(this.#state.evaluation), this.#troubledKinds(this.#state));
    const { byPolicyKind, unknownKinds, replacedKinds } = this.#held;
    this.#heldText = JSON.stringify([
      [...byPolicyKind.keys()],
      unknownKinds,
      [...replacedKinds],
      this.#areGatewaysHeld,
    ]);
    this.#mergeOptionsOf = new Map();
  }

  /** Computes until the newest state has been computed. Only a leader needs it. */
  #compute(): void {
    this.#isStale = true;
    if (!this.#isLeading || this.#running !== undefined) return;
    this.#running = this.#computeAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #computeAll(): Promise<void> {
    const { signal } = this.#options;
    // Data planes come first: what was written to them in this turn leaves the process at its end.
    await nextTurn();
    while (this.#isStale && this.#isLeading && !signal.aborted && this.#state !== undefined) {
      this.#isStale = false;
      const state = this.#state;
      const isAllDirty = this.#isAllDirty;
      const scope = this.#scope;
      this.#isAllDirty = false;
      this.#scope = new StatusScope();
      this.#isComputing = true;
      this.#findHeld();
      const { byPolicyKind } = this.#held;
      const { changed, ms, againAfterMs } = await this.#statuses.update(state.evaluation, scope, (kind) =>
        byPolicyKind.has(kindId(kind)),
      );
      this.#isComputing = false;
      this.#isComputed = true;
      this.#times++;
      this.#spentMs += ms;
      this.#findHeld();
      clearTimeout(this.#again);
      if (againAfterMs !== undefined) this.#again = setTimeout(() => this.#compute(), againAfterMs);
      if (isAllDirty) this.#compareAll(state);
      for (const id of [...changed, ...scope.objects, ...(this.#isStale ? [] : this.#scope.objects)])
        this.#queue.add(id);
      await sleep(Math.max(LEAST_PAUSE_MS, ms * PAUSE_FACTOR), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Compares every object about which something is, or may have been, written. */
  #compareAll(state: LiveState): void {
    const { controllerName } = this.#options;
    worldOf(state.evaluation).objects.forEach(({ id, raw }) => {
      if (this.#statuses.has(id) || mayHaveOurs(raw, controllerName)) this.#queue.add(id);
    });
    for (const id of this.#cache.retained()) this.#queue.add(id);
  }
}

/** False only if the object has nothing of this controller. The name of a controller is in each of its entries, and its domain in each type. */
function mayHaveOurs({ metadata, status }: JsonObject, controllerName: string): boolean {
  const domain = controllerName.split("/", 1)[0] ?? controllerName;
  const text = `${JSON.stringify(status ?? null)}${JSON.stringify(isJsonObject(metadata) ? (metadata["annotations"] ?? null) : null)}`;
  return text.includes(domain);
}
