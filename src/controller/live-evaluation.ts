/** The evaluation of a cluster that is followed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../adapters/cluster/client/kube-client.ts";
import type { ApiResource } from "../adapters/cluster/client/resource.ts";
import type { FollowCounts } from "../adapters/cluster/follow/kind-follower.ts";
import { type Applied, apply, type Change } from "../core/apply.ts";
import { type Evaluation, evaluate } from "../core/evaluate.ts";
import type { Finding } from "../core/model/finding.ts";
import { type GroupKind, type KindId, kindId } from "../core/model/refs.ts";
import { buildSnapshot } from "../core/model/snapshot.ts";
import { knownDefinitions } from "../definitions/known-definitions.ts";
import { type ClusterState, followCluster } from "../sources/cluster/follow-cluster.ts";
import { loadCel } from "../sources/load-cel.ts";
import { loadRegexFor } from "../sources/load-regex.ts";

/** What is known of the cluster at one moment. */
export interface LiveState {
  readonly evaluation: Evaluation;
  /** What could not be read. */
  readonly unread: readonly Finding[];
  /** The resource of each kind that is followed. */
  readonly resources: ReadonlyMap<KindId, ApiResource>;
  /** The plural of a kind that is followed. */
  readonly pluralOf: (kind: GroupKind) => string | undefined;
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
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** Follows the cluster until the signal aborts. A server that cannot be reached is asked again and again; the last state stays. */
export async function followEvaluation(options: LiveEvaluationOptions): Promise<void> {
  const { client, namespaces, signal, onTrouble } = options;
  // Conditions and patterns may come with any object, so both are loaded before the first.
  const tools = await loadTools();
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const attempt = new AbortController();
    try {
      await followCluster(client, {
        namespaces,
        signal: AbortSignal.any([signal, attempt.signal]),
        ...createReceiver(tools, options),
        onTrouble,
        counts: options.counts,
      });
    } catch (error) {
      if (signal.aborted) return;
      onTrouble("the cluster", error instanceof Error ? error : new Error(String(error)));
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

/** Evaluates the first state, then applies each change to the last evaluation. */
function createReceiver(tools: Tools, { onState, onEvaluated }: LiveEvaluationOptions) {
  let last: LiveState | undefined;
  const timed = <Result>(step: EvaluationStep, compute: () => Result): Result => {
    const startedMs = performance.now();
    const result = compute();
    onEvaluated?.(step, performance.now() - startedMs);
    return result;
  };
  return {
    onState: (state: ClusterState): void => {
      last = timed("State", () => evaluateState(state, tools));
      onState(last);
    },
    onChanges: (changes: readonly Change[]): void => {
      if (last === undefined) return;
      const { evaluation } = last;
      const applied = timed("Changes", () => apply(evaluation, changes));
      last = { ...last, evaluation: applied.evaluation };
      onState(last, { changes, applied });
    },
  };
}

function evaluateState({ objects, completeness, findings, resources }: ClusterState, tools: Tools): LiveState {
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
