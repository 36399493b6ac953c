import type { Duplex, Readable } from "node:stream";
import { formatHeader, formatHeaders, type HeaderList } from "../contract/header-list.ts";
import type { ClientProtocol, ClientResponseHead, HttpExchange } from "../contract/http-exchange.ts";
import type { RequestHead } from "../contract/request-head.ts";
import type { BatchedOutput } from "./batched-output.ts";
import { formatResponseHead, formatStatusLine, type ResponseFraming } from "./response-head.ts";

/** The connection of the request, as the exchange sees it. */
export interface ExchangeConnection {
  readonly client: string;
  readonly isSecure: boolean;
  readonly output: BatchedOutput;
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number;
  readonly wallClockMs: () => number;
  /** True if the connection can serve another request. */
  readonly canServeMore: () => boolean;
  /** Called when the response is complete. */
  readonly finish: (exchange: Http1Exchange, keepsAlive: boolean) => void;
  /** Connects the client with the backend as byte streams. */
  readonly join: (backend: Duplex, onOver: () => void) => void;
  readonly cut: (exchange: Http1Exchange) => void;
}

/** One request of HTTP/1.0 or HTTP/1.1, and the response to it. */
export class Http1Exchange implements HttpExchange {
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
  /** Undefined: the response has not begun. */
  #framing: ResponseFraming | undefined;
  #keepsAlive = false;
  /** The bytes left of a body with a Content-Length. */
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

  /** True if the client treats an orderly close of the connection as the end of the response. */
  get endsByClosing(): boolean {
    return this.#framing?.type === "UntilClose";
  }

  sendContinue(): void {
    if (!this.#owesContinue || this.#hasEnded) return;
    this.#owesContinue = false;
    this.#connection.output.addText("HTTP/1.1 100 Continue\r\n\r\n");
  }

  sendHints(headers: HeaderList): void {
    if (this.protocol === "HTTP/1.0" || this.hasBegun) return;
    let links = "";
    for (let i = 0; i < headers.length; i += 2)
      if (headers[i] === "link") links += formatHeader("link", headers[i + 1] ?? "");
    if (links !== "")
      this.#connection.output.addText(`${formatStatusLine({ status: 103, statusText: "" })}${links}\r\n`);
  }

  sendHead(head: ClientResponseHead): void {
    // A client that did not get 100 Continue may send its body or not: the bytes that follow are ambiguous.
    const keepsAlive = !this.#owesContinue && this.#head?.keepsAlive === true && this.#connection.canServeMore();
    const built = formatResponseHead(head, {
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
        // A filter has changed Content-Length. The client must not read the rest as its next response.
        if (this.#bytesLeft < 0) this.cut();
        else return output.addBytes(chunk);
        return true;
      case "Chunked":
        return output.addChunk(chunk);
      case "UntilClose":
        return output.addBytes(chunk);
    }
  }

  end(trailers: HeaderList): void {
    if (this.#hasEnded) return;
    if (this.#framing?.type === "Length" && this.#bytesLeft > 0) return this.cut();
    this.#hasEnded = true;
    if (this.#framing?.type === "Chunked") this.#connection.output.addText(`0\r\n${formatHeaders(trailers)}\r\n`);
    this.#connection.finish(this, this.#keepsAlive);
  }

  switchProtocols({ status, statusText, headers }: ClientResponseHead, backend: Duplex, onOver: () => void): void {
    this.#hasEnded = true;
    const { output } = this.#connection;
    const switched = `connection: upgrade\r\nupgrade: ${this.#head?.upgrade ?? ""}\r\n\r\n`;
    output.addText(`${formatStatusLine({ status, statusText })}${formatHeaders(headers)}${switched}`);
    output.flush();
    this.#connection.join(backend, onOver);
  }

  cut(): void {
    this.#hasEnded = true;
    this.#connection.cut(this);
  }
}

const ignore = (): void => {};
