/** The evaluation of a cluster that is followed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../adapters/cluster/client/kube-client.ts";
import type { ApiResource } from "../adapters/cluster/client/resource.ts";
import type { FollowCounts } from "../adapters/cluster/follow/kind-follower.ts";
import { type Applied, apply, type Change } from "../core/apply.ts";
import { type Evaluation, evaluate } from "../core/evaluate.ts";
import type { Finding } from "../core/model/finding.ts";
import { isJsonObject } from "../core/model/json.ts";
import { writtenRef } from "../core/model/kube-object.ts";
import { type GroupKind, type KindId, kindId, type ObjectRef } from "../core/model/refs.ts";
import { buildSnapshot } from "../core/model/snapshot.ts";
import { knownDefinitions } from "../definitions/known-definitions.ts";
import { type ClusterState, followCluster } from "../sources/cluster/follow-cluster.ts";
import { NamedObjects } from "../sources/cluster/follow-named.ts";
import type { KeyMaterial } from "../sources/key-material.ts";
import { loadCel } from "../sources/load-cel.ts";
import { loadRegexFor } from "../sources/load-regex.ts";

/** The known state of the cluster at one moment. */
export interface LiveState {
  readonly evaluation: Evaluation;
  /** Findings about resources that could not be read. */
  readonly unread: readonly Finding[];
  /** The resource of each kind that is followed. */
  readonly resources: ReadonlyMap<KindId, ApiResource>;
  /** The plural of a kind that is followed. */
  readonly pluralOf: (kind: GroupKind) => string | undefined;
  /** Certificates and keys of the Secrets and ConfigMaps that are followed by name. */
  readonly keyMaterial: KeyMaterial;
}

/** The step from the state before to this one. */
export interface LiveStep {
  /** The objects as they arrived; the last of several changes of one object counts. */
  readonly changes: readonly Change[];
  readonly applied: Applied;
}

/** How the evaluation was made: anew from the whole state, or by applying changes. */
export type EvaluationStep = "State" | "Changes";

export interface LiveEvaluationOptions {
  readonly client: KubeClient;
  /** Followed where lists over all namespaces are forbidden. */
  readonly namespaces: readonly string[];
  readonly signal: AbortSignal;
  /** Without a step everything may have changed: the first state, and when a kind comes or goes. */
  readonly onState: (state: LiveState, step?: LiveStep) => void;
  /** Something cannot be followed for now; undefined when it can again. */
  readonly onTrouble: (what: string, error: Error | undefined) => void;
  /** Called after each evaluation with the time that it took. */
  readonly onEvaluated?: (step: EvaluationStep, tookMs: number) => void;
  /** Counts lists and watches. */
  readonly counts?: FollowCounts | undefined;
  /** The resources that a gateway needs beside those that the settings of policies depend on. */
  readonly gateways?: GatewayNeeds | undefined;
}

export interface GatewayNeeds {
  /** Kinds that are followed. */
  readonly also: readonly GroupKind[];
  /** The Secrets and ConfigMaps that are followed by name. */
  readonly named: (evaluation: Evaluation) => readonly ObjectRef[];
  /** True if a change of an object of this kind may change what `named` returns. */
  readonly isNaming: (kind: KindId) => boolean;
}

