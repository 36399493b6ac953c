import type { KnownDefinitions } from "../../definitions/known-definitions.ts";
import type { LiveOptions } from "../../sources/cluster/live-cluster.ts";
import type { ClusterConnection } from "../../sources/cluster/load-cluster.ts";
import type { ReadProgress } from "../../sources/cluster/read-cluster.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { OptionValues } from "../args/option.ts";
import type { CliIo } from "../cli-io.ts";
import { createProgress } from "../print/create-progress.ts";
import { watchOption } from "../watch/watch-option.ts";
import { readClusterOptions } from "./cluster-options.ts";

/** A cluster that a command may read. Nothing has been sent to it. */
export interface OpenedCluster {
  /** The options with the namespace of the context where neither -n nor -A is given, as kubectl has it. */
  readonly options: OptionValues;
  readonly connection: ClusterConnection;
  /** Reads it once. With -w it is followed afterwards, and notes say what cannot be followed for a time. */
  readonly load: (note: (message: string) => void, known?: KnownDefinitions) => Promise<LoadedSource>;
}

/** A reason why there is no cluster, or why it cannot be read, in words for the user. */
export interface ClusterRefusal {
  readonly message: string;
  readonly hints: readonly string[];
}

export type ClusterResult<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & ClusterRefusal);

/** Chooses the cluster by the options and the kubeconfig file. */
export function openCluster(options: OptionValues, io: CliIo): Promise<ClusterResult<OpenedCluster>> {
  return refusing(async () => {
    const { connectCluster } = await import("../../sources/cluster/load-cluster.ts");
    const connection = await connectCluster({
      ...readClusterOptions(options),
      env: io.env,
      isInteractive: io.isTerminal.stderr,
      version: io.version(),
    });
    const isChosen = options.has("namespace") || options.has("all-namespaces");
    const scoped = isChosen ? options : withValue(options, "namespace", connection.access.namespace);
    return {
      options: scoped,
      connection,
      load: (note, known) => readWithProgress(connection, scoped, io, { note, known }),
    };
  });
}

/** Failures of a cluster as values. Other exceptions are our own mistakes. */
export async function refusing<T>(run: () => Promise<T>): Promise<ClusterResult<T>> {
  const { ClusterError } = await import("../../adapters/cluster/cluster-error.ts");
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return { ok: false, message: error.message, hints: error.hints };
  }
}

async function readWithProgress(
  connection: ClusterConnection,
  options: OptionValues,
  io: CliIo,
  { note, known }: { readonly note: (message: string) => void; readonly known: KnownDefinitions | undefined },
): Promise<LoadedSource> {
  const progress = options.has("quiet") ? undefined : createProgress(io);
  const started = io.now();
  const describe = ({ kinds, allKinds, objects }: ReadProgress): string =>
    `reading the cluster: ${kinds} of ${allKinds} kinds, ${objects} objects, ${Math.round((io.now() - started) / 1000)} s …`;
  const reading = {
    namespaces: options.values("namespace"),
    known,
    onProgress: (now: ReadProgress) => progress?.line(describe(now)),
  };
  try {
    return options.has(watchOption.name)
      ? await readAndFollow(connection, reading, io, note)
      : await readOnce(connection, reading);
  } finally {
    progress?.end();
  }
}

type Reading = Pick<LiveOptions, "namespaces" | "onProgress" | "known">;

async function readOnce(connection: ClusterConnection, reading: Reading): Promise<LoadedSource> {
  const { loadCluster } = await import("../../sources/cluster/load-cluster.ts");
  try {
    const source = await loadCluster(connection, reading);
    const { loadWhole } = source;
    if (loadWhole === undefined) return source;
    return { ...source, loadWhole: (ids) => loadWhole(ids).finally(() => connection.client.close()) };
  } finally {
    connection.client.close();
  }
}

async function readAndFollow(
  connection: ClusterConnection,
  reading: Reading,
  io: CliIo,
  note: (message: string) => void,
): Promise<LoadedSource> {
  const { loadLiveCluster } = await import("../../sources/cluster/live-cluster.ts");
  const signal = io.untilEnded();
  const onTrouble: LiveOptions["onTrouble"] = (resource, error) =>
    note(
      error === undefined
        ? `${resource} are followed again`
        : `${resource} cannot be followed for now, and their last state stays: ${error.message}`,
    );
  signal.addEventListener("abort", () => connection.client.close(), { once: true });
  try {
    return await loadLiveCluster(connection, { ...reading, signal, onTrouble });
  } catch (error) {
    connection.client.close();
    const { ClusterError } = await import("../../adapters/cluster/cluster-error.ts");
    throw signal.aborted ? new ClusterError("ended before the cluster was read") : error;
  }
}

const withValue = (options: OptionValues, name: string, value: string): OptionValues => ({
  has: (one) => one === name || options.has(one),
  value: (one) => (one === name ? value : options.value(one)),
  values: (one) => (one === name ? [value] : options.values(one)),
});
