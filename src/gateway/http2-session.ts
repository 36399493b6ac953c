import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { Http2Exchange, readHttp2Head } from "./http2-exchange.ts";
import { serveRequest } from "./serve-request.ts";
import type { ServedPort } from "./served-port.ts";
import type { ServingContext } from "./serving-context.ts";

/** A connection of a client that speaks HTTP/2: each stream is a request. */
export function serveHttp2Session(
  session: ServerHttp2Session,
  context: ServingContext,
  served: () => ServedPort,
): void {
  const { limits, clock } = context;
  session.setTimeout(limits.idleMs, () => session.close());
  // What breaks a connection also closes its streams.
  session.on("error", () => {});
  session.on(
    "stream",
    (stream: ServerHttp2Stream, _headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) => {
      const read = readHttp2Head(stream, rawHeaders, limits.maxHeaders);
      const expectsContinue = read.state === "value" && read.head.expectsContinue;
      const exchange = new Http2Exchange(stream, { expectsContinue, idleMs: limits.idleMs });
      serveRequest(context, served(), { exchange, read, serverName: exchange.serverName, startedMs: clock.nowMs() });
    },
  );
}