/** The name for trouble with the first state, beside the names of resources. */
const CLUSTER = "the cluster";
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** Follows the cluster until the signal aborts. A server that cannot be reached is asked again and again; the last state stays. */
export async function followEvaluation(options: LiveEvaluationOptions): Promise<void> {
  const { client, namespaces, signal } = options;
  /** The names of resources in trouble. */
  const troubles = new Set<string>();
  const onTrouble = (what: string, error: Error | undefined): void => {
    if (error === undefined) troubles.delete(what);
    else troubles.add(what);
    options.onTrouble(what, error);
  };
  // Conditions and patterns may come with any object, so both are loaded before the first.
  const tools = await loadTools();
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const attempt = new AbortController();
    const both = AbortSignal.any([signal, attempt.signal]);
    const receiver = new Receiver(tools, { ...options, onTrouble }, both);
    try {
      await followCluster(client, {
        namespaces,
        signal: both,
        onState: (state) => {
          if (troubles.has(CLUSTER)) onTrouble(CLUSTER, undefined);
          receiver.useState(state);
        },
        onChanges: (changes) => receiver.useChanges(changes),
        onTrouble,
        counts: options.counts,
        also: options.gateways?.also,
      });
    } catch (error) {
      if (signal.aborted) return;
      // The next attempt follows everything anew, and does not know of these troubles.
      for (const what of troubles) if (what !== CLUSTER) onTrouble(what, undefined);
      onTrouble(CLUSTER, error instanceof Error ? error : new Error(String(error)));
    }
    attempt.abort();
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

type Tools = Awaited<ReturnType<typeof loadTools>>;

async function loadTools() {
  const [cel, { matchRegex }] = await Promise.all([loadCel(), loadRegexFor([{ kind: "CustomResourceDefinition" }])]);
  return { cel, matchRegex };
}

/** How long a state waits for Secrets and ConfigMaps that it names for the first time. */
const NAMED_WAIT_MS = 500;

/** Evaluates the first state, then applies each change to the last evaluation. */
class Receiver {
  readonly #tools: Tools;
  readonly #options: LiveEvaluationOptions;
  readonly #named: NamedObjects;
  #last: LiveState | undefined;
  /** States that wait for what they name, in order: nothing is reported on a part of the facts. */
  #waiting: { readonly state: LiveState; readonly step: LiveStep | undefined }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: Tools, options: LiveEvaluationOptions, signal: AbortSignal) {
    this.#tools = tools;
    this.#options = options;
    this.#named = new NamedObjects({
      client: options.client,
      signal,
      onChanges: (changes) => this.useChanges(changes),
      onTrouble: options.onTrouble,
      counts: options.counts,
    });
    signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  useState(state: ClusterState): void {
    const objects = [...state.objects, ...this.#named.objects()];
    const keyMaterial = this.#named.keyMaterial();
    const evaluated = this.#timed("State", () => evaluateState({ ...state, objects }, this.#tools));
    this.#last = { ...evaluated, keyMaterial };
    this.#waiting = [];
    this.#pass(this.#last, undefined);
    this.#wantNamed();
  }

  useChanges(changes: readonly Change[]): void {
    const { gateways } = this.#options;
    const before = this.#last;
    if (before === undefined) return;
    const applied = this.#timed("Changes", () => apply(before.evaluation, changes));
    this.#last = { ...before, evaluation: applied.evaluation, keyMaterial: this.#named.keyMaterial() };
    this.#pass(this.#last, { changes, applied });
    if (gateways !== undefined && changes.some((change) => gateways.isNaming(kindOf(change)))) this.#wantNamed();
  }

  /** Follows what the newest evaluation names. What it does not name any more is no part of it. */
  #wantNamed(): void {
    const { gateways } = this.#options;
    if (gateways === undefined || this.#last === undefined) return;
    const gone = this.#named.want(gateways.named(this.#last.evaluation));
    if (gone.length > 0) this.useChanges(gone);
  }

  #pass(state: LiveState, step: LiveStep | undefined): void {
    this.#waiting.push({ state, step });
    // The objects that the evaluation names are known in the next turn at the latest.
    if (this.#options.gateways === undefined) this.#flush();
    else queueMicrotask(() => this.#flushIfRead());
  }

  #flushIfRead(): void {
    if (!this.#named.isPending()) return this.#flush();
    this.#timer ??= setTimeout(() => {
      this.#named.stopAwaiting();
      this.#flush();
    }, NAMED_WAIT_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { onState, signal } = this.#options;
    if (signal.aborted) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { state, step } of waiting) onState(state, step);
  }

  #timed<Result>(step: EvaluationStep, compute: () => Result): Result {
    const startedMs = performance.now();
    const result = compute();
    this.#options.onEvaluated?.(step, performance.now() - startedMs);
    return result;
  }
}

/** The kind of the object that changes. */
function kindOf(change: Change): KindId {
  if ("delete" in change) return kindId(change.delete);
  return kindId(writtenRef(isJsonObject(change.upsert) ? change.upsert : {}));
}

function evaluateState(
  { objects, completeness, findings, resources }: ClusterState,
  tools: Tools,
): Omit<LiveState, "keyMaterial"> {
  const { matchRegex, cel } = tools;
  const snapshot = buildSnapshot(objects, {
    completeness,
    validated: true,
    ...(matchRegex === undefined ? {} : { matchRegex }),
  });
  return {
    evaluation: evaluate(snapshot, { ...knownDefinitions(), cel }),
    unread: findings,
    ...tableOf(resources),
  };
}

function tableOf(resources: readonly ApiResource[]): Pick<LiveState, "resources" | "pluralOf"> {
  const table = new Map<KindId, ApiResource>(resources.map((resource) => [kindId(resource), resource]));
  return { resources: table, pluralOf: (kind) => table.get(kindId(kind))?.plural };
}
