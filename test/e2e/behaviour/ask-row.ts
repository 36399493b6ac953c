/** Asks what a row asks, as a client on a socket of its own, and notes what came back. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import { exchangeRaw } from "../../support/gateway/gateway-harness.ts";
import type { RowRequest } from "./behaviour-row.ts";
import { nowMs } from "./recording-backend.ts";

export interface RowResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly trailers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly isCut: boolean;
  readonly tookMs: number;
}

/** Longer than any row takes: a data plane that never responds fails its row, not the whole run. */
const PATIENCE_MS = 20_000;

export function askRow(port: number, host: string, asked: RowRequest = {}): Promise<RowResponse> {
  if (asked.protocol === "HTTP/2") return askHttp2(port, host, asked);
  return asked.protocol === "HTTP/1.0" ? askHttp10(port, host, asked) : askHttp1(port, host, asked);
}

/** Without a body. The server closes the connection after its response. */
async function askHttp10(port: number, host: string, { path = "/", headers = {} }: RowRequest): Promise<RowResponse> {
  const startedMs = nowMs();
  const all = { host, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = await exchangeRaw(port, `GET ${path} HTTP/1.0\r\n${lines.join("")}\r\n`, { withinMs: PATIENCE_MS });
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  const got: Record<string, string> = {};
  for (const field of fields) got[field.split(":")[0]?.toLowerCase() ?? ""] = field.replace(/^[^:]*: */, "");
  const status = Number(line.split(" ")[1] ?? 0);
  const body = rest.join("\r\n\r\n");
  return { status, headers: got, trailers: {}, body, isCut: false, tookMs: nowMs() - startedMs };
}

/** A connection of HTTP/2 without TLS, for one request. */
function askHttp2(port: number, host: string, asked: RowRequest): Promise<RowResponse> {
  const startedMs = nowMs();
  const { method = "GET", path = "/", headers, bodyBytes } = asked;
  return new Promise((resolve, reject) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const patience = setTimeout(() => session.destroy(new Error(`no end after ${PATIENCE_MS} ms`)), PATIENCE_MS);
    session.on("error", reject);
    session.on("close", () => clearTimeout(patience));
    const stream = session.request(
      { ":method": method, ":path": path, ":authority": host, ...headers },
      { endStream: bodyBytes === undefined },
    );
    let head: IncomingHttpHeaders & { readonly ":status"?: number | undefined } = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on("response", (got) => (head = got));
    stream.on("trailers", (got: IncomingHttpHeaders) => (trailers = got));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", () => undefined);
    stream.on("close", () => {
      const { ":status": status = 0, ...rest } = head;
      const body = Buffer.concat(chunks).toString("utf8");
      resolve({ status, headers: rest, trailers, body, isCut: stream.rstCode !== 0, tookMs: nowMs() - startedMs });
      session.destroy();
    });
    if (bodyBytes !== undefined) stream.end(Buffer.alloc(bodyBytes, "b"));
  });
}

function askHttp1(port: number, host: string, asked: RowRequest): Promise<RowResponse> {
  const startedMs = nowMs();
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: "127.0.0.1",
      port,
      agent: false,
      method: asked.method ?? "GET",
      path: asked.path ?? "/",
      headers: { host, ...asked.headers, ...(asked.echo === undefined ? {} : upgradeHeaders) },
    });
    const patience = setTimeout(() => request.destroy(new Error(`no end after ${PATIENCE_MS} ms`)), PATIENCE_MS);
    const settle = (outcome: Omit<RowResponse, "tookMs">): void => {
      clearTimeout(patience);
      resolve({ ...outcome, tookMs: nowMs() - startedMs });
    };
    request.on("response", (response) => readResponse(response, settle));
    request.on("upgrade", (response, socket, head) => echo(response, socket, head, asked, settle));
    request.on("error", (error) => {
      clearTimeout(patience);
      reject(error);
    });
    sendBody(request, asked);
  });
}

const upgradeHeaders = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

const PIECE_BYTES = 16_384;

function sendBody(request: ClientRequest, { bodyBytes = 0, isChunked = false }: RowRequest): void {
  if (!isChunked) {
    if (bodyBytes > 0) request.setHeader("content-length", bodyBytes);
    request.end(bodyBytes > 0 ? Buffer.alloc(bodyBytes, "b") : undefined);
    return;
  }
  request.setHeader("transfer-encoding", "chunked");
  for (let sent = 0; sent < bodyBytes; sent += PIECE_BYTES) {
    request.write(Buffer.alloc(Math.min(PIECE_BYTES, bodyBytes - sent), "b"));
  }
  request.end();
}

function readResponse(response: IncomingMessage, settle: (outcome: Omit<RowResponse, "tookMs">) => void): void {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A response that is cut off is an outcome here, not a failure of the client.
  response.on("error", () => undefined);
  response.on("close", () =>
    settle({
      status: response.statusCode ?? 0,
      headers: response.headers,
      trailers: response.trailers,
      body: Buffer.concat(chunks).toString("utf8"),
      isCut: !response.complete,
    }),
  );
}

function echo(
  response: IncomingMessage,
  socket: Socket,
  head: Buffer,
  { echo: text = "", echoAfterMs = 0 }: RowRequest,
  settle: (outcome: Omit<RowResponse, "tookMs">) => void,
): void {
  let received = head.toString("utf8");
  const end = (isCut: boolean): void => {
    socket.destroy();
    settle({ status: response.statusCode ?? 0, headers: response.headers, trailers: {}, body: received, isCut });
  };
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("utf8");
    if (received.length >= text.length) end(false);
  });
  socket.on("error", () => end(true));
  socket.on("end", () => end(true));
  setTimeout(() => socket.write(text), echoAfterMs);
}
