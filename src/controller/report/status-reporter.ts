/** Keeps the status of policies, and of the objects that they affect, as the evaluation of the cluster says. */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { type ApiResource, resourceName } from "../../adapters/cluster/client/resource.ts";
import { touchedOf } from "../../core/apply.ts";
import type { World } from "../../core/effective/world/world.ts";
import { worldOf } from "../../core/evaluation.ts";
import { isJsonObject, type JsonObject, objectAt } from "../../core/model/json.ts";
import {
  type GroupKind,
  type KindId,
  kindId,
  type ObjectId,
  objectId,
  parseKindId,
  splitId,
} from "../../core/model/refs.ts";
import { affectedType, isAffectedTypeOf } from "../../core/status/affected-type.ts";
import type { MergeOptions } from "../../core/status/merge-status.ts";
import type { StatusReport, TargetStatus } from "../../core/status/status-report.ts";
import { statusReportSteps } from "../../core/status/status-report-of.ts";
import { NOTHING_WANTED, type WantedStatus, wantedStatuses } from "../../core/status/wanted-status.ts";
import { changeEvents } from "../../core/view/change-events.ts";
import type { LiveState, LiveStep } from "../live-evaluation.ts";
import { EventRecorder, type EventRecorderOptions } from "./event-recorder.ts";
import { findHeldKinds, type HeldKinds } from "./held-kinds.ts";
import { ObjectCache } from "./object-cache.ts";
import { StatusWriter, type WantedWrite, type WriteEvent } from "./status-writer.ts";
import { WorkQueue } from "./work-queue.ts";
import { createWriteLimit } from "./write-limit.ts";

export interface StatusReporterOptions {
  readonly client: KubeClient;
  readonly controllerName: string;
  /** The policy kinds whose status is written, and on whose account targets are `Affected`. */
  readonly isOwned: (kind: GroupKind) => boolean;
  /** Kinds other than Gateway API's that get `Affected` conditions or annotations. */
  readonly isReported: (kind: GroupKind) => boolean;
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
const RATE = { perSecond: 100, burst: 300 };
/** The longest time that a computation keeps the process from other work. */
const SLICE_MS = 4;
/** Computations take at most a fifth of the time. */
const PAUSE_FACTOR = 4;
const LEAST_PAUSE_MS = 50;

/** What a computation was about, and its result. */
interface Computed {
  readonly state: LiveState;
  readonly wanted: ReadonlyMap<ObjectId, WantedStatus>;
}

const NOT_HELD: HeldKinds = { byPolicyKind: new Map(), unknownKinds: undefined };

/**
 * Level-triggered reporting
 *
 * After each change that means something the whole status is computed from the newest evaluation, and every object that may differ is compared with it.
 * So what was missed, reset by others or left by a process before is corrected like everything else.
 */
export class StatusReporter {
  readonly #options: StatusReporterOptions;
  readonly #cache = new ObjectCache();
  readonly #queue: WorkQueue<ObjectId>;
  readonly #writer: StatusWriter;
  readonly #events: EventRecorder;
  readonly #troubled = new Set<string>();
  /** Resources of kinds that are not followed any more. */
  readonly #retired = new Map<KindId, ApiResource>();
  #state: LiveState | undefined;
  #computed: Computed | undefined;
  #held = NOT_HELD;
  /** Objects that changed since the last computation began. */
  #dirty = new Set<ObjectId>();
  /** True: every object is compared after the next computation. */
  #isAllDirty = true;
  #isLeading = false;
  #computing: Promise<void> | undefined;
  #isStale = false;
  #times = 0;
  #spentMs = 0;

