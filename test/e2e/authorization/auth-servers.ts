/** Authorization servers that record what they are asked. They allow requests with `Authorization: yes`. */
import { createServer, type Http2Server } from "node:http2";
import { type Cleanup, type SeenRequest, startBackend } from "../../support/gateway/gateway-harness.ts";

export interface AuthServer {
  readonly port: number;
  readonly seen: readonly SeenRequest[];
}

/** Over HTTP: 200 for `yes`, the status that `Authorization` names, else 401. */
export function startHttpAuth(cleanup: Cleanup): Promise<AuthServer> {
  return startBackend(cleanup, ({ headers }, response) => {
    const { authorization = "" } = headers;
    const status = authorization === "yes" ? 200 : /^\d{3}$/.test(authorization) ? Number(authorization) : 401;
    response.writeHead(status, {
      "content-type": "text/auth",
      "x-user": "alice",
      "x-team": "bakers",
      "www-authenticate": "Basic",
      etag: '"1"',
    });
    response.end(status === 200 ? "go on" : "who are you?");
  });
}

export interface GrpcAuthServer {
  readonly port: number;
  /** The messages as they came, for searching. */
  readonly seen: string[];
}

/** Envoy's ext_authz protocol: allows requests whose message contains `yes`, and adds `x-user`. */
export async function startGrpcAuth(cleanup: Cleanup): Promise<GrpcAuthServer> {
  const seen: string[] = [];
  const server: Http2Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = `${request.url} ${Buffer.concat(chunks).toString("latin1")}`;
      seen.push(text);
      const message = text.includes("yes") ? ALLOWED : DENIED;
      const frame = Buffer.alloc(5);
      frame.writeUInt32BE(message.length, 1);
      response.setHeader("content-type", "application/grpc");
      response.addTrailers({ "grpc-status": "0" });
      response.end(Buffer.concat([frame, message]));
    });
  });
  const sessions = new Set<{ destroy: () => void }>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.add(() => {
    for (const session of sessions) session.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return { port: address.port, seen };
}

/** A field of Protocol Buffers with a length. All lengths here are below 128. */
const field = (number: number, value: Buffer | string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
};
const number = (at: number, ...bytes: readonly number[]): Buffer => Buffer.from([at << 3, ...bytes]);

const header = (name: string, value: string): Buffer =>
  field(2, field(1, Buffer.concat([field(1, name), field(2, value)])));

/** CheckResponse with `ok_response`. */
const ALLOWED: Buffer = Buffer.concat([field(1, ""), field(3, header("x-user", "alice"))]);

/** CheckResponse with status PERMISSION_DENIED and `denied_response`: HTTP status 418. */
const DENIED: Buffer = Buffer.concat([
  field(1, number(1, 7)),
  field(2, Buffer.concat([field(1, number(1, 0xa2, 0x03)), header("x-why", "tea"), field(3, "a teapot")])),
]);
