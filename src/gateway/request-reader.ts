/**
 * Reads the requests of one connection, HTTP/1.0 and HTTP/1.1, one after the other: bytes in, whatever pieces they come in, events out. It is as strict
 * as can be: whatever two readers could understand in two ways is refused, and nothing after it is read.
 */
import { BadMessage, BadRequest } from "./bad-message.ts";
import { hasBadLineEnd, parseFieldLines } from "./field-lines.ts";
import type { Fields } from "./fields.ts";
import { FramedBody } from "./framed-body.ts";
import { isGuarded, type ReadHead, readRequestHead } from "./request-head.ts";
import { parseRequestLine } from "./request-line.ts";

export interface RequestEvents {
  /** Of a request without a body this is the whole. */
  readonly onHead: (read: ReadHead) => void;
  readonly onData: (chunk: Buffer) => void;
  /** The end of a body. */
  readonly onEnd: (trailers: Fields) => void;
}

export interface ReaderLimits {
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
}

type State =
  | "head"
  | "body"
  /** A request has been read, and the next is not looked at before its turn. */
  | "done"
  /** What follows is not for this reader: it is not HTTP, or nobody can tell what it is. */
  | "over";

const NOTHING = Buffer.alloc(0);
const CR = 13;
const LF = 10;
const MAX_EMPTY_BYTES = 16;
/** Of a head. */
const END = "\r\n\r\n";

export class RequestReader {
  readonly #events: RequestEvents;
  readonly #limits: ReaderLimits;
  readonly #body: FramedBody;
  #state: State = "head";
  #rest: Buffer = NOTHING;
  /** How much of the rest holds no end of a head. */
  #searched = 0;
  /** Of empty lines since the last request. */
  #emptyBytes = 0;

  constructor(events: RequestEvents, limits: ReaderLimits) {
    this.#events = events;
    this.#limits = limits;
    this.#body = new FramedBody(
      { onData: events.onData, onEnd: (trailers) => this.#endBody(trailers) },
      limits.maxHeaderBytes,
    );
  }

  get state(): State {
    return this.#state;
  }

  /** Whether some of a request has come: between two of them there is nothing to wait for. */
  get hasBegun(): boolean {
    return this.#state !== "head" || this.#rest.length > 0;
  }

  /** What has come and is not read yet. */
  get waitingBytes(): number {
    return this.#rest.length;
  }

  /** Throws a `BadMessage` for what is no request, and then reads no more. The bytes are the reader's from now on. */
  take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#read();
  }

  /** It is the next request's turn. */
  proceed(): void {
    if (this.#state !== "done") return;
    this.#state = "head";
    this.#read();
  }

  /** What came behind the last request that was read, for whoever reads on. */
  takeRest(): Buffer {
    const rest = this.#rest;
    this.#rest = NOTHING;
    return rest;
  }

  #read(): void {
    try {
      let goesOn = true;
      while (goesOn && this.#rest.length > 0) {
        if (this.#state === "head") goesOn = this.#readHead();
        else goesOn = this.#state === "body" && this.#readBody();
      }
    } catch (error) {
      this.#state = "over";
      throw error;
    }
  }

  /** Whether there may be more to read. */
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

  /** RFC 9112, 2.2: some clients send one too many. With many more, a connection could be kept from ever being idle. */
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
    const fields = line.state === "refused" ? undefined : parseFieldLines(text, line.length, end);
    if (line.state === "refused" || fields === undefined) {
      // First of all, whatever else is wrong: so it is the same in whatever pieces a head comes.
      checkLineEnds(text.slice(0, end), 0);
      if (line.state === "refused") throw new BadRequest(line.status, line.message);
      throw new BadRequest(400, "a header cannot be read");
    }
    if (text.includes("\t") && TAB_BY_LENGTH.test(text.slice(0, end))) {
      throw new BadRequest(400, "there is a tab beside a length or an encoding");
    }
    const { method, target, version } = line;
    return readRequestHead({ method, target, version, fields, maxHeaders });
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
      return this.#events.onHead(isOdd ? BEHIND_UPGRADE : read);
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

  #endBody(trailers: Fields): void {
    for (let i = 0; i < trailers.length; i += 2) {
      // Some readers take trailers for headers.
      if (isGuarded(trailers[i] ?? "")) throw new BadMessage(`${trailers[i] ?? ""} stands among the trailers`);
    }
    this.#state = "done";
    this.#events.onEnd(trailers);
  }
}

const BEHIND_UPGRADE: ReadHead = {
  state: "refused",
  status: 400,
  message: "something follows a request to upgrade that is not granted",
};

/** RFC 9110 lets it pass, and not every reader does: Node's takes it for a part of the length. */
const TAB_BY_LENGTH = /^(?:content-length|transfer-encoding):.*\t/im;

/** Of a head that may not be whole yet: what can never become one is not waited for. */
function checkLineEnds(text: string, searched: number): void {
  if (/^[^A-Z\r]/.test(text) || hasBadLineEnd(text, Math.max(0, searched - 1)))
    throw new BadRequest(400, "this is not a valid HTTP request");
}
