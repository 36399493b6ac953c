/**
 * Reads the answers of one connection, HTTP/1.0 and HTTP/1.1, strictly: where an answer ends must be beyond doubt, or the next one on this connection
 * would be somebody else's. Whatever is in doubt is a `BadMessage`.
 */
import { BadMessage } from "./bad-message.ts";
import { hasBadLineEnd, parseFieldLines } from "./field-lines.ts";
import { type Fields, withoutNames } from "./fields.ts";
import { FramedBody } from "./framed-body.ts";
import { isHopByHop, namedByConnection } from "./hop-by-hop.ts";
import type { ResponseHead } from "./upstream.ts";

export interface AnswerEvents {
  /** 1xx, but not the last one. */
  readonly onInterim: (head: ResponseHead) => void;
  /** The answer switches protocols: what comes after it is not for this reader. */
  readonly onSwitch: (head: ResponseHead, rest: Buffer) => void;
  readonly onHead: (head: ResponseHead) => void;
  /** The bytes are lent: whoever wants them later copies them. */
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: (trailers: Fields, end: AnswerEnd) => void;
}

export interface AnswerEnd {
  /** Whether the connection can be used for another request. */
  readonly isReusable: boolean;
  /** How long the backend says that it keeps an idle connection; undefined: it does not say. */
  readonly keepAliveMs: number | undefined;
}

type State =
  | "idle"
  | "head"
  | "body"
  | "until close"
  /** Read to its end, which is not told yet. */
  | "ended"
  /** What follows is not HTTP. */
  | "over";

const NOTHING = Buffer.alloc(0);
const MAX_INTERIMS = 20;

export class ResponseReader {
  readonly #events: AnswerEvents;
  readonly #maxHeaderBytes: number;
  readonly #body: FramedBody;
  #state: State = "idle";
  #method = "";
  #mayUpgrade = false;
  #rest: Buffer = NOTHING;
  #interims = 0;
  #trailers: Fields = [];
  #keepsAlive = false;
  #keepAliveMs: number | undefined;

  constructor(events: AnswerEvents, maxHeaderBytes: number) {
    this.#events = events;
    this.#maxHeaderBytes = maxHeaderBytes;
    this.#body = new FramedBody(
      { onData: events.onData, onEnd: (trailers) => this.#finish(withoutFraming(trailers), true) },
      maxHeaderBytes,
    );
  }

  /** An answer to a request with this method is due. */
  expect(method: string, mayUpgrade: boolean): void {
    this.#state = "head";
    this.#method = method;
    this.#mayUpgrade = mayUpgrade;
    this.#interims = 0;
  }

