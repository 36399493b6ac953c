/**
 * Reads message bodies of HTTP/1.1, by length or in chunks, for requests and responses. A body whose end is ambiguous is a `BadMessage`:
 * otherwise bytes of one message could be read as the next message on the connection.
 */

import type { HeaderList } from "../../contract/header-list.ts";
import { BadMessage } from "./bad-message.ts";
import { parseHeaderLines } from "./parse-header-lines.ts";

export interface BodyEvents {
  /** The chunk is a view of the bytes given to `take`. */
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: (trailers: HeaderList) => void;
}

type State = "over" | "length" | "chunk size" | "chunk" | "chunk end" | "trailers";

const NOTHING = Buffer.alloc(0);
const LF = 10;
const CR = 13;
/** The length of the line with a chunk's size and extensions. */
const MAX_SIZE_LINE = 1024;
/** The length of all chunk extensions of a body. They are unused, and without a limit a byte of body could cost a kilobyte of reading. */
const MAX_EXTENSION_BYTES = 16_384;
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** Spaces are refused: RFC 9112 calls them bad whitespace, and readers differ. Twelve digits are enough for any body. */
const CHUNK_SIZE = new RegExp(
  `^([0-9A-Fa-f]{1,12})((?:;${TOKEN}(?:=(?:${TOKEN}|"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))?)*)$`,
);

export class FramedBody {
  readonly #events: BodyEvents;
  readonly #maxTrailerBytes: number;
  #state: State = "over";
  /** The bytes left of the body, or of the chunk. */
  #left = 0;
  #extensionBytes = 0;

  constructor(events: BodyEvents, maxTrailerBytes: number) {
    this.#events = events;
    this.#maxTrailerBytes = maxTrailerBytes;
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** `bytes` is more than 0. */
  beginLength(bytes: number): void {
    this.#state = "length";
    this.#left = bytes;
  }

  beginChunks(): void {
    this.#state = "chunk size";
    this.#extensionBytes = 0;
  }

  /** Returns the bytes that it did not read. Undefined: it needs more bytes; pass these again, followed by the next. */
  take(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case "over":
        return bytes;
      case "length":
      case "chunk":
        return this.#readData(bytes);
      case "chunk size":
        return this.#readChunkSize(bytes);
      case "chunk end":
        return this.#readChunkEnd(bytes);
      case "trailers":
        return this.#readTrailers(bytes);
    }
  }

  #readData(bytes: Buffer): Buffer {
    const part = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= part.length;
    const isLast = this.#left === 0;
    const isLength = this.#state === "length";
    if (isLast && !isLength) this.#state = "chunk end";
    this.#events.onData(part);
    if (isLast && isLength) this.#finish([]);
    return part === bytes ? NOTHING : bytes.subarray(part.length);
  }

  #readChunkSize(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(LF);
    if ((end === -1 ? bytes.length : end) > MAX_SIZE_LINE) throw new BadMessage("a chunk's size is too long");
    if (end === -1) return undefined;
    const line = bytes[end - 1] === CR ? CHUNK_SIZE.exec(bytes.toString("latin1", 0, end - 1)) : null;
    if (line === null) throw new BadMessage("a chunk's size is not a number");
    const [, size = "", extensions = ""] = line;
    this.#extensionBytes += extensions.length;
    if (this.#extensionBytes > MAX_EXTENSION_BYTES) throw new BadMessage("the extensions of chunks are too long");
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailers" : "chunk";
    return bytes.subarray(end + 1);
  }

  #readChunkEnd(bytes: Buffer): Buffer | undefined {
    if (bytes[0] !== CR || (bytes.length > 1 && bytes[1] !== LF)) {
      throw new BadMessage("a chunk is longer than its size");
    }
    if (bytes.length < 2) return undefined;
    this.#state = "chunk size";
    return bytes.subarray(2);
  }

  #readTrailers(bytes: Buffer): Buffer | undefined {
    if (bytes.length >= 2 && bytes[0] === CR && bytes[1] === LF) {
      this.#finish([]);
      return bytes.subarray(2);
    }
    const end = bytes.indexOf("\r\n\r\n");
    // Up to three bytes may belong to the empty line at the end.
    if ((end === -1 ? bytes.length - 3 : end) > this.#maxTrailerBytes)
      throw new BadMessage("the trailers are too long");
    if (end === -1) return undefined;
    const trailers = parseHeaderLines(bytes.toString("latin1", 0, end + 2), 0, end + 2);
    if (trailers === undefined) throw new BadMessage("a trailer is malformed");
    this.#finish(trailers);
    return bytes.subarray(end + 4);
  }

  #finish(trailers: HeaderList): void {
    this.#state = "over";
    this.#events.onEnd(trailers);
  }
}
