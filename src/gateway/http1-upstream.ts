import type { Duplex } from "node:stream";
import { type Dispatcher, Pool } from "undici";
import type { Endpoint } from "../core/dataplane/gateway-config.ts";
import type { Fields } from "./fields.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import { hopByHopNames } from "./hop-by-hop.ts";
import type { RunningTry, TryFailure, TrySink, Upstream, UpstreamRequest, UpstreamTls } from "./upstream.ts";
import { upstreamTlsOptions } from "./upstream-tls-options.ts";

type ParsedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A pool of HTTP/1.1 connections to one endpoint. */
export function createHttp1Upstream(
  { address, port }: Endpoint,
  tls: UpstreamTls | undefined,
  limits: GatewayLimits,
): Upstream {
  const host = address.includes(":") ? `[${address}]` : address;
  const pool = new Pool(`${tls === undefined ? "http" : "https"}://${host}:${port}`, {
    connections: limits.maxConnectionsPerEndpoint,
    pipelining: 1,
    keepAliveTimeout: limits.upstreamKeepAliveMs,
    keepAliveMaxTimeout: limits.upstreamKeepAliveMs,
    headersTimeout: limits.idleMs,
    bodyTimeout: limits.idleMs,
    maxHeaderSize: limits.maxHeaderBytes,
    connect: { timeout: limits.connectMs, ...(tls === undefined ? {} : upstreamTlsOptions(tls)) },
  });
  const running = new Set<Http1Try>();
  return {
    send: (request, sink) => {
      const started = new Http1Try(sink, () => running.delete(started));
      running.add(started);
      pool.dispatch(dispatchOptions(request), started);
      return started;
    },
    running: () => running.size,
    close: () => void pool.close().catch(() => {}),
  };
}

function dispatchOptions(request: UpstreamRequest): Dispatcher.DispatchOptions {
  const { method, path, authority, fields, contentLength, body, upgrade } = request;
  const headers = ["host", authority, ...fields];
  if (body !== undefined && contentLength !== undefined) headers.push("content-length", String(contentLength));
  return { method, path, headers, body: body ?? null, ...(upgrade === undefined ? {} : { upgrade }) };
}

/** One request on its way, in the form that the pool wants. */
class Http1Try implements RunningTry, Dispatcher.DispatchHandler {
  readonly #sink: TrySink;
  readonly #onOver: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(sink: TrySink, onOver: () => void) {
    this.#sink = sink;
    this.#onOver = onOver;
  }

  cancel(): void {
    this.#finish();
    this.#controller?.abort(new Error("cancelled"));
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) controller.abort(new Error("cancelled"));
  }

  onRequestUpgrade(_: unknown, status: number, headers: ParsedHeaders, connection: Duplex): void {
    if (this.#finish()) connection.destroy();
    else this.#sink.onUpgrade({ status, statusText: "", fields: endToEnd(headers) }, connection);
  }

  onResponseStart(_: unknown, status: number, headers: ParsedHeaders, statusText = ""): void {
    if (this.#isOver) return;
    if (status >= 200) this.#sink.onHead({ status, statusText, fields: endToEnd(headers) });
    else if (status === 103) this.#sink.onHints(endToEnd(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isOver && !this.#sink.onData(chunk)) controller.pause();
  }

  onResponseEnd(_: unknown, trailers: ParsedHeaders): void {
    if (!this.#finish()) this.#sink.onEnd(flatten(trailers, NO_NAMES));
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#finish()) return;
    this.#sink.onFail({ type: this.#failure(error), message: error.message });
  }

  /** Whether it was over before. */
  #finish(): boolean {
    if (this.#isOver) return true;
    this.#isOver = true;
    this.#onOver();
    return false;
  }

  /** The pool calls `onRequestStart` when it has a connection, right before it writes. */
  #failure(error: Error): TryFailure["type"] {
    if (this.#controller === undefined) return "NotConnected";
    const code = "code" in error ? error.code : undefined;
    return code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT" ? "TimedOut" : "Reset";
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

function endToEnd(headers: ParsedHeaders): Fields {
  const connection = headers["connection"];
  const names = hopByHopNames(Array.isArray(connection) ? connection.join(",") : connection);
  // A chunked answer ends where its chunks do, whatever a length beside it says.
  const isChunked = headers["transfer-encoding"] !== undefined;
  return flatten(headers, isChunked ? new Set([...names, "content-length"]) : names);
}

function flatten(headers: ParsedHeaders, without: ReadonlySet<string>): Fields {
  const fields: string[] = [];
  for (const name of Object.keys(headers)) {
    if (without.has(name)) continue;
    const value = headers[name];
    if (typeof value === "string") fields.push(name, value);
    else if (value !== undefined) for (const one of value) fields.push(name, one);
  }
  return fields;
}
