/** A recording backend for HTTP/2 without TLS: it can fail one stream and keep the connection. */
import { constants, createServer, type Http2Session, type ServerHttp2Stream } from "node:http2";
import {
  type AttemptLog,
  type Deed,
  listen,
  nowMs,
  type RecordingBackend,
  type SeenAttempt,
} from "./recording-backend.ts";

export async function startHttp2Backend(log: AttemptLog, endpoint: number): Promise<RecordingBackend> {
  const sessions = new Set<Http2Session>();
  const server = createServer();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => undefined);
  });
  server.on("stream", (stream, headers) => {
    const named = new Map(Object.entries(headers).map(([name, value]) => [name, String(value)] as const));
    const seen: SeenAttempt = {
      endpoint,
      method: named.get(":method") ?? "",
      target: named.get(":path") ?? "",
      headers: named,
      arrivedMs: nowMs(),
      bodyBytes: 0,
      doneMs: undefined,
    };
    const deed = log.script[Math.min(log.seen.length, log.script.length - 1)] ?? { do: "Respond", status: 200 };
    log.seen.push(seen);
    stream.on("error", () => undefined);
    stream.on("data", (chunk: Buffer) => {
      seen.bodyBytes += chunk.length;
    });
    if (deed.do === "RefuseStream") perform(deed, seen, stream);
    else stream.on("end", () => perform(deed, seen, stream));
  });
  const port = await listen(server);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        for (const session of sessions) session.destroy();
        server.close(() => resolve());
      }),
  };
}

function perform(deed: Deed, seen: SeenAttempt, stream: ServerHttp2Stream): void {
  seen.doneMs = nowMs();
  switch (deed.do) {
    case "Respond":
      stream.respond({ ":status": deed.status, ...deed.headers }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ ...deed.trailers }));
      stream.end(deed.body ?? "");
      return;
    case "RefuseStream":
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    case "Reset":
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      return;
    case "Stall":
      return;
    case "Close":
    case "Garble":
    case "CloseInHead":
    case "CloseInBody":
    case "Trickle":
    case "Upgrade":
      throw new Error(`${deed.do} is for HTTP/1.1`);
  }
}
