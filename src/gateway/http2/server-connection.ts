import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { GatewayClock } from "../contract/gateway-clock.ts";
import type { GatewayLimits } from "../contract/gateway-limits.ts";
import type { IncomingRequest } from "../contract/http-exchange.ts";
import { Http2Exchange, readHttp2Head } from "./exchange.ts";

/** A client connection of HTTP/2. Each stream is a request. */
export interface Http2SessionOptions {
  readonly limits: GatewayLimits;
  readonly clock: GatewayClock;
  readonly onRequest: (request: IncomingRequest) => void;
}

export function serveHttp2Session(
  session: ServerHttp2Session,
  { limits, clock, onRequest }: Http2SessionOptions,
): void {
  session.setTimeout(limits.idleMs, () => session.close());
  // An error is followed by `close` of the session and its streams.
  session.on("error", () => {});
  session.on(
    "stream",
    (stream: ServerHttp2Stream, _headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      const read = readHttp2Head(stream, rawHeaders, limits.maxHeaders);
      const expectsContinue = read.state === "value" && read.head.expectsContinue;
      const exchange = new Http2Exchange(stream, { expectsContinue, idleMs: limits.idleMs });
      onRequest({ exchange, read, serverName: exchange.serverName, startedMs: clock.nowMs() });
    },
  );
}
