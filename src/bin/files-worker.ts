/** The thread behind `files-thread.ts`: answers each message with what has changed in the files. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { loadDocuments } from "../cli/load-documents.ts";
import { createDocumentSource } from "../controller/document-source.ts";
import { splitKeyMaterial } from "../controller/key-material.ts";
import type { FilesAnswer, FilesRequest } from "./files-thread.ts";
import { processIo } from "./process-io.ts";

const given: unknown = workerData;
if (parentPort !== null && isFilesRequest(given)) answerOn(parentPort, given);

function isFilesRequest(value: unknown): value is FilesRequest {
  return typeof value === "object" && value !== null && "paths" in value && Array.isArray(value.paths);
}

function answerOn(port: MessagePort, { paths, defaultNamespace }: FilesRequest): void {
  const io = { ...processIo("prevail"), isTerminal: { stdout: false, stderr: false } };
  // What came through a pipe cannot be read twice.
  let input: Promise<Uint8Array> | undefined;
  const readStdin = (): Promise<Uint8Array> => (input ??= io.fileSystem.readStdin());
  const fileSystem = { ...io.fileSystem, readStdin };
  const source = createDocumentSource(async () => {
    const { documents, findings } = await loadDocuments(paths, { ...io, fileSystem }, { defaultNamespace });
    return { ...splitKeyMaterial(documents, decodeBase64), findings };
  });
  const send = (answer: FilesAnswer): void => port.postMessage(answer);
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
