import type { ServeSettings } from "../cli/run/settings.ts";
import { type ControlLoop, type ControlLoopOptions, createControlLoop } from "../controller/control-loop.ts";
import { knownDefinitions } from "../definitions/known-definitions.ts";
import { type FilesRequest, startFilesThread } from "../sources/files-thread.ts";
import { loadCel } from "../sources/load-cel.ts";
import { watchFiles } from "../sources/watch-files.ts";

/** The control loop of a server: it applies the files to a data plane. */
export interface FilesLoop extends ControlLoop {
  /** Refreshes whenever a file changes, also for changes during the first load, until the signal is aborted. */
  readonly follow: (signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface FilesLoopOptions extends Pick<ControlLoopOptions, "dataplane" | "dataplaneName" | "report"> {
  readonly filesWorker: URL;
  readonly note: (message: string) => void;
}

export async function startFilesLoop(
  request: FilesRequest & Pick<ServeSettings, "isWatching" | "completeness">,
  { dataplane, dataplaneName, report, filesWorker, note }: FilesLoopOptions,
): Promise<FilesLoop> {
  // The watch begins before the first load, so that no change falls between the two.
  const watched = watchFiles({ paths: request.paths, isWatching: request.isWatching, note });
  const files = startFilesThread(request, filesWorker);
  const loop = createControlLoop({
    source: files,
    dataplane,
    ...(dataplaneName === undefined ? {} : { dataplaneName }),
    completeness: request.completeness,
    evaluation: { ...knownDefinitions(), cel: await loadCel() },
    report,
    nowMs: () => performance.now(),
  });
  return {
    ...loop,
    follow: (signal) => watched.follow(loop.refresh, signal),
    close: async () => {
      watched.close();
      await files.close();
    },
  };
}
