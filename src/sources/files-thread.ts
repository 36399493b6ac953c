/** Files are read and parsed on a thread of their own, so that megabytes of YAML do not delay the requests that are served. */
import { Worker } from "node:worker_threads";
import type { DocumentSource, SourceChanges } from "./document-source.ts";

/** The files to load, as `-f` and `--default-namespace` name them. */
export interface FilesRequest {
  readonly paths: readonly string[];
  readonly defaultNamespace: string | undefined;
}

/** The thread's response to each message. */
export type FilesResponse =
  | { readonly ok: true; readonly changes: SourceChanges }
  | { readonly ok: false; readonly reason: string };

/** A source that lives as long as its thread. */
export interface FilesThread extends DocumentSource {
  readonly close: () => Promise<void>;
}

/** `workerFile` is the program that calls `serveFileRequests`. */
export function startFilesThread({ paths, defaultNamespace }: FilesRequest, workerFile: URL): FilesThread {
  const request: FilesRequest = { paths, defaultNamespace };
  // Standard input belongs to the main thread, which passes it on.
  const worker = new Worker(workerFile, { workerData: request, stdin: true });
  if (paths.includes("-") && worker.stdin !== null) process.stdin.pipe(worker.stdin);
  return {
    load: () =>
      new Promise((resolve, reject) => {
        const onMessage = (response: FilesResponse): void => {
          worker.off("error", reject);
          if (response.ok) resolve(response.changes);
          else reject(new Error(response.reason));
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
