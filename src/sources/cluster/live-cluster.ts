/** A cluster that is followed: a first source, and then what changes. */
import { apply, type Change } from "../../core/apply.ts";
import { compareWorlds } from "../../core/effective/update/compare-worlds.ts";
import { objectChanges } from "../../core/effective/update/object-changes.ts";
import { findings as findingsOf } from "../../core/evaluate.ts";
import { worldOf } from "../../core/evaluation.ts";
import type { KnownDefinitions } from "../../definitions/known-definitions.ts";
import { changesBetween } from "../document-source.ts";
import { buildSource, type LoadedSource, type SourceStep } from "../load-source.ts";
import { type ClusterState, followCluster } from "./follow-cluster.ts";
import { type ClusterConnection, getWhole, originOf } from "./load-cluster.ts";
import type { ReadProgress } from "./read-cluster.ts";

export interface LiveOptions {
  readonly namespaces: readonly string[];
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /** A resource cannot be followed for now; undefined when it can again. The last state of it stays. */
  /** The definitions beside those of the cluster. */
  readonly known?: KnownDefinitions | undefined;
  readonly onTrouble: (resource: string, error: Error | undefined) => void;
}

/** A state or changes that have arrived and are not yet part of the source. */
type Arrived = { readonly state: ClusterState } | { readonly changes: readonly Change[] };

/**
 * Reads the cluster, and follows it until the signal is aborted. Changes that arrive while a step is used are in the next one. Rejects if
 * the cluster cannot be read at first.
 */
export async function loadLiveCluster(
  { client, access }: ClusterConnection,
  { namespaces, signal, onProgress, onTrouble, known }: LiveOptions,
): Promise<LoadedSource> {
  const arrivals = new Arrivals(signal);
  const following = followCluster(client, {
    namespaces: [...new Set([...namespaces, access.namespace])],
    signal,
    onProgress,
    onTrouble,
    known,
    onState: (state) => arrivals.add({ state }),
    onChanges: (changes) => arrivals.add({ changes }),
  });
  const build = (state: ClusterState): Promise<LoadedSource> =>
    buildSource({
      documents: state.objects.map((value) => ({ value })),
      findings: state.findings,
      locate: () => undefined,
      completeness: state.completeness,
      validated: true,
      origin: originOf(access),
      isFollowed: true,
      known,
    });
  const first = await Promise.race([arrivals.next(), following.then(() => undefined)]);
  if (first === undefined || !("state" in first)) throw signal.reason;
  const source = await build(first.state);
  const steps = stepsFrom(source, arrivals, build);
  return { ...source, loadWhole: (ids) => getWhole(client, ids), steps };
}

async function* stepsFrom(
  source: LoadedSource,
  arrivals: Arrivals,
  build: (state: ClusterState) => Promise<LoadedSource>,
): AsyncGenerator<SourceStep> {
  let before = source;
  for (let arrived = await arrivals.next(); arrived !== undefined; arrived = await arrivals.next()) {
    const step =
      "state" in arrived ? rebuiltStep(before, await build(arrived.state)) : changedStep(before, arrived.changes);
    yield step;
    before = step.after;
  }
}

function changedStep(before: LoadedSource, given: readonly Change[]): SourceStep {
  const { evaluation, delta } = apply(before.evaluation, given);
  const world = worldOf(evaluation);
  const after: LoadedSource = {
    ...before,
    evaluation,
    world,
    tables: { ...before.tables, objects: world.objects },
    findings: () => [...before.unread, ...findingsOf(evaluation)],
  };
  return { before, after, delta, changes: objectChanges(before.world, given).changes };
}

/** Kinds came or went, or mean something else: everything is compared. */
function rebuiltStep(before: LoadedSource, after: LoadedSource): SourceStep {
  return {
    before,
    after,
    delta: compareWorlds({ before: before.world, after: after.world }),
    changes: objectChanges(before.world, changesBetween(before.tables.objects, after.tables.objects)).changes,
  };
}

/** The states and changes that have arrived, in order. Changes that wait are joined, and a new state replaces whatever waits. */
class Arrivals {
  readonly #signal: AbortSignal;
  #waiting: Arrived[] = [];
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake?.(), { once: true });
  }

  add(arrived: Arrived): void {
    const last = this.#waiting.at(-1);
    if ("state" in arrived) this.#waiting = [arrived];
    else if (last !== undefined && "changes" in last)
      this.#waiting.splice(-1, 1, { changes: [...last.changes, ...arrived.changes] });
    else this.#waiting.push(arrived);
    this.#wake?.();
  }

  /** Undefined when the signal is aborted. */
  async next(): Promise<Arrived | undefined> {
    while (this.#waiting.length === 0 && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#signal.aborted ? undefined : this.#waiting.shift();
  }
}
