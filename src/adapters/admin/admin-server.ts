/** Metrics, health and readiness of a gateway or its control plane. Not for clients: it belongs on the loopback. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface AdminOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly metrics: () => string;
  /** True if requests are served, with the reason. */
  readonly readiness: () => { readonly isReady: boolean; readonly reason: string };
  /** Readiness of single parts, at `/readyz/NAME`. */
  readonly parts?: Readonly<Record<string, AdminOptions["readiness"]>>;
  /** Additional JSON pages, by path. */
  readonly states?: Readonly<Record<string, () => object>>;
}

export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const text = (status: number, body: string): Page => ({ status, type: "text/plain; charset=utf-8", body: `${body}\n` });

const json = (state: object): Page => ({
  status: 200,
  type: "application/json",
  body: `${JSON.stringify(state)}\n`,
});

/** Rejects if the address cannot be opened. */
export async function startAdminServer(options: AdminOptions): Promise<AdminServer> {
  const { host, port, metrics, readiness, parts = {}, states = {} } = options;
  const ready = (of: AdminOptions["readiness"]): Page => {
    const { isReady, reason } = of();
    return text(isReady ? 200 : 503, reason);
  };
  const pages: Readonly<Record<string, () => Page>> = {
    ...Object.fromEntries(Object.entries(states).map(([path, state]) => [path, () => json(state())])),
    "/metrics": () => ({ status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: metrics() }),
    "/healthz": () => text(200, "ok"),
    "/readyz": () => ready(readiness),
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [`/readyz/${name}`, () => ready(part)])),
  };
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000 }, (request, response) => {
    respond(request, response, pages);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  pages: Readonly<Record<string, () => Page>>,
): void {
  const [path = ""] = url.split("?");
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  const isRead = method === "GET" || method === "HEAD";
  const { status, type, body } =
    page === undefined
      ? text(404, `There are ${Object.keys(pages).join(", ")}.`)
      : isRead
        ? page()
        : text(405, "Only GET and HEAD.");
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(method === "HEAD" ? undefined : body);
}
