/**
 * Reads the responses of one HTTP/1 connection. A response whose end is ambiguous is a `BadMessage`: otherwise a client could get a part
 * of another client's response.
 */

import { type HeaderList, withoutHeaders } from "../../contract/header-list.ts";
import { isHopByHop, namedByConnection } from "../../contract/hop-by-hop.ts";
import type { ResponseHead } from "../../contract/upstream.ts";
import { BadMessage } from "./bad-message.ts";
import { FramedBody } from "./framed-body.ts";
import { hasBadLineEnd, parseHeaderLines } from "./parse-header-lines.ts";

export interface ResponseEvents {
  /** A response with status 1xx, except 101. */
  readonly onInterim: (head: ResponseHead) => void;
  /** Status 101. `rest` are the bytes after the head. */
  readonly onSwitch: (head: ResponseHead, rest: Buffer) => void;
  readonly onHead: (head: ResponseHead) => void;
  /** The buffer is reused after the call: copy the bytes to keep them. */
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: (trailers: HeaderList, end: ResponseEnd) => void;
}

export interface ResponseEnd {
  /** True if the connection can be used for another request. */
  readonly isReusable: boolean;
  /** How long the backend keeps an idle connection, from its Keep-Alive header. Undefined: unknown. */
  readonly keepAliveMs: number | undefined;
}

type State =
  | "idle"
  | "head"
  | "body"
  | "until close"
  /** The response was read to its end, and `onEnd` was not called yet. */
  | "ended"
  /** The bytes that follow are not HTTP. */
  | "over";

const NOTHING = Buffer.alloc(0);
const MAX_INTERIMS = 20;

export class ResponseReader {
  readonly #events: ResponseEvents;
  readonly #maxHeaderBytes: number;
  readonly #body: FramedBody;
  #state: State = "idle";
  #method = "";
  #mayUpgrade = false;
  #rest: Buffer = NOTHING;
  #interims = 0;
  #trailers: HeaderList = [];
  #keepsAlive = false;
  #keepAliveMs: number | undefined;

  constructor(events: ResponseEvents, maxHeaderBytes: number) {
    this.#events = events;
    this.#maxHeaderBytes = maxHeaderBytes;
    this.#body = new FramedBody(
      { onData: events.onData, onEnd: (trailers) => this.#finish(withoutFraming(trailers), true) },
      maxHeaderBytes,
    );
  }

  /** Expects the response to a request with this method. */
  expect(method: string, mayUpgrade: boolean): void {
    this.#state = "head";
    this.#method = method;
    this.#mayUpgrade = mayUpgrade;
    this.#interims = 0;
  }

