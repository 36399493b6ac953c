/**
 * Reads the answers of one connection, HTTP/1.0 and HTTP/1.1, strictly: where an answer ends must be beyond doubt, or the next one on this connection
 * would be somebody else's. Whatever is in doubt is a `BadAnswer`.
 */
import type { Fields } from "./fields.ts";
import { hopByHopNames } from "./hop-by-hop.ts";
import type { ResponseHead } from "./upstream.ts";

export class BadAnswer extends Error {}

export interface AnswerEvents {
  /** 1xx, but not the last one. */
  readonly onInterim: (head: ResponseHead) => void;
  /** The answer switches protocols: what comes after it is not for this reader. */
  readonly onSwitch: (head: ResponseHead, rest: Buffer) => void;
  readonly onHead: (head: ResponseHead) => void;
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: (trailers: Fields, end: AnswerEnd) => void;
}

export interface AnswerEnd {
  /** Whether the connection can be used for another request. */
  readonly isReusable: boolean;
  /** How long the backend says that it keeps an idle connection; undefined: it does not say. */
  readonly keepAliveMs: number | undefined;
}

type State = "idle" | "head" | "length" | "until close" | "chunk size" | "chunk" | "chunk end" | "trailers" | "over";

const NOTHING = Buffer.alloc(0);
/** A chunk's size and its extensions, which nobody uses. */
const MAX_SIZE_LINE = 1024;
const MAX_INTERIMS = 20;

export class ResponseReader {
  readonly #events: AnswerEvents;
  readonly #maxHeaderBytes: number;
  #state: State = "idle";
  #method = "";
  #mayUpgrade = false;
  #rest: Buffer = NOTHING;
  /** Of the body, or of the chunk. */
  #left = 0;
  #interims = 0;
  #keepsAlive = false;
  #keepAliveMs: number | undefined;

