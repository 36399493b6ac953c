/** Files are read and parsed on a thread of their own: megabytes of YAML must not hold up the requests that are being served. */
import { Worker } from "node:worker_threads";
import type { ServeSettings } from "../cli/serve-settings.ts";
import type { DocumentSource, SourceChanges } from "../controller/document-source.ts";

/** What the thread is started with. */
export type FilesRequest = Pick<ServeSettings, "paths" | "defaultNamespace">;

/** What it answers to each message. */
export type FilesAnswer =
  | { readonly ok: true; readonly changes: SourceChanges }
  | { readonly ok: false; readonly reason: string };

export function startFilesThread({ paths, defaultNamespace }: FilesRequest): DocumentSource & {
  readonly close: () => Promise<void>;
} {
  const request: FilesRequest = { paths, defaultNamespace };
  // Standard input is the program's: the thread reads it through its parent.
  const worker = new Worker(new URL("./files-worker.js", import.meta.url), { workerData: request, stdin: true });
  if (paths.includes("-") && worker.stdin !== null) process.stdin.pipe(worker.stdin);
  return {
    load: () =>
      new Promise((resolve, reject) => {
        const onMessage = (answer: FilesAnswer): void => {
          worker.off("error", reject);
          if (answer.ok) resolve(answer.changes);
          else reject(new Error(answer.reason));
        };
        worker.once("message", onMessage);
        worker.once("error", reject);
        worker.postMessage("load");
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}