  /** Does not keep the chunk. */
  take(chunk: Buffer): void {
    let rest: Buffer | undefined = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = NOTHING;
    while (rest !== undefined && rest.length > 0) {
      const unread: Buffer | undefined = this.#step(rest);
      if (unread === undefined) this.#rest = Buffer.from(rest);
      rest = unread;
      if (this.#state === "ended") return this.#emitEnd(rest?.length ?? 0);
    }
  }

  /** The backend has closed its side of the connection. */
  close(): void {
    if (this.#state === "until close") {
      this.#finish([], false);
      this.#emitEnd(0);
    } else if (this.#state !== "over") {
      throw new BadMessage("the connection was closed before the response was complete");
    }
  }

  /** Returns the bytes that it did not read. Undefined: it needs more bytes. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case "idle":
        throw new BadMessage("unexpected data from the backend");
      case "head":
        return this.#readHead(bytes);
      case "body":
        return this.#body.take(bytes);
      case "until close":
        this.#events.onData(bytes);
        return NOTHING;
      case "ended":
      case "over":
        return NOTHING;
    }
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const text = bytes.toString("latin1", 0, this.#maxHeaderBytes + 4);
    const end = text.indexOf("\r\n\r\n");
    if (end === -1 && text.length > this.#maxHeaderBytes) throw new BadMessage("the head of the response is too long");
    if (end === -1) {
      // The head cannot become valid.
      if (!"HTTP/1.".startsWith(text.slice(0, 7)) || hasBadLineEnd(text, 0)) throw new BadMessage(NOT_A_RESPONSE);
      return undefined;
    }
    const rest = bytes.length === end + 4 ? NOTHING : bytes.subarray(end + 4);
    STATUS_LINE.lastIndex = 0;
    const line = STATUS_LINE.exec(text);
    if (line === null) throw new BadMessage(NOT_A_RESPONSE);
    const [first, minor, code, statusText = ""] = line;
    const status = Number(code);
    const names = readHeaders(text, first.length, end + 2);
    const head = { status, statusText, headers: names.headers };
    if (status < 200) return this.#readInterim(head, rest);
    this.#begin(names, status, minor === "1");
    this.#events.onHead(head);
    if (this.#state === "body" && this.#body.isOver) this.#finish([], true);
    return rest;
  }

  #readInterim(head: ResponseHead, rest: Buffer): Buffer {
    if (head.status === 101) {
      if (!this.#mayUpgrade) throw new BadMessage("the backend switched protocols without being asked");
      this.#state = "over";
      this.#events.onSwitch(head, rest);
      return NOTHING;
    }
    this.#interims++;
    if (this.#interims > MAX_INTERIMS) throw new BadMessage("there are too many interim responses");
    this.#events.onInterim(head);
    return rest;
  }

  /** RFC 9112, 6.3: determines where the response ends. */
  #begin({ connection, lengths, encodings, keepAlive }: HeadHeaders, status: number, isHttp11: boolean): void {
    if (lengths.length > 1 || (lengths.length > 0 && encodings.length > 0)) {
      throw new BadMessage("the response has more than one Content-Length or Transfer-Encoding");
    }
    this.#keepsAlive = isHttp11 && !/(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(connection ?? "");
    const seconds = keepAlive === undefined ? undefined : /timeout=(\d{1,6})/i.exec(keepAlive)?.[1];
    this.#keepAliveMs = seconds === undefined ? undefined : 1000 * Number(seconds);
    const [length] = lengths;
    this.#state = "body";
    if (this.#method === "HEAD" || status === 204 || status === 304) return;
    if (encodings.length > 0) {
      if (!isHttp11 || encodings.length > 1 || encodings[0]?.toLowerCase() !== "chunked") {
        throw new BadMessage("the response has an encoding other than chunked");
      }
      this.#body.beginChunks();
    } else if (length !== undefined) {
      if (!/^[0-9]{1,15}$/.test(length)) throw new BadMessage("the response's Content-Length is not a number");
      if (Number(length) > 0) this.#body.beginLength(Number(length));
    } else {
      this.#state = "until close";
      this.#keepsAlive = false;
    }
  }

  #finish(trailers: HeaderList, isFramed: boolean): void {
    this.#state = "ended";
    this.#trailers = trailers;
    this.#keepsAlive &&= isFramed;
  }

  /** Must be the last step, because `onEnd` may send another request on the connection. Bytes after the response do not belong to that request. */
  #emitEnd(bytesAfter: number): void {
    this.#state = "idle";
    const isReusable = this.#keepsAlive && bytesAfter === 0;
    this.#events.onEnd(this.#trailers, { isReusable, keepAliveMs: this.#keepAliveMs });
    if (bytesAfter > 0) throw new BadMessage("unexpected data from the backend");
  }
}

const NOT_A_RESPONSE = "this is not a valid HTTP response";

const STATUS_LINE = /HTTP\/1\.([01]) ([1-9][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?\r\n/y;

interface HeadHeaders {
  /** The end-to-end headers. */
  readonly headers: HeaderList;
  readonly connection: string | undefined;
  readonly keepAlive: string | undefined;
  readonly lengths: readonly string[];
  readonly encodings: readonly string[];
}

const NONE: readonly string[] = [];

function readHeaders(text: string, start: number, end: number): HeadHeaders {
  const all = parseHeaderLines(text, start, end);
  if (all === undefined) throw new BadMessage("a header of the response is malformed");
  const headers: string[] = [];
  let lengths = NONE;
  let encodings = NONE;
  let connection: string | undefined;
  let keepAlive: string | undefined;
  for (let i = 0; i < all.length; i += 2) {
    const name = all[i] ?? "";
    const value = all[i + 1] ?? "";
    if (name === "connection") connection = connection === undefined ? value : `${connection},${value}`;
    else if (name === "transfer-encoding") encodings = [...encodings, value];
    else if (name === "keep-alive") keepAlive = value;
    else if (!isHopByHop(name)) headers.push(name, value);
    if (name === "content-length") lengths = [...lengths, value];
  }
  return { headers: withoutNamed(headers, connection), connection, keepAlive, lengths, encodings };
}

/** Removes the headers that Connection lists. */
function withoutNamed(headers: HeaderList, connection: string | undefined): HeaderList {
  const names = connection === undefined ? undefined : namedByConnection(connection);
  return names === undefined ? headers : withoutHeaders(headers, names);
}

/** Removes trailers about framing or about the connection. */
function withoutFraming(trailers: HeaderList): HeaderList {
  const kept: string[] = [];
  for (let i = 0; i < trailers.length; i += 2) {
    const name = trailers[i] ?? "";
    if (!isHopByHop(name) && name !== "content-length") kept.push(name, trailers[i + 1] ?? "");
  }
  return kept;
}