  constructor(events: AnswerEvents, maxHeaderBytes: number) {
    this.#events = events;
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  /** An answer to a request with this method is due. */
  expect(method: string, mayUpgrade: boolean): void {
    this.#state = "head";
    this.#method = method;
    this.#mayUpgrade = mayUpgrade;
    this.#interims = 0;
  }

  take(chunk: Buffer): void {
    let rest: Buffer | undefined = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = NOTHING;
    while (rest !== undefined && rest.length > 0) {
      const unread: Buffer | undefined = this.#step(rest);
      if (unread === undefined) this.#rest = rest;
      rest = unread;
    }
  }

  /** The other side has sent all that it will. */
  close(): void {
    if (this.#state === "until close") this.#finish([], false);
    else if (this.#state !== "over") throw new BadAnswer("the connection was closed before the answer was complete");
  }

  /** What is left to read; undefined: more has to come first. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#state) {
      case "idle":
        throw new BadAnswer("an answer that nobody asked for");
      case "head":
        return this.#readHead(bytes);
      case "length":
      case "chunk":
        return this.#readData(bytes);
      case "until close":
        this.#events.onData(bytes);
        return NOTHING;
      case "chunk size":
        return this.#readChunkSize(bytes);
      case "chunk end":
        return this.#readChunkEnd(bytes);
      case "trailers":
        return this.#readTrailers(bytes);
      case "over":
        return NOTHING;
    }
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf("\r\n\r\n");
    if ((end === -1 ? bytes.length : end) > this.#maxHeaderBytes)
      throw new BadAnswer("the head of the answer is too long");
    if (end === -1) return undefined;
    const text = bytes.toString("latin1", 0, end + 2);
    const rest = bytes.subarray(end + 4);
    const line = STATUS_LINE.exec(text);
    if (line === null) throw new BadAnswer("the answer does not begin like one");
    const [first, minor, code, statusText = ""] = line;
    const status = Number(code);
    const names = readFields(text, first.length);
    const head = { status, statusText, fields: names.fields };
    if (status === 101 || status < 200) return this.#readInterim(head, rest);
    this.#begin(names, status, minor === "1");
    this.#events.onHead(head);
    if (this.#state === "length" && this.#left === 0) this.#finish([], true);
    return rest;
  }

  #readInterim(head: ResponseHead, rest: Buffer): Buffer {
    if (head.status === 101) {
      if (!this.#mayUpgrade) throw new BadAnswer("the backend switched protocols without being asked");
      this.#state = "over";
      this.#events.onSwitch(head, rest);
      return NOTHING;
    }
    this.#interims++;
    if (this.#interims > MAX_INTERIMS) throw new BadAnswer("there are too many interim answers");
    this.#events.onInterim(head);
    return rest;
  }

  /** RFC 9112, 6.3: where the answer ends. */
  #begin({ connection, lengths, encodings, keepAlive }: HeadFields, status: number, isHttp11: boolean): void {
    if (lengths.length > 1 || (lengths.length > 0 && encodings.length > 0)) {
      throw new BadAnswer("the answer says in two ways where it ends");
    }
    this.#keepsAlive = isHttp11 && !/(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(connection ?? "");
    const seconds = keepAlive === undefined ? undefined : /timeout=(\d{1,6})/i.exec(keepAlive)?.[1];
    this.#keepAliveMs = seconds === undefined ? undefined : 1000 * Number(seconds);
    const [length] = lengths;
    if (this.#method === "HEAD" || status === 204 || status === 304) {
      this.#state = "length";
      this.#left = 0;
    } else if (encodings.length > 0) {
      if (!isHttp11 || encodings.length > 1 || encodings[0]?.toLowerCase() !== "chunked") {
        throw new BadAnswer("the answer has an encoding other than chunked");
      }
      this.#state = "chunk size";
    } else if (length !== undefined) {
      if (!/^[0-9]{1,15}$/.test(length)) throw new BadAnswer("the answer's Content-Length is not a number");
      this.#state = "length";
      this.#left = Number(length);
    } else {
      this.#state = "until close";
      this.#keepsAlive = false;
    }
  }

  #readData(bytes: Buffer): Buffer {
    const part = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= part.length;
    const rest = part === bytes ? NOTHING : bytes.subarray(part.length);
    const isLast = this.#left === 0;
    if (isLast && this.#state === "chunk") this.#state = "chunk end";
    this.#events.onData(part);
    if (isLast && this.#state === "length") this.#finish([], true);
    return rest;
  }

  #readChunkSize(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf("\r\n");
    if ((end === -1 ? bytes.length : end) > MAX_SIZE_LINE) throw new BadAnswer("a chunk's size is too long");
    if (end === -1) return undefined;
    const size = CHUNK_SIZE.exec(bytes.toString("latin1", 0, end))?.[1];
    if (size === undefined) throw new BadAnswer("a chunk's size is not a number");
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailers" : "chunk";
    return bytes.subarray(end + 2);
  }

  #readChunkEnd(bytes: Buffer): Buffer | undefined {
    if (bytes.length < 2) return undefined;
    if (bytes[0] !== 13 || bytes[1] !== 10) throw new BadAnswer("a chunk is longer than its size");
    this.#state = "chunk size";
    return bytes.subarray(2);
  }

  #readTrailers(bytes: Buffer): Buffer | undefined {
    if (bytes.length >= 2 && bytes[0] === 13 && bytes[1] === 10) {
      this.#finish([], true);
      return bytes.subarray(2);
    }
    const end = bytes.indexOf("\r\n\r\n");
    if ((end === -1 ? bytes.length : end) > this.#maxHeaderBytes) throw new BadAnswer("the trailers are too long");
    if (end === -1) return undefined;
    this.#finish(readFields(bytes.toString("latin1", 0, end + 2), 0).fields, true);
    return bytes.subarray(end + 4);
  }

  #finish(trailers: Fields, isFramed: boolean): void {
    this.#state = "idle";
    const isReusable = isFramed && this.#keepsAlive;
    this.#events.onEnd(trailers, { isReusable, keepAliveMs: this.#keepAliveMs });
  }
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?\r\n/;
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/;
/** No folding, no space before the colon, no control characters. */
const FIELD_LINE = /([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*\r\n/y;

interface HeadFields {
  /** Those from end to end. */
  readonly fields: Fields;
  readonly connection: string | undefined;
  readonly keepAlive: string | undefined;
  readonly lengths: readonly string[];
  readonly encodings: readonly string[];
}

function readFields(text: string, start: number): HeadFields {
  const fields: string[] = [];
  const lengths: string[] = [];
  const encodings: string[] = [];
  let connection: string | undefined;
  let keepAlive: string | undefined;
  FIELD_LINE.lastIndex = start;
  while (FIELD_LINE.lastIndex < text.length) {
    const line = FIELD_LINE.exec(text);
    if (line === null) throw new BadAnswer("a header of the answer cannot be read");
    const name = (line[1] ?? "").toLowerCase();
    const value = line[2] ?? "";
    if (name === "connection") connection = connection === undefined ? value : `${connection},${value}`;
    else if (name === "transfer-encoding") encodings.push(value);
    else if (name === "keep-alive") keepAlive = value;
    else fields.push(name, value);
    if (name === "content-length") lengths.push(value);
  }
  return { fields: withoutHops(fields, connection), connection, keepAlive, lengths, encodings };
}

function withoutHops(fields: string[], connection: string | undefined): Fields {
  const names = hopByHopNames(connection);
  let isClean = true;
  for (let i = 0; i < fields.length; i += 2) if (names.has(fields[i] ?? "")) isClean = false;
  if (isClean) return fields;
  const kept: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? "";
    if (!names.has(name)) kept.push(name, fields[i + 1] ?? "");
  }
  return kept;
}
