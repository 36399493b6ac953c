/** What everything that follows files has in common, whoever serves what comes of it. */
import { loadCel } from "../cli/load-source.ts";
import { type ControlLoop, type ControlLoopOptions, createControlLoop } from "../controller/control-loop.ts";
import { builtInDefinitions } from "../definitions/built-in-definitions.ts";
import { type FilesRequest, startFilesThread } from "./files-thread.ts";

export interface FilesLoop extends ControlLoop {
  readonly close: () => Promise<void>;
}

export async function startFilesLoop(
  request: FilesRequest,
  { dataplane, report }: Pick<ControlLoopOptions, "dataplane" | "report">,
): Promise<FilesLoop> {
  const files = startFilesThread(request);
  const loop = createControlLoop({
    source: files,
    dataplane,
    evaluation: { definitions: builtInDefinitions(), cel: await loadCel() },
    report,
    nowMs: () => performance.now(),
  });
  return { ...loop, close: files.close };
}
