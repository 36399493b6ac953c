import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { type AnswerHead, type ClientExchange, clientAddress } from "./client-exchange.ts";
import type { Fields } from "./fields.ts";
import type { ClientProtocol } from "./gateway-event.ts";
import { joinConnections } from "./join-connections.ts";

/** What is left of a body that nobody wants is read up to here, so that the connection can be used again. */
const MAX_UNWANTED_BYTES = 65_536;

export interface Http1ExchangeOptions {
  readonly hasBody: boolean;
  readonly expectsContinue: boolean;
  /** Whether the connection is to be closed after this answer. */
  readonly isDraining: () => boolean;
  /** What the client sent after a request to upgrade. */
  readonly early?: Buffer;
  readonly idleMs: number;
}

const ignore = (): void => {};

/** HTTP/1.0 and HTTP/1.1. */
export class Http1Exchange implements ClientExchange {
  readonly protocol: ClientProtocol;
  readonly client: string;
  readonly isSecure: boolean;
  readonly body: Readable | undefined;
  onGone: () => void = () => {};
  onDrain: () => void = () => {};
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: Http1ExchangeOptions;
  #owesContinue: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, options: Http1ExchangeOptions) {
    this.protocol = request.httpVersionMinor === 0 ? "HTTP/1.0" : "HTTP/1.1";
    this.client = clientAddress(request.socket.remoteAddress);
    this.isSecure = "encrypted" in request.socket;
    this.body = options.hasBody ? request : undefined;
    this.#request = request;
    this.#response = response;
    this.#options = options;
    this.#owesContinue = options.expectsContinue;
    response.on("close", () => {
      if (!response.writableFinished) this.onGone();
    });
    // A connection that breaks is told by `close`.
    response.on("error", ignore);
    if (options.hasBody) request.on("error", ignore);
  }

  sendContinue(): void {
    if (!this.#owesContinue) return;
    this.#owesContinue = false;
    this.#response.writeContinue();
  }

  sendHints(fields: Fields): void {
    const links: string[] = [];
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === "link") links.push(fields[i + 1] ?? "");
    if (links.length > 0 && this.protocol === "HTTP/1.1") this.#response.writeEarlyHints({ link: links });
  }

  sendHead({ status, statusText, fields, isLast }: AnswerHead): void {
    // A client that was never told to go on may send its body all the same, or not: nobody can tell what comes next.
    if (isLast || this.#owesContinue || this.#options.isDraining()) this.#response.shouldKeepAlive = false;
    this.#response.writeHead(status, statusText === "" ? (STATUS_CODES[status] ?? "") : statusText, [...fields]);
  }

  write(chunk: Buffer): boolean {
    if (this.#response.write(chunk)) return true;
    this.#response.once("drain", () => this.onDrain());
    return false;
  }

  end(trailers: Fields): void {
    if (trailers.length > 0) this.#response.addTrailers(pairsOf(trailers));
    this.#response.end();
    if (this.body !== undefined && !this.#request.complete) this.#discardBody();
  }

  switchProtocols({ status, statusText, fields }: AnswerHead, connection: Duplex, onOver: () => void): void {
    const { socket } = this.#request;
    const upgrade = this.#request.headers.upgrade ?? "";
    this.#response.sendDate = false;
    this.#response.shouldKeepAlive = true;
    this.#response.writeHead(status, statusText === "" ? (STATUS_CODES[status] ?? "") : statusText, [
      ...fields,
      "connection",
      "upgrade",
      "upgrade",
      upgrade,
    ]);
    this.#response.flushHeaders();
    this.#response.detachSocket(socket);
    if (this.#options.early !== undefined) connection.write(this.#options.early);
    joinConnections(socket, connection, { idleMs: this.#options.idleMs, onOver });
  }

  cut(): void {
    this.#request.socket.destroy();
  }

  #discardBody(): void {
    let bytes = 0;
    this.#request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_UNWANTED_BYTES) this.#request.socket.destroy();
    });
    this.#request.resume();
  }
}

function pairsOf(fields: Fields): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i < fields.length; i += 2) pairs.push([fields[i] ?? "", fields[i + 1] ?? ""]);
  return pairs;
}
