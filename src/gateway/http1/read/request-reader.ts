/**
 * Reads the requests of one HTTP/1 connection: bytes in, in pieces of any size, events out. Ambiguous requests are refused, and nothing is
 * read after a refusal.
 */

import type { HeaderList } from "../../contract/header-list.ts";
import type { ReadHead } from "../../contract/request-head.ts";
import { BadMessage, BadRequest } from "./bad-message.ts";
import { FramedBody } from "./framed-body.ts";
import { hasBadLineEnd, parseHeaderLines } from "./parse-header-lines.ts";
import { isGuarded, readRequestHead } from "./read-request-head.ts";
import { parseRequestLine } from "./request-line.ts";

export interface RequestEvents {
  /** The only event of a request without a body. */
  readonly onHead: (read: ReadHead) => void;
  readonly onData: (chunk: Buffer) => void;
  /** Called at the end of a body. */
  readonly onEnd: (trailers: HeaderList) => void;
}

export interface ReaderLimits {
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  /** How many parts of a body are read at a time. `goOn` reads the next. Default: all. */
  readonly maxPieces?: number;
}

type State =
  | "head"
  | "body"
  /** A request was read completely. `proceed` starts the next. */
  | "done"
  /** The rest of the connection is not read: it is not HTTP, or its meaning is ambiguous. */
  | "over";

const NOTHING = Buffer.alloc(0);
const CR = 13;
const LF = 10;
const MAX_EMPTY_BYTES = 16;
/** The end of a head. */
const END = "\r\n\r\n";

export class RequestReader {
  readonly #events: RequestEvents;
  readonly #limits: ReaderLimits;
  readonly #body: FramedBody;
  #state: State = "head";
  #rest: Buffer = NOTHING;
  /** How many bytes of `#rest` were already searched for the end of the head. */
  #searched = 0;
  /** The parts of bodies that were read since `takePieces`. */
  #pieces = 0;
  #isHeld = false;
  /** The bytes of empty lines since the last request. */
  #emptyBytes = 0;

