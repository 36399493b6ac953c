import type { Readable, Writable } from "node:stream";
import type { BlobReader } from "./git.ts";

/** The parts of a child process that runs `git cat-file --batch`. */
export interface BatchProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly once: (event: "close" | "error", listener: (reason: unknown) => void) => unknown;
  readonly kill: () => unknown;
}

interface Waiting {
  readonly objectName: string;
  readonly resolve: (content: Uint8Array) => void;
  readonly reject: (reason: Error) => void;
}

const LINE_END = 10;

/**
 * Asks `git cat-file --batch` for one object after the other. A response is a line `NAME TYPE SIZE` and that many bytes with a line end, or the line
 * `NAME missing`.
 */
export function readBlobs(child: BatchProcess): BlobReader {
  const waiting: Waiting[] = [];
  let received: Uint8Array[] = [];
  let isEnded = false;
  const failAll = (reason: string): void => {
    isEnded = true;
    for (const { reject } of waiting.splice(0)) reject(new Error(reason));
  };
  child.stdout.on("data", (chunk: Uint8Array) => {
    received.push(chunk);
    const rest = resolveReads(waiting, received);
    if (rest !== undefined) received = rest.length === 0 ? [] : [rest];
  });
  child.once("close", () => failAll("git ended"));
  child.once("error", () => failAll("git cannot be started"));
  // The process may end while it is written to; `close` reports that.
  child.stdin.on("error", () => undefined);
  return {
    read: (objectName) =>
      new Promise((resolve, reject) => {
        if (isEnded) {
          reject(new Error("git ended"));
          return;
        }
        waiting.push({ objectName, resolve, reject });
        child.stdin.write(`${objectName}\n`);
      }),
    close: () => {
      child.stdin.end();
      child.kill();
    },
  };
}

/** Resolves the waiting reads as far as the bytes reach, and returns the bytes that are left. Undefined: the first response is not complete yet. */
function resolveReads(waiting: Waiting[], received: readonly Uint8Array[]): Uint8Array | undefined {
  if (!isWhole(received)) return undefined;
  let bytes: Uint8Array = Buffer.concat(received);
  for (let head = headOf(bytes); head !== undefined; head = headOf(bytes)) {
    const { start, sizeBytes, text } = head;
    if (sizeBytes === undefined) {
      const first = waiting.shift();
      first?.reject(new Error(`the repository does not have the object ${first.objectName} (${text})`));
      bytes = bytes.subarray(start);
      continue;
    }
    const end = start + sizeBytes;
    if (bytes.length < end + 1) break;
    waiting.shift()?.resolve(bytes.slice(start, end));
    bytes = bytes.subarray(end + 1);
  }
  return bytes;
}

/** True if the first response is there as a whole, so that chunks of a large object are not joined again and again. */
function isWhole(received: readonly Uint8Array[]): boolean {
  const [first] = received;
  if (first === undefined) return false;
  const head = headOf(first);
  if (head?.sizeBytes === undefined) return true;
  const total = received.reduce((sum, { length }) => sum + length, 0);
  return total >= head.start + head.sizeBytes + 1;
}

interface ResponseHead {
  readonly text: string;
  /** The index of the first byte after the line. */
  readonly start: number;
  /** Undefined if there is no such object. */
  readonly sizeBytes: number | undefined;
}

function headOf(bytes: Uint8Array): ResponseHead | undefined {
  const end = bytes.indexOf(LINE_END);
  if (end === -1) return undefined;
  const text = new TextDecoder().decode(bytes.subarray(0, end));
  const [, size] = / (?:blob|tree|commit|tag) (\d+)$/.exec(text) ?? [];
  return { text, start: end + 1, sizeBytes: size === undefined ? undefined : Number(size) };
}
