/**
 * The body of one message after the other on a connection of HTTP/1.1: so many bytes, or chunks. Requests and answers are read alike, and strictly:
 * where a body ends must be beyond doubt, or what follows it would be somebody else's. Whatever is in doubt is a `BadMessage`.
 */
import { BadMessage } from "./bad-message.ts";
import { parseFieldLines } from "./field-lines.ts";
import type { Fields } from "./fields.ts";

export interface BodyEvents {
  /** A part of the bytes that were given. */
  readonly onData: (chunk: Buffer) => void;
  /** After it nothing more is read before the next body begins. */
  readonly onEnd: (trailers: Fields) => void;
}

type State = "over" | "length" | "chunk size" | "chunk" | "chunk end" | "trailers";

const NOTHING = Buffer.alloc(0);
const LF = 10;
const CR = 13;
/** A chunk's size and its extensions. */
const MAX_SIZE_LINE = 1024;
/** Of all chunks of a body together: nobody uses them, and a byte of body must not cost a kilobyte of reading. */
const MAX_EXTENSION_BYTES = 16_384;
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** No spaces: RFC 9112 has them as bad, and readers differ. Twelve digits are more than any body has. */
const CHUNK_SIZE = new RegExp(
  `^([0-9A-Fa-f]{1,12})((?:;${TOKEN}(?:=(?:${TOKEN}|"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))?)*)$`,
);

export class FramedBody {
  readonly #events: BodyEvents;
  readonly #maxTrailerBytes: number;
  #state: State = "over";
  /** Of the body, or of the chunk. */
  #left = 0;
  #extensionBytes = 0;

  constructor(events: BodyEvents, maxTrailerBytes: number) {
    this.#events = events;
    this.#maxTrailerBytes = maxTrailerBytes;
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** More than 0. */
  beginLength(bytes: number): void {
    this.#state = "length";
    this.#left = bytes;
  }

  beginChunks(): void {
    this.#state = "chunk size";
    this.#extensionBytes = 0;
  }

  /** What is left to read; undefined: more has to come first, and these bytes again before it. */
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
    // Three bytes more may be the beginning of their end.
    if ((end === -1 ? bytes.length - 3 : end) > this.#maxTrailerBytes)
      throw new BadMessage("the trailers are too long");
    if (end === -1) return undefined;
    const trailers = parseFieldLines(bytes.toString("latin1", 0, end + 2), 0, end + 2);
    if (trailers === undefined) throw new BadMessage("a trailer cannot be read");
    this.#finish(trailers);
    return bytes.subarray(end + 4);
  }

  #finish(trailers: Fields): void {
    this.#state = "over";
    this.#events.onEnd(trailers);
  }
}
