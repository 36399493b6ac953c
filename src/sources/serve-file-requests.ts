/** The other end of `files-thread.ts`: responds to each message with what has changed in the files. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { nodeFileSystem } from "../adapters/files/node-file-system.ts";
import { createDocumentSource } from "./document-source.ts";
import type { FilesRequest, FilesResponse } from "./files-thread.ts";
import { splitKeyMaterial } from "./key-material.ts";
import { loadDocuments } from "./load-documents.ts";

/** Serves the thread that this is called on. */
export function serveFileRequests(): void {
  const given: unknown = workerData;
  if (parentPort !== null && isFilesRequest(given)) respondOn(parentPort, given);
}

function isFilesRequest(value: unknown): value is FilesRequest {
  return typeof value === "object" && value !== null && "paths" in value && Array.isArray(value.paths);
}

function respondOn(port: MessagePort, { paths, defaultNamespace }: FilesRequest): void {
  const files = nodeFileSystem(process.stdin);
  // Standard input can be read only once.
  let input: Promise<Uint8Array> | undefined;
  const readStdin = (): Promise<Uint8Array> => (input ??= files.readStdin());
  const fileSystem = { ...files, readStdin };
  // A file that loses its objects in an edit is broken. Otherwise half an edit would delete what is served.
  const known = new Set<string>();
  const source = createDocumentSource(async () => {
    const { documents, findings, objectFiles } = await loadDocuments(paths, fileSystem, {
      defaultNamespace,
      objectFiles: known,
    });
    for (const file of objectFiles) known.add(file);
    return { ...splitKeyMaterial(documents, decodeBase64), findings };
  });
  const send = (response: FilesResponse): void => port.postMessage(response);
  port.on("message", () => {
    source.load().then(
      (changes) => send({ ok: true, changes }),
      (error: unknown) => send({ ok: false, reason: error instanceof Error ? error.message : String(error) }),
    );
  });
}

function decodeBase64(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