  constructor(options: StatusReporterOptions) {
    this.#options = options;
    const { client, controllerName, instance, remainingMs, isDryRun, signal, onEvent } = options;
    const monotonicMs = (): number => performance.now();
    this.#writer = new StatusWriter({
      client,
      cache: this.#cache,
      limit: createWriteLimit(RATE, monotonicMs),
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
      onOutcome: onEvent,
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

  /** Uses the next state of the cluster. */
  use(state: LiveState, step: LiveStep | undefined): void {
    const before = this.#state;
    this.#state = state;
    const { objects } = worldOf(state.evaluation);
    this.#cache.use((id) => objects.get(id)?.raw);
    if (step === undefined && before !== undefined) this.#retain(before, state);
    if (step === undefined || before === undefined) {
      this.#isAllDirty = true;
      this.#compute();
      return;
    }
    this.#recordChange(before, state, step);
    const ids = changedIds(step, state);
    if (isMeaningful(step) || ids.some((id) => generationOf(before, id) !== generationOf(state, id))) {
      for (const id of ids) this.#dirty.add(id);
      this.#compute();
      return;
    }
    // Only status or bookkeeping changed: what is wanted stays, and others may have changed what was written.
    for (const id of ids) {
      if (this.#computing === undefined) this.#queue.add(id);
      else this.#dirty.add(id);
    }
  }

  /** Events of a change, from the replica that leads. While something cannot be read, a change may be none. */
  #recordChange(before: LiveState, after: LiveState, { applied }: LiveStep): void {
    const { isDryRun, isOwned, onEvent, remainingMs } = this.#options;
    const { delta } = applied;
    if (isDryRun || remainingMs() <= 0 || this.#troubled.size > 0) return;
    if (delta.effective.length === 0 && delta.verdicts.length === 0) return;
    const worlds = { before: worldOf(before.evaluation), after: worldOf(after.evaluation) };
    const { events, leftOut } = changeEvents(worlds, delta, isOwned);
    for (const event of events) this.#events.record(event);
    for (let i = 0; i < leftOut; i++) onEvent("limited");
  }

  #noteWrite(event: WriteEvent): void {
    this.#options.report(event);
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
    this.#isAllDirty = true;
    this.#compute();
  }

  /** This process does not lead any more. Resolves when no write is under way. */
  async follow(): Promise<void> {
    this.#isLeading = false;
    this.#writer.forget();
    this.#cache.clear();
    await this.#queue.close();
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

  #find(id: ObjectId): WantedWrite | undefined {
    const computed = this.#computed;
    const { kind } = splitId(id);
    const resource = this.#state?.resources.get(kind) ?? this.#retired.get(kind);
    if (computed === undefined || resource === undefined) return undefined;
    return { wanted: computed.wanted.get(id) ?? NOTHING_WANTED, resource, options: this.#mergeOptions(kind) };
  }

  #mergeOptions(kind: KindId): Omit<MergeOptions, "now"> {
    const { controllerName } = this.#options;
    const { byPolicyKind, unknownKinds } = this.#held;
    const rulebook = this.#state === undefined ? undefined : worldOf(this.#state.evaluation).rulebook;
    const isAffectedType = isAffectedTypeOf(controllerName);
    const held = new Set<string>();
    const known = new Set<string>();
    for (const { policyKind } of rulebook?.kinds ?? []) {
      const type = affectedType(controllerName, policyKind.kind);
      known.add(type);
      if (byPolicyKind.has(kindId(policyKind))) held.add(type);
    }
    const isKnown = rulebook?.byPolicyKind.has(kind) === true;
    return {
      controllerName,
      isOurs: (type) => isAffectedType(type) && (known.has(type) ? !held.has(type) : unknownKinds === undefined),
      mayChangeAncestors: isKnown ? !byPolicyKind.has(kind) : unknownKinds === undefined,
    };
  }

  #findHeld(): void {
    if (this.#state === undefined) return;
    const { evaluation, resources } = this.#state;
    const troubled = [...resources.values()].filter((one) => this.#troubled.has(resourceName(one))).map(kindId);
    this.#held = findHeldKinds(worldOf(evaluation), new Set(troubled));
  }

  /** Computes until the newest state has been computed. Only a leader needs it. */
  #compute(): void {
    this.#isStale = true;
    if (!this.#isLeading) return;
    this.#computing ??= this.#computeAll().finally(() => {
      this.#computing = undefined;
    });
  }

  async #computeAll(): Promise<void> {
    const { signal } = this.#options;
    while (this.#isStale && this.#isLeading && !signal.aborted && this.#state !== undefined) {
      this.#isStale = false;
      const state = this.#state;
      const isAllDirty = this.#isAllDirty;
      const dirty = this.#dirty;
      this.#isAllDirty = false;
      this.#dirty = new Set();
      const { report, ms } = await this.#computeReport(worldOf(state.evaluation));
      this.#times++;
      this.#spentMs += ms;
      this.#useReport(state, report, isAllDirty ? "All" : dirty);
      await sleep(Math.max(LEAST_PAUSE_MS, ms * PAUSE_FACTOR), undefined, { signal }).catch(() => undefined);
    }
  }

