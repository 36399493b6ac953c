/** An HTTPS server of the control plane: its certificate can be replaced while it serves, and requests at a time are limited. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { closeFailedHandshakes, type HandshakeFailure } from "./failed-handshakes.ts";
import { closeServer, listen } from "./listen.ts";

/** The certificate of a server, in PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The certificates by which client and server trust a connection. */
export interface TlsTrust {
  readonly certificate: ServingCertificate;
  /** In PEM. Only clients with a certificate of it may connect. Undefined: every client. */
  readonly clientAuthority: string | undefined;
}

export interface TlsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly trust: TlsTrust;
  readonly requestTimeoutMs: number;
  readonly maxHeaderBytes?: number;
  readonly respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Responds to a request beyond the limit of requests at a time. */
  readonly respondBusy: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onHandshakeFailure?: ((failure: HandshakeFailure) => void) | undefined;
}

export interface TlsServer {
  readonly port: number;
  /** Connections from now on are judged by this; open connections stay. */
  readonly useTrust: (trust: TlsTrust) => void;
  readonly closeIdleConnections: () => void;
  /** Connections that are used again within a second end with that response, so that no request is lost. */
  readonly close: () => Promise<void>;
}

/** Requests at a time. */
const MAX_IN_FLIGHT = 100;

/** Rejects if the port cannot be opened. */
export async function startTlsServer(options: TlsServerOptions): Promise<TlsServer> {
  let inFlight = 0;
  let isClosing = false;
  const server = createServer(
    {
      ...contextOf(options.trust),
      headersTimeout: 10_000,
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: 90_000,
      ...(options.maxHeaderBytes === undefined ? {} : { maxHeaderSize: options.maxHeaderBytes }),
    },
    (request, response) => {
      // The client sends its next request elsewhere.
      if (isClosing) response.setHeader("connection", "close");
      if (inFlight >= MAX_IN_FLIGHT) return options.respondBusy(request, response);
      inFlight++;
      void options.respond(request, response).finally(() => {
        inFlight--;
      });
    },
  );
  closeFailedHandshakes(server, (one) => options.onHandshakeFailure?.(one));
  const port = await listen(server, options);
  return {
    port,
    useTrust: (trust) => server.setSecureContext(contextOf(trust)),
    closeIdleConnections: () => server.closeIdleConnections(),
    close: async () => {
      isClosing = true;
      await untilUnused(server);
      await closeServer(server);
    },
  };
}

const UNUSED_MS = 1000;
const LOOK_EVERY_MS = 20;

/**
 * Resolves when no connection is left, or after a second. A request that arrives while its connection is closed fails at the client, and one that is no GET is not repeated (RFC 9112,
 * "Closing a Connection").
 */
async function untilUnused(server: Server): Promise<void> {
  const count = promisify(server.getConnections.bind(server));
  const until = performance.now() + UNUSED_MS;
  while (performance.now() < until && (await count()) > 0) await sleep(LOOK_EVERY_MS);
}

const contextOf = ({ certificate, clientAuthority }: TlsTrust) => ({
  cert: certificate.certificate,
  key: certificate.privateKey,
  ...(clientAuthority === undefined ? {} : { ca: clientAuthority, requestCert: true, rejectUnauthorized: true }),
  minVersion: "TLSv1.2" as const,
});
