import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

/** How the server is authenticated, and the client certificate. */
export interface TlsSettings {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that the server's certificate must have; its host if undefined. */
  readonly servername?: string | undefined;
  /** False: any certificate is accepted. */
  readonly rejectUnauthorized?: boolean | undefined;
}

export interface SocketOptions {
  readonly server: URL;
  readonly proxy: URL | undefined;
  readonly tls: TlsSettings;
  readonly deadlineMs: number;
}

/** Opens a connection to the server, through the proxy if there is one. For https, HTTP/2 is offered first. */
export async function openSocket({ server, proxy, tls, deadlineMs }: SocketOptions): Promise<Socket | TLSSocket> {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const port = Number(server.port === "" ? (server.protocol === "https:" ? 443 : 80) : server.port);
  const tcp =
    proxy === undefined ? await openTcp(host, port, deadlineMs) : await openTunnel(proxy, host, port, deadlineMs);
  if (server.protocol === "http:") return tcp;
  return openTls(tcp, host, tls, deadlineMs);
}

function openTcp(host: string, port: number, deadlineMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host, port, noDelay: true, keepAlive: true });
    const timer = setTimeout(() => fail(new Error(`no connection within ${deadlineMs / 1000} s`)), deadlineMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}

function openTls(tcp: Socket, host: string, tls: TlsSettings, deadlineMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const { servername, ca, cert, key, rejectUnauthorized = true } = tls;
    const isAddress = /^[\d.]+$|:/.test(host);
    const socket = connectTls({
      socket: tcp,
      host: servername ?? host,
      // An address is no server name (RFC 6066); certificates are compared with it all the same.
      ...(servername !== undefined || !isAddress ? { servername: servername ?? host } : {}),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      rejectUnauthorized,
      ALPNProtocols: ["h2", "http/1.1"],
    });
    const timer = setTimeout(() => fail(new Error(`no TLS handshake within ${deadlineMs / 1000} s`)), deadlineMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}

/** A tunnel through an HTTP proxy: `CONNECT host:port`. */
function openTunnel(proxy: URL, host: string, port: number, deadlineMs: number): Promise<Socket> {
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:") {
    throw new Error(`the proxy ${formatProxy(proxy)} is of a kind that is not supported; use an http or https proxy`);
  }
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === "https:" ? httpsRequest : httpRequest)({
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : proxy.port,
      method: "CONNECT",
      path: target,
      headers: { host: target, ...authorizationOf(proxy) },
      agent: false,
      timeout: deadlineMs,
    });
    const fail = (reason: string, cause?: unknown): void => {
      request.destroy();
      reject(new Error(`the proxy ${formatProxy(proxy)} ${reason}`, { cause }));
    };
    request.once("connect", (response, socket) => {
      if (response.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        fail(`refuses a connection to ${target}: ${response.statusCode} ${response.statusMessage ?? ""}`.trimEnd());
      }
    });
    request.once("response", (response) => fail(`responds to CONNECT with ${response.statusCode}`));
    request.once("timeout", () => fail(`does not respond within ${deadlineMs / 1000} s`));
    request.once("error", (error) => fail(`cannot be reached: ${error.message}`, error));
    request.end();
  });
}

function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}

/** Without its password. */
const formatProxy = ({ protocol, host }: URL): string => `${protocol}//${host}`;
