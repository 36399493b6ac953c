/**
 * Applies changing objects to a data plane: each step loads the changes, evaluates them and passes the configuration on. Steps do not
 * overlap; changes during a step are loaded by the next.
 */
import { apply } from "../core/apply.ts";
import type { Caveat, CaveatDataplane } from "../core/caveats/caveat.ts";
import { caveatsFor } from "../core/caveats.ts";
import { compileDataplane, updateDataplane } from "../core/compile.ts";
import type { Dataplane } from "../core/dataplane/dataplane.ts";
import type { DataplaneConfig } from "../core/dataplane/gateway-config.ts";
import type { Verdict } from "../core/effective/verdicts/verdict.ts";
import { type EvaluateOptions, type Evaluation, evaluate, verdicts } from "../core/evaluate.ts";
import type { Completeness } from "../core/model/completeness.ts";
import type { Finding } from "../core/model/finding.ts";
import type { PolicyId } from "../core/model/refs.ts";
import { buildSnapshot, type SnapshotOptions } from "../core/model/snapshot.ts";
import type { DocumentSource, SourceChanges } from "../sources/document-source.ts";
import { type KeyMaterial, NO_KEY_MATERIAL } from "../sources/key-material.ts";
import { loadRegexFor } from "../sources/load-regex.ts";

/** A data plane: it makes gateways behave as configured. */
export interface DataplaneServer {
  /** Resolves when the configuration is served, with the problems of the parts that are not. */
  readonly replace: (config: DataplaneConfig, keyMaterial: KeyMaterial) => Promise<readonly string[]>;
}

export type ControlEvent =
  | {
      readonly type: "Applied";
      /** The number of the configuration, starting at 1. */
      readonly generation: number;
      readonly changes: number;
      readonly objects: number;
      readonly config: DataplaneConfig;
      /** The problems that the data plane reported. */
      readonly problems: readonly string[];
      /** Policies that are not accepted and were accepted, or absent, before. */
      readonly notAccepted: readonly NotAcceptedPolicy[];
      /** Documents that are not usable and were ignored. */
      readonly broken: readonly Finding[];
      /** Facts that the evaluation leaves out of account. */
      readonly caveats: readonly Caveat[];
      /** The duration of evaluation and update. */
      readonly tookMs: number;
    }
  /** The documents are not usable. The current configuration stays. */
  | { readonly type: "Kept"; readonly generation: number; readonly broken: readonly Finding[] }
  | { readonly type: "Unchanged"; readonly generation: number };

export interface NotAcceptedPolicy {
  readonly policy: PolicyId;
  readonly message: string;
}

export interface ControlLoopOptions {
  readonly source: DocumentSource;
  readonly dataplane: DataplaneServer;
  readonly evaluation: EvaluateOptions;
  /** `Complete`: the documents are everything there is. */
  readonly completeness?: Completeness;
  /** The data plane that caveats are about. */
  readonly dataplaneName?: CaveatDataplane;
  readonly report: (event: ControlEvent) => void;
  readonly nowMs: () => number;
}

export interface ControlLoop {
  /** Loads the source again. Calls during a refresh are combined into one more. Rejects only for internal errors. */
  readonly refresh: () => Promise<void>;
  readonly generation: () => number;
}

interface Served {
  readonly evaluation: Evaluation;
  readonly config: Dataplane;
  /** Policies that were accepted, or did not exist, before. */
  readonly notAccepted: readonly NotAcceptedPolicy[];
}

export function createControlLoop(options: ControlLoopOptions): ControlLoop {
  let served: Served | undefined;
  let keyMaterial = NO_KEY_MATERIAL;
  let generation = 0;

  const step = async (): Promise<void> => {
    const loaded = await options.source.load();
    if (served !== undefined && loaded.broken.length > 0) {
      options.report({ type: "Kept", generation, broken: loaded.broken });
      return;
    }
    if (served !== undefined && loaded.changes.length === 0 && loaded.keyMaterial === undefined) {
      options.report({ type: "Unchanged", generation });
      return;
    }
    const startedMs = options.nowMs();
    served = next(served, loaded, options, await loadRegexFor(RULES_MAY_COME));
    keyMaterial = loaded.keyMaterial ?? keyMaterial;
    const problems = await options.dataplane.replace(served.config, keyMaterial);
    generation++;
    const tookMs = options.nowMs() - startedMs;
    options.report({
      type: "Applied",
      generation,
      changes: loaded.changes.length,
      objects: loaded.objects,
      config: served.config,
      problems,
      notAccepted: served.notAccepted,
      broken: loaded.broken,
      caveats: caveatsFor(served.evaluation, {
        about: "Input",
        dataplane: options.dataplaneName,
        unread: loaded.broken,
      }),
      tookMs,
    });
  };

  return { refresh: combineCalls(step), generation: () => generation };
}

/** Calls during a run are combined into one more run. */
function combineCalls(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let isWanted = false;
  const drive = async (): Promise<void> => {
    try {
      while (isWanted) {
        isWanted = false;
        await run();
      }
    } finally {
      running = undefined;
    }
  };
  return () => {
    isWanted = true;
    running ??= drive();
    return running;
  };
}

/** A server does not know whether a CRD is added later. */
const RULES_MAY_COME = [{ kind: "CustomResourceDefinition" }];

function next(
  served: Served | undefined,
  { changes }: SourceChanges,
  { evaluation: options, completeness = "Partial" }: Pick<ControlLoopOptions, "evaluation" | "completeness">,
  tools: Pick<SnapshotOptions, "matchRegex">,
): Served {
  if (served === undefined) {
    const upserts = changes.filter((change) => "upsert" in change);
    const snapshot = buildSnapshot(
      upserts.map(({ upsert }) => upsert),
      { positions: upserts.map(({ position }) => position), completeness, ...tools },
    );
    const evaluation = evaluate(snapshot, options);
    return {
      evaluation,
      config: compileDataplane(evaluation, { endpointAnnotations: "Used" }),
      notAccepted: [...verdicts(evaluation)].flatMap(({ policy, verdict }) => notAccepted(policy, verdict)),
    };
  }
  const applied = apply(served.evaluation, changes);
  const { dataplane } = updateDataplane(served.config, applied);
  return {
    evaluation: applied.evaluation,
    config: dataplane,
    notAccepted: applied.delta.verdicts.flatMap(({ policy, after }) => notAccepted(policy, after)),
  };
}

const notAccepted = (policy: PolicyId, verdict: Verdict | undefined): readonly NotAcceptedPolicy[] =>
  verdict?.state === "NotAccepted" ? [{ policy, message: verdict.message }] : [];
