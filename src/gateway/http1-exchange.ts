import type { Duplex, Readable } from "node:stream";
import type { AnswerHead, ClientExchange } from "./client-exchange.ts";
import { type Fields, fieldLines, fieldText } from "./fields.ts";
import type { ClientProtocol } from "./gateway-event.ts";
import { type AnswerFraming, buildAnswerHead, statusLine } from "./http1-answer-head.ts";
import type { JoinedOutput } from "./joined-output.ts";
import type { RequestHead } from "./request-head.ts";

/** The connection that the request came over. */
export interface ExchangeConnection {
  readonly client: string;
  readonly isSecure: boolean;
  readonly output: JoinedOutput;
  /** How long it is kept without a request. */
  readonly keepAliveMs: number;
  readonly wallClockMs: () => number;
  /** Whether another request could follow, as things are now. */
  readonly canGoOn: () => boolean;
  /** The answer is complete. */
  readonly finish: (exchange: Http1Exchange, keepsAlive: boolean) => void;
  /** It becomes one with the backend's. */
  readonly join: (backend: Duplex, onOver: () => void) => void;
  readonly cut: (exchange: Http1Exchange) => void;
}

/** HTTP/1.0 and HTTP/1.1: one request, and the answer to it. */
export class Http1Exchange implements ClientExchange {
  readonly protocol: ClientProtocol;
  readonly client: string;
  readonly isSecure: boolean;
  readonly body: Readable | undefined;
  onGone: () => void = ignore;
  onDrain: () => void = ignore;
  readonly #connection: ExchangeConnection;
  /** Undefined: the request was refused. */
  readonly #head: RequestHead | undefined;
  #owesContinue: boolean;
  /** Undefined: the answer has not begun. */
  #framing: AnswerFraming | undefined;
  #keepsAlive = false;
  /** Of a body whose length was told. */
  #bytesLeft = 0;
  #hasEnded = false;

  constructor(connection: ExchangeConnection, head: RequestHead | undefined, body: Readable | undefined) {
    this.protocol = head?.version === "1.0" ? "HTTP/1.0" : "HTTP/1.1";
    this.client = connection.client;
    this.isSecure = connection.isSecure;
    this.body = body;
    this.#connection = connection;
    this.#head = head;
    this.#owesContinue = body !== undefined && head?.expectsContinue === true;
  }

  get hasBegun(): boolean {
    return this.#framing !== undefined;
  }

  /** Whether a client takes its answer for whole when the connection is closed in order. */
  get endsByClosing(): boolean {
    return this.#framing?.type === "UntilClose";
  }

  sendContinue(): void {
    if (!this.#owesContinue || this.#hasEnded) return;
    this.#owesContinue = false;
    this.#connection.output.addText("HTTP/1.1 100 Continue\r\n\r\n");
  }

  sendHints(fields: Fields): void {
    if (this.protocol === "HTTP/1.0" || this.hasBegun) return;
    let links = "";
    for (let i = 0; i < fields.length; i += 2)
      if (fields[i] === "link") links += fieldText("link", fields[i + 1] ?? "");
    if (links !== "") this.#connection.output.addText(`${statusLine({ status: 103, statusText: "" })}${links}\r\n`);
  }

  sendHead(head: AnswerHead): void {
    // A client that was never told to go on may send its body all the same, or not: nobody can tell what comes next.
    const keepsAlive = !this.#owesContinue && this.#head?.keepsAlive === true && this.#connection.canGoOn();
    const built = buildAnswerHead(head, {
      isHead: this.#head?.method === "HEAD",
      isHttp10: this.protocol === "HTTP/1.0",
      keepsAlive,
      keepAliveMs: this.#connection.keepAliveMs,
      wallClockMs: () => this.#connection.wallClockMs(),
    });
    this.#framing = built.framing;
    this.#keepsAlive = built.keepsAlive;
    if (built.framing.type === "Length") this.#bytesLeft = built.framing.bytes;
    this.#connection.output.addText(built.text);
  }

  write(chunk: Buffer): boolean {
    const { output } = this.#connection;
    if (this.#framing === undefined || this.#hasEnded || chunk.length === 0) return true;
    switch (this.#framing.type) {
      case "None":
        return true;
      case "Length":
        this.#bytesLeft -= chunk.length;
        // A filter has changed the length: the client must not take the rest for its next answer.
        if (this.#bytesLeft < 0) this.cut();
        else return output.addBytes(chunk);
        return true;
      case "Chunked":
        return output.addChunk(chunk);
      case "UntilClose":
        return output.addBytes(chunk);
    }
  }

  end(trailers: Fields): void {
    if (this.#hasEnded) return;
    if (this.#framing?.type === "Length" && this.#bytesLeft > 0) return this.cut();
    this.#hasEnded = true;
    if (this.#framing?.type === "Chunked") this.#connection.output.addText(`0\r\n${fieldLines(trailers)}\r\n`);
    this.#connection.finish(this, this.#keepsAlive);
  }

  switchProtocols({ status, statusText, fields }: AnswerHead, backend: Duplex, onOver: () => void): void {
    this.#hasEnded = true;
    const { output } = this.#connection;
    const switched = `connection: upgrade\r\nupgrade: ${this.#head?.upgrade ?? ""}\r\n\r\n`;
    output.addText(`${statusLine({ status, statusText })}${fieldLines(fields)}${switched}`);
    output.flush();
    this.#connection.join(backend, onOver);
  }

  cut(): void {
    this.#hasEnded = true;
    this.#connection.cut(this);
  }
}

const ignore = (): void => {};
