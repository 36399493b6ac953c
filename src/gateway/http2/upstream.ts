import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Endpoint } from "../../core/dataplane/gateway-config.ts";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import type { GatewayLimits } from "../contract/gateway-limits.ts";
import type { HeaderList } from "../contract/header-list.ts";
import type {
  AttemptFailure,
  AttemptSink,
  RunningAttempt,
  Upstream,
  UpstreamRequest,
  UpstreamTlsOptions,
} from "../contract/upstream.ts";
import { fromNodeHeaders, toNodeHeaders } from "./node-headers.ts";

/** One HTTP/2 connection to one endpoint, reopened when it has closed. Without TLS it is h2c with prior knowledge. */
export function createHttp2Upstream(
  { address, port }: Endpoint,
  tls: UpstreamTlsOptions | undefined,
  { limits, clock }: { readonly limits: GatewayLimits; readonly clock: GatewayClock },
): Upstream {
  const host = address.includes(":") ? `[${address}]` : address;
  const origin = `${tls === undefined ? "http" : "https"}://${host}:${port}`;
  const running = new Set<Http2Attempt>();
  let session: ClientHttp2Session | undefined;

  const open = (): ClientHttp2Session => {
    const opened = connect(origin, {
      settings: { enablePush: false },
      ...tls,
    });
    const timer = clock.startTimer(limits.connectMs, () => opened.destroy(new Error("connecting took too long")));
    opened.on("connect", () => timer.cancel());
    // Each stream gets the error too.
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
    // The connection has its own idle timeout.
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
  #trailers: HeaderList = [];
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
      if (headers[":status"] === 103 && !this.#isOver) sink.onHints(fromNodeHeaders(headers));
    });
    stream.on("response", (headers, flags) => {
      if (this.#isOver) return;
      const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      sink.onHead({ status: headers[":status"] ?? 0, statusText: "", headers: fromNodeHeaders(headers), isWhole });
    });
    stream.on("data", (chunk: Buffer) => {
      if (!this.#isOver && !sink.onData(chunk)) stream.pause();
    });
    stream.on("trailers", (trailers: IncomingHttpHeaders) => {
      this.#trailers = fromNodeHeaders(trailers);
    });
    stream.on("error", () => {});
    stream.on("close", () => this.#close(sink));
    stream.setTimeout(idleMs, () => {
      this.#isTooSlow = true;
      stream.close(constants.NGHTTP2_CANCEL);
    });
  }

  /** The last event of a stream, however it ended. */
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
    // A stream has no id before its request is sent.
    if (this.#session.connecting || this.#stream.id === undefined) return "NotConnected";
    return this.#stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? "Refused" : "Reset";
  }
}

function requestHeaders(request: UpstreamRequest): OutgoingHttpHeaders {
  const { method, authority, path, headers, contentLength, body, takesTrailers } = request;
  return {
    ...toNodeHeaders(headers),
    ":method": method,
    ":authority": authority,
    ":path": path,
    ...(body !== undefined && contentLength !== undefined ? { "content-length": contentLength } : {}),
    ...(takesTrailers ? { te: "trailers" } : {}),
  };
}