  /** The bytes are lent: what is to be read later is copied. */
  take(chunk: Buffer): void {
    let rest: Buffer | undefined = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = NOTHING;
    while (rest !== undefined && rest.length > 0) {
      const unread: Buffer | undefined = this.#step(rest);
      if (unread === undefined) this.#rest = Buffer.from(rest);
      rest = unread;
      if (this.#state === "ended") return this.#tellEnd(rest?.length ?? 0);
    }
  }

  /** The other side has sent all that it will. */
  close(): void {
    if (this.#state === "until close") {
      this.#finish([], false);
      this.#tellEnd(0);
    } else if (this.#state !== "over") {
      throw new BadMessage("the connection was closed before the answer was complete");
    }
  }

  /** What is left to read; undefined: more has to come first. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case "idle":
        throw new BadMessage("an answer that nobody asked for");
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
    if (end === -1 && text.length > this.#maxHeaderBytes) throw new BadMessage("the head of the answer is too long");
    if (end === -1) {
      // Waiting for its end would be in vain.
      if (!"HTTP/1.".startsWith(text.slice(0, 7)) || hasBadLineEnd(text, 0)) throw new BadMessage(NO_ANSWER);
      return undefined;
    }
    const rest = bytes.length === end + 4 ? NOTHING : bytes.subarray(end + 4);
    STATUS_LINE.lastIndex = 0;
    const line = STATUS_LINE.exec(text);
    if (line === null) throw new BadMessage(NO_ANSWER);
    const [first, minor, code, statusText = ""] = line;
    const status = Number(code);
    const names = readFields(text, first.length, end + 2);
    const head = { status, statusText, fields: names.fields };
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
    if (this.#interims > MAX_INTERIMS) throw new BadMessage("there are too many interim answers");
    this.#events.onInterim(head);
    return rest;
  }

  /** RFC 9112, 6.3: where the answer ends. */
  #begin({ connection, lengths, encodings, keepAlive }: HeadFields, status: number, isHttp11: boolean): void {
    if (lengths.length > 1 || (lengths.length > 0 && encodings.length > 0)) {
      throw new BadMessage("the answer says in two ways where it ends");
    }
    this.#keepsAlive = isHttp11 && !/(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(connection ?? "");
    const seconds = keepAlive === undefined ? undefined : /timeout=(\d{1,6})/i.exec(keepAlive)?.[1];
    this.#keepAliveMs = seconds === undefined ? undefined : 1000 * Number(seconds);
    const [length] = lengths;
    this.#state = "body";
    if (this.#method === "HEAD" || status === 204 || status === 304) return;
    if (encodings.length > 0) {
      if (!isHttp11 || encodings.length > 1 || encodings[0]?.toLowerCase() !== "chunked") {
        throw new BadMessage("the answer has an encoding other than chunked");
      }
      this.#body.beginChunks();
    } else if (length !== undefined) {
      if (!/^[0-9]{1,15}$/.test(length)) throw new BadMessage("the answer's Content-Length is not a number");
      if (Number(length) > 0) this.#body.beginLength(Number(length));
    } else {
      this.#state = "until close";
      this.#keepsAlive = false;
    }
  }

  #finish(trailers: Fields, isFramed: boolean): void {
    this.#state = "ended";
    this.#trailers = trailers;
    this.#keepsAlive &&= isFramed;
  }

  /** Told last: the connection may be used for another request before this returns, and what came behind the answer is not for that one. */
  #tellEnd(bytesBehind: number): void {
    this.#state = "idle";
    const isReusable = this.#keepsAlive && bytesBehind === 0;
    this.#events.onEnd(this.#trailers, { isReusable, keepAliveMs: this.#keepAliveMs });
    if (bytesBehind > 0) throw new BadMessage("an answer that nobody asked for");
  }
}

const NO_ANSWER = "the answer does not begin like one";

const STATUS_LINE = /HTTP\/1\.([01]) ([1-9][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?\r\n/y;

interface HeadFields {
  /** Those from end to end. */
  readonly fields: Fields;
  readonly connection: string | undefined;
  readonly keepAlive: string | undefined;
  readonly lengths: readonly string[];
  readonly encodings: readonly string[];
}

const NONE: readonly string[] = [];

function readFields(text: string, start: number, end: number): HeadFields {
  const all = parseFieldLines(text, start, end);
  if (all === undefined) throw new BadMessage("a header of the answer cannot be read");
  const fields: string[] = [];
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
    else if (!isHopByHop(name)) fields.push(name, value);
    if (name === "content-length") lengths = [...lengths, value];
  }
  return { fields: withoutNamed(fields, connection), connection, keepAlive, lengths, encodings };
}

/** Those that Connection names end here too. */
function withoutNamed(fields: Fields, connection: string | undefined): Fields {
  const names = connection === undefined ? undefined : namedByConnection(connection);
  return names === undefined ? fields : withoutNames(fields, names);
}

/** Of trailers: what would be about another message, or about this connection. */
function withoutFraming(trailers: Fields): Fields {
  const kept: string[] = [];
  for (let i = 0; i < trailers.length; i += 2) {
    const name = trailers[i] ?? "";
    if (!isHopByHop(name) && name !== "content-length") kept.push(name, trailers[i + 1] ?? "");
  }
  return kept;
}