  constructor(events: RequestEvents, limits: ReaderLimits) {
    this.#events = events;
    this.#limits = limits;
    this.#body = new FramedBody(
      {
        onData: (chunk) => {
          this.#pieces++;
          events.onData(chunk);
        },
        onEnd: (trailers) => this.#endBody(trailers),
      },
      limits.maxHeaderBytes,
    );
  }

  get state(): State {
    return this.#state;
  }

  /** True if a body has more parts than are read at a time. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The number of parts of bodies that were read since the last call. */
  takePieces(): number {
    const pieces = this.#pieces;
    this.#pieces = 0;
    return pieces;
  }

  /** True if a part of a request has arrived. */
  get hasBegun(): boolean {
    return this.#state !== "head" || this.#rest.length > 0;
  }

  /** The number of bytes that have arrived and are not read yet. */
  get waitingBytes(): number {
    return this.#rest.length;
  }

  /** Throws a `BadMessage` if the bytes are not a valid request. The reader keeps the chunk. */
  take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#read();
  }

  /** Reads the next parts of a body. */
  goOn(): void {
    this.#read();
  }

  /** Starts reading the next request. */
  proceed(): void {
    if (this.#state !== "done") return;
    this.#state = "head";
    this.#read();
  }

  /** Removes and returns the bytes after the last request, for a reader of another protocol. */
  takeRest(): Buffer {
    const rest = this.#rest;
    this.#rest = NOTHING;
    return rest;
  }

  #read(): void {
    const most = this.#pieces + (this.#limits.maxPieces ?? Infinity);
    try {
      let goesOn = true;
      while (goesOn && this.#rest.length > 0) {
        if (this.#state === "head") goesOn = this.#readHead();
        else goesOn = this.#state === "body" && this.#pieces < most && this.#readBody();
      }
      this.#isHeld = this.#state === "body" && this.#pieces >= most && this.#rest.length > 0;
    } catch (error) {
      this.#state = "over";
      throw error;
    }
  }

  /** True if there may be more to read. */
  #readHead(): boolean {
    this.#skipEmptyLines();
    const text = this.#rest.toString("latin1", 0, this.#limits.maxHeaderBytes + END.length);
    const end = text.indexOf(END, Math.max(0, this.#searched - 3));
    if (end === -1) {
      checkLineEnds(text, this.#searched);
      if (text.length === this.#limits.maxHeaderBytes + END.length) {
        throw new BadRequest(431, "the headers are too large");
      }
      this.#searched = text.length;
      return false;
    }
    this.#searched = 0;
    this.#emptyBytes = 0;
    this.#rest = this.#rest.length === end + END.length ? NOTHING : this.#rest.subarray(end + END.length);
    this.#begin(this.#parseHead(text, end + 2));
    return true;
  }

  /** RFC 9112, 2.2: some clients send an empty line before a request. Their number is limited, or a client could keep a connection from becoming idle. */
  #skipEmptyLines(): void {
    const bytes = this.#rest;
    let start = 0;
    while (bytes[start] === CR && bytes[start + 1] === LF) start += 2;
    if (start === 0) return;
    this.#rest = bytes.subarray(start);
    this.#emptyBytes += start;
    if (this.#emptyBytes > MAX_EMPTY_BYTES) throw new BadRequest(400, "there are too many empty lines");
  }

  #parseHead(text: string, end: number): ReadHead {
    const { maxHeaders } = this.#limits;
    const line = parseRequestLine(text);
    const headers = line.state === "refused" ? undefined : parseHeaderLines(text, line.length, end);
    if (line.state === "refused" || headers === undefined) {
      // Line ends are checked first, so that the message does not depend on the pieces in which the head arrives.
      checkLineEnds(text.slice(0, end), 0);
      if (line.state === "refused") throw new BadRequest(line.status, line.message);
      throw new BadRequest(400, "a header is malformed");
    }
    if (text.includes("\t") && TAB_BY_LENGTH.test(text.slice(0, end))) {
      throw new BadRequest(400, "there is a tab in Content-Length or Transfer-Encoding");
    }
    const { method, target, version } = line;
    return readRequestHead({ method, target, version, headers, maxHeaders });
  }

  #begin(read: ReadHead): void {
    if (read.state === "refused") {
      this.#state = "over";
      return this.#events.onHead(read);
    }
    const { head } = read;
    if (head.wantsUpgrade) {
      this.#state = "over";
      const isOdd = head.upgrade === undefined && this.#rest.length > 0;
      return this.#events.onHead(isOdd ? DATA_AFTER_UPGRADE : read);
    }
    this.#state = head.hasBody ? "body" : "done";
    if (head.hasBody) this.#beginBody(head.contentLength);
    this.#events.onHead(read);
  }

  #beginBody(contentLength: number | undefined): void {
    if (contentLength === undefined) this.#body.beginChunks();
    else this.#body.beginLength(contentLength);
  }

  #readBody(): boolean {
    const rest = this.#body.take(this.#rest);
    if (rest === undefined) return false;
    this.#rest = rest;
    return true;
  }

  #endBody(trailers: HeaderList): void {
    for (let i = 0; i < trailers.length; i += 2) {
      // Some readers treat trailers as headers.
      if (isGuarded(trailers[i] ?? "")) throw new BadMessage(`${trailers[i] ?? ""} is not allowed as a trailer`);
    }
    this.#state = "done";
    this.#events.onEnd(trailers);
  }
}

const DATA_AFTER_UPGRADE: ReadHead = {
  state: "refused",
  status: 400,
  message: "data follows a request for an unsupported upgrade",
};

/** RFC 9110 allows a tab here, but Node's parser reads it as a part of the length. */
const TAB_BY_LENGTH = /^(?:content-length|transfer-encoding):.*\t/im;

/** Refuses an incomplete head as soon as it cannot become valid. */
function checkLineEnds(text: string, searched: number): void {
  if (/^[^A-Z\r]/.test(text) || hasBadLineEnd(text, Math.max(0, searched - 1)))
    throw new BadRequest(400, "this is not a valid HTTP request");
}
