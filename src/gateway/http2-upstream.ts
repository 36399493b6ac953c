import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Endpoint } from "../core/dataplane/gateway-config.ts";
import type { Fields } from "./fields.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import { headersOf } from "./http2-exchange.ts";
import type {
  AttemptFailure,
  AttemptSink,
  RunningAttempt,
  Upstream,
  UpstreamRequest,
  UpstreamTls,
} from "./upstream.ts";
import { upstreamTlsOptions } from "./upstream-tls-options.ts";

/** One HTTP/2 connection to one endpoint, made again when it has closed. Without TLS the backend is known to speak it (h2c). */
export function createHttp2Upstream(
  { address, port }: Endpoint,
  tls: UpstreamTls | undefined,
  { limits, clock }: { readonly limits: GatewayLimits; readonly clock: GatewayClock },
): Upstream {
  const host = address.includes(":") ? `[${address}]` : address;
  const origin = `${tls === undefined ? "http" : "https"}://${host}:${port}`;
  const running = new Set<Http2Attempt>();
  let session: ClientHttp2Session | undefined;

  const open = (): ClientHttp2Session => {
    const opened = connect(origin, {
      settings: { enablePush: false },
      ...(tls === undefined ? {} : upstreamTlsOptions(tls)),
    });
    const timer = clock.startTimer(limits.connectMs, () => opened.destroy(new Error("connecting took too long")));
    opened.on("connect", () => timer.cancel());
    // Each stream hears of it too.
    opened.on("error", () => {});
    opened.on("goaway", () => forget(opened));
    opened.on("close", () => {
      timer.cancel();
      forget(opened);
    });
    opened.setTimeout(limits.upstreamKeepAliveMs, () => {
      if (running.size === 0) opened.close();
    });
    return opened;
  };
  const forget = (closed: ClientHttp2Session): void => {
    if (session === closed) session = undefined;
  };

  return {
    send: (request, sink) => {
      if (session === undefined || session.closed || session.destroyed) session = open();
      const started = new Http2Attempt(session, request, {
        sink,
        idleMs: limits.idleMs,
        onOver: () => running.delete(started),
      });
      running.add(started);
      return started;
    },
    running: () => running.size,
    // A connection closes itself when it has been idle for too long.
    sweep: () => {},
    close: () => session?.close(),
  };
}

interface Http2AttemptOptions {
  readonly sink: AttemptSink;
  readonly idleMs: number;
  readonly onOver: () => void;
}

class Http2Attempt implements RunningAttempt {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #options: Http2AttemptOptions;
  #trailers: Fields = [];
  #isOver = false;
  #isTooSlow = false;

  constructor(session: ClientHttp2Session, request: UpstreamRequest, options: Http2AttemptOptions) {
    this.#session = session;
    this.#options = options;
    const stream = session.request(requestHeaders(request), { endStream: request.body === undefined });
    this.#stream = stream;
    this.#listen(options);
    if (request.body === undefined) return;
    const { body } = request;
    body.on("error", () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on("close", () => body.destroy());
    body.pipe(stream);
  }

  cancel(): void {
    this.#finish();
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  resume(): void {
    this.#stream.resume();
  }

  #listen({ sink, idleMs }: Http2AttemptOptions): void {
    const stream = this.#stream;
    stream.on("headers", (headers) => {
      if (headers[":status"] === 103 && !this.#isOver) sink.onHints(fieldsOf(headers));
    });
    stream.on("response", (headers) => {
      if (this.#isOver) return;
      sink.onHead({ status: headers[":status"] ?? 0, statusText: "", fields: fieldsOf(headers) });
    });
    stream.on("data", (chunk: Buffer) => {
      if (!this.#isOver && !sink.onData(chunk)) stream.pause();
    });
    stream.on("trailers", (trailers: IncomingHttpHeaders) => {
      this.#trailers = fieldsOf(trailers);
    });
    stream.on("error", () => {});
    stream.on("close", () => this.#close(sink));
    stream.setTimeout(idleMs, () => {
      this.#isTooSlow = true;
      stream.close(constants.NGHTTP2_CANCEL);
    });
  }

  /** The last that is heard of a stream, however it ended. */
  #close(sink: AttemptSink): void {
    const stream = this.#stream;
    const isWhole = stream.readableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR;
    if (this.#finish()) return;
    if (isWhole) sink.onEnd(this.#trailers);
    else sink.onFail({ type: this.#failure(), message: stream.errored?.message ?? "the stream was closed" });
  }

  #finish(): boolean {
    if (this.#isOver) return true;
    this.#isOver = true;
    this.#options.onOver();
    return false;
  }

  #failure(): AttemptFailure["type"] {
    if (this.#isTooSlow) return "TimedOut";
    // A stream gets its number when the connection stands and it is its turn to be sent.
    if (this.#session.connecting || this.#stream.id === undefined) return "NotConnected";
    return this.#stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? "Refused" : "Reset";
  }
}

function requestHeaders(request: UpstreamRequest): OutgoingHttpHeaders {
  const { method, authority, path, fields, contentLength, body, takesTrailers } = request;
  return {
    ...headersOf(fields),
    ":method": method,
    ":authority": authority,
    ":path": path,
    ...(body !== undefined && contentLength !== undefined ? { "content-length": contentLength } : {}),
    ...(takesTrailers ? { te: "trailers" } : {}),
  };
}

function fieldsOf(headers: IncomingHttpHeaders): Fields {
  const fields: string[] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (name.startsWith(":") || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) fields.push(name, one);
  }
  return fields;
}