  /** In slices: webhooks and the view API are served by the same process. */
  async #computeReport(world: World): Promise<{ readonly report: StatusReport; readonly ms: number }> {
    const { controllerName, isOwned } = this.#options;
    const ownedKinds = [...world.rulebook.byPolicyKind.keys()].map(parseKindId).filter(isOwned);
    const steps = statusReportSteps(world, { controllerName, ownedKinds });
    let ms = 0;
    for (;;) {
      const beganMs = performance.now();
      let step = steps.next();
      while (step.done !== true && performance.now() - beganMs < SLICE_MS) step = steps.next();
      ms += performance.now() - beganMs;
      if (step.done === true) return { report: step.value, ms };
      await nextTurn();
    }
  }

  /** Compares the objects that may differ: those about which something else is wanted, and those that changed. */
  #useReport(state: LiveState, report: StatusReport, dirty: ReadonlySet<ObjectId> | "All"): void {
    const before = this.#computed;
    const wanted = wantedStatuses(report, this.#isReported(worldOf(state.evaluation)));
    this.#computed = { state, wanted };
    this.#findHeld();
    if (dirty === "All" || before === undefined) {
      const { controllerName } = this.#options;
      worldOf(state.evaluation).objects.forEach(({ id, raw }) => {
        if (wanted.has(id) || mayHaveOurs(raw, controllerName)) this.#queue.add(id);
      });
      for (const id of this.#cache.retained()) this.#queue.add(id);
      return;
    }
    for (const [id, now] of wanted) if (!isDeepStrictEqual(now, before.wanted.get(id))) this.#queue.add(id);
    for (const id of before.wanted.keys()) if (!wanted.has(id)) this.#queue.add(id);
    for (const id of dirty) this.#queue.add(id);
  }

  /** Gateways, ListenerSets, GatewayClasses and routes; other kinds only where the operator asks for it. */
  #isReported({ rulebook }: World): (target: TargetStatus) => boolean {
    return ({ object, location }) => {
      const { kind } = splitId(object);
      if (this.#options.isReported(parseKindId(kind))) return true;
      if (location.at === "Listener" || location.at === "Parent") return true;
      return location.at === "Conditions" && GATEWAY_KINDS.has(kind) && rulebook.factsOf(kind) !== undefined;
    };
  }
}

const GATEWAY_KINDS: ReadonlySet<KindId> = new Set(
  [
    { group: "gateway.networking.k8s.io", kind: "GatewayClass" },
    { group: "gateway.networking.k8s.io", kind: "Gateway" },
    { group: "gateway.networking.k8s.io", kind: "ListenerSet" },
    { group: "gateway.networking.x-k8s.io", kind: "XListenerSet" },
  ].map(kindId),
);

/** True if the change may change what is wanted about any object. */
function isMeaningful({ applied }: LiveStep): boolean {
  const touched = touchedOf(applied);
  return touched === undefined || touched.objects.length > 0 || touched.links.size > 0;
}

function changedIds({ changes }: LiveStep, { resources }: LiveState): readonly ObjectId[] {
  return changes.flatMap((change) => {
    if ("delete" in change) return [objectId(change.delete)];
    const ref = isJsonObject(change.upsert) ? refOf(change.upsert) : undefined;
    if (ref === undefined) return [];
    const isNamespaced = resources.get(kindId(ref))?.isNamespaced === true;
    return [objectId(isNamespaced ? ref : { ...ref, namespace: "" })];
  });
}

function refOf(object: JsonObject): Parameters<typeof objectId>[0] {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const metadata = objectAt(object, "metadata");
  const apiVersion = text(object["apiVersion"]);
  return {
    group: apiVersion.includes("/") ? (apiVersion.split("/", 1)[0] ?? "") : "",
    kind: text(object["kind"]),
    namespace: text(metadata["namespace"]),
    name: text(metadata["name"]),
  };
}

const generationOf = ({ evaluation }: LiveState, id: ObjectId): unknown => {
  const raw = worldOf(evaluation).objects.get(id)?.raw;
  return raw === undefined ? undefined : objectAt(raw, "metadata")["generation"];
};

/** False only if the object has nothing of this controller. The name of a controller is in each of its entries, and its domain in each type. */
function mayHaveOurs({ metadata, status }: JsonObject, controllerName: string): boolean {
  const domain = controllerName.split("/", 1)[0] ?? controllerName;
  const text = `${JSON.stringify(status ?? null)}${JSON.stringify(isJsonObject(metadata) ? (metadata["annotations"] ?? null) : null)}`;
  return text.includes(domain);
}
