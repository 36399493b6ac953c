/** An HTTPS server for the webhooks. It has no side effects. Every client that can connect may send a review, so responses contain no values of policies. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HandshakeFailure } from "../../adapters/sockets/failed-handshakes.ts";
import { type ServingCertificate, startTlsServer } from "../../adapters/sockets/start-tls-server.ts";
import { formatReview, parseReview } from "./admission-review.ts";
import {
  answerReview,
  type ReviewOutcome,
  type WebhookName,
  type WebhookRules,
  type WebhookState,
} from "./answer-review.ts";

export interface WebhookServerOptions extends WebhookRules {
  readonly host: string;
  readonly port: number;
  readonly certificate: ServingCertificate;
  /** In PEM. Only clients with a certificate of it may ask. Undefined: every client that can connect. */
  readonly clientAuthority?: string | undefined;
  /** Undefined: the cluster has not been read yet. */
  readonly state: () => WebhookState | undefined;
  readonly onReview?: (webhook: WebhookName, outcome: ReviewOutcome | "failed", durationMs: number) => void;
  readonly onHandshakeFailure?: (failure: HandshakeFailure) => void;
  /** An exception of ours. A warning is left out; for `/deny`, `failurePolicy` decides. */
  readonly onError?: (error: unknown) => void;
}

export interface WebhookServer {
  readonly port: number;
  /** Connections from now on get this certificate; open connections stay. */
  readonly useCertificate: (certificate: ServingCertificate) => void;
  readonly close: () => Promise<void>;
}

/** An object has at most 1.5 MB in etcd, and a review has two of them with their managed fields. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Rejects if the port cannot be opened. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const { host, port, certificate, clientAuthority, onHandshakeFailure } = options;
  const server = await startTlsServer({
    host,
    port,
    trust: { certificate, clientAuthority },
    requestTimeoutMs: 30_000,
    respond: (request, response) => respond(request, response, options),
    respondBusy: (request, response) => {
      request.resume();
      send(response, 429, "too many requests at a time");
    },
    onHandshakeFailure,
  });
  return {
    port: server.port,
    useCertificate: (next) => server.useTrust({ certificate: next, clientAuthority }),
    close: server.close,
  };
}

const WEBHOOKS: Readonly<Record<string, WebhookName>> = { "/warn": "warn", "/deny": "deny" };

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: WebhookServerOptions,
): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?");
  const webhook = Object.hasOwn(WEBHOOKS, path) ? WEBHOOKS[path] : undefined;
  if (webhook === undefined || request.method !== "POST") {
    request.resume();
    return send(response, webhook === undefined ? 404 : 405, "there are POST /warn and POST /deny");
  }
  const body = await readBody(request);
  if (body === undefined) return send(response, 413, `the body has more than ${MAX_BODY_BYTES} bytes`);
  // The API server does not wait any longer.
  if (response.destroyed) return;
  answer(webhook, body, response, options);
}

function answer(webhook: WebhookName, body: string, response: ServerResponse, options: WebhookServerOptions): void {
  const { state, onReview, onError } = options;
  const began = performance.now();
  const review = parseReview(body);
  if (typeof review === "string") return send(response, 400, review);
  const { uid, request } = review;
  try {
    const answered = answerReview(webhook, request, state(), options);
    onReview?.(webhook, answered?.outcome ?? "unread", performance.now() - began);
    if (answered === undefined) return send(response, 503, "the cluster has not been read yet");
    send(response, 200, formatReview(uid, answered.answer), "application/json");
  } catch (error) {
    onError?.(error);
    onReview?.(webhook, "failed", performance.now() - began);
    if (webhook === "warn") send(response, 200, formatReview(uid, { warnings: [] }), "application/json");
    else send(response, 500, "the request could not be judged");
  }
}

/** Undefined if the body is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > MAX_BODY_BYTES) return undefined;
      parts.push(part);
    }
  } catch {
    // The client is gone.
    return "";
  }
  return Buffer.concat(parts).toString("utf8");
}

function send(response: ServerResponse, status: number, body: string, type = "text/plain; charset=utf-8"): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
