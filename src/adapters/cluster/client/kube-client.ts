/** A client of the Kubernetes API: one request at a time, lists in pages, and the stream of a watch. */
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../../core/model/json.ts";
import { ClusterError } from "../cluster-error.ts";
import type { Credentials } from "../credentials/credential-types.ts";
import { pemOf } from "../credentials/pem-of.ts";
import type { ClusterAccess } from "../kubeconfig/cluster-access.ts";
import { decodeBody, readText } from "../transport/read-body.ts";
import { createTransport } from "../transport/transport.ts";
import type { TransportResponse } from "../transport/transport-types.ts";
import { ApiError, apiError } from "./api-error.ts";

export interface KubeClient {
  /** For messages. */
  readonly context: string;
  readonly server: string;
  /** Sends a request and returns the object of the response. Throws an `ApiError` or another `ClusterError`. */
  readonly request: (request: ApiRequest) => Promise<JsonObject>;
  /** Sends a request whose response is read as it arrives. */
  readonly stream: (request: ApiRequest) => Promise<AsyncIterable<Buffer>>;
  readonly close: () => void;
}

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: JsonObject;
  readonly contentType?: string;
  readonly accept?: string;
  /** How long until the response is complete; for a stream, until it begins. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface ClientOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `prevail/0.1.0`. */
  readonly userAgent: string;
}

const DEADLINE_MS = 30_000;
/** A busy server asks to wait (429, Retry-After). After that many times its refusal is reported. */
const MAX_WAITS = 5;
const MAX_WAIT_MS = 10_000;

export function createKubeClient(
  access: ClusterAccess,
  credentials: Credentials,
  { env, userAgent }: ClientOptions,
): KubeClient {
  const { cluster, context } = access;
  const { server } = cluster;
  let certificate: string | undefined;
  const name = `${server} (context '${context}')`;
  const transport = createTransport({
    server,
    name,
    proxyUrl: cluster.proxyUrl,
    env,
    tls: async () => {
      const client = await credentials.certificate();
      certificate = client?.cert;
      return {
        ...(cluster.authority === undefined ? {} : { ca: await pemOf(cluster.authority, "certificate authority") }),
        ...client,
        servername: cluster.tlsServerName,
        rejectUnauthorized: !cluster.insecureSkipTlsVerify,
      };
    },
  });
  // Over a network the bodies of lists are worth compressing; on this machine it only costs time.
  const encoding = isLocal(server) ? "identity" : "gzip";

  const sendOnce = async (request: ApiRequest, signal: AbortSignal): Promise<TransportResponse> => {
    const {
      method = "GET",
      path,
      query,
      body,
      contentType = "application/json",
      accept = "application/json",
    } = request;
    return transport.send({
      method,
      path: `${path}${formatQuery(query)}`,
      headers: {
        accept,
        "accept-encoding": encoding,
        "user-agent": userAgent,
        ...(body === undefined ? {} : { "content-type": contentType }),
        ...(await headersFor(name, credentials)),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
  };

  /** Renews refused credentials once, and waits where the server asks for it. */
  const sendWith = async (request: ApiRequest, signal: AbortSignal): Promise<TransportResponse> => {
    let isRenewed = false;
    for (let waits = 0; ; ) {
      const response = await sendOnce(request, signal);
      if (response.status < 300) return response;
      const text = await readText(response);
      if (response.status === 401 && !isRenewed) {
        isRenewed = true;
        if (await credentials.renew()) {
          if ((await credentials.certificate())?.cert !== certificate) transport.reconnect();
          continue;
        }
      }
      const waitMs = retryAfterMs(response);
      if (waitMs === undefined || waits++ >= MAX_WAITS) throw failureOf(response.status, text, request);
      // Where the deadline comes first, the reason is that the server is too busy, not that it does not respond.
      await sleep(waitMs, undefined, { signal }).catch(() => {
        throw failureOf(response.status, text, request);
      });
    }
  };

  function failureOf(status: number, text: string, { method = "GET", path }: ApiRequest): ApiError {
    const error = apiError(status, text, `${method} ${path}`);
    if (status !== 401) return error;
    return new ApiError(401, error.reason, `${server} does not accept the credentials of the context '${context}'`, [
      "Log in again, or check the user of the context: kubectl config view --minify",
    ]);
  }

  const withDeadline = async <T>(request: ApiRequest, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const { deadlineMs = DEADLINE_MS } = request;
    const timer = AbortSignal.timeout(deadlineMs);
    try {
      return await run(request.signal === undefined ? timer : AbortSignal.any([timer, request.signal]));
    } catch (error) {
      if (!timer.aborted || request.signal?.aborted === true || error instanceof ApiError) throw error;
      throw new ClusterError(`${name} does not respond within ${deadlineMs / 1000} s (${request.path})`, {
        cause: error,
      });
    }
  };

  return {
    context,
    server,
    request: (request) =>
      withDeadline(request, async (signal) => {
        const text = await readText(await sendWith(request, signal));
        return parseObject(text, request);
      }),
    stream: async (request) => {
      // The deadline is for the beginning of the response only, so it must not abort the stream later.
      const begun = new AbortController();
      const { deadlineMs = DEADLINE_MS } = request;
      const late = new ClusterError(`${name} does not respond within ${deadlineMs / 1000} s (${request.path})`);
      const timer = setTimeout(() => begun.abort(late), deadlineMs);
      const signal = request.signal === undefined ? begun.signal : AbortSignal.any([begun.signal, request.signal]);
      try {
        return decodeBody(await sendWith(request, signal)) as AsyncIterable<Buffer>;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => transport.close(),
  };
}

/** A plugin or a file that has no credentials is reported with the cluster that they are for. */
async function headersFor(name: string, credentials: Credentials): ReturnType<Credentials["headers"]> {
  try {
    return await credentials.headers();
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    throw new ClusterError(`there are no credentials for ${name}: ${error.message}`, {
      hints: error.hints,
      cause: error,
    });
  }
}

function parseObject(text: string, { path }: ApiRequest): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ClusterError(`the response to ${path} is not JSON: ${text.slice(0, 80).replaceAll(/\s+/g, " ")}`, {
      cause: error,
    });
  }
  if (!isJsonObject(value)) throw new ClusterError(`the response to ${path} is not an object`);
  return value;
}

/** Kubernetes, "API Priority and Fairness": a server that is too busy says when to come back. */
function retryAfterMs({ status, header }: TransportResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const after = header("retry-after");
  const seconds = after === undefined ? Number.NaN : Number(after);
  if (Number.isNaN(seconds)) return status === 429 ? 1000 : undefined;
  // Requests that were refused together must not come back together.
  return Math.min(Math.max(seconds * 1000, 100), MAX_WAIT_MS) * (1 + Math.random() / 4);
}

function formatQuery(query: ApiRequest["query"]): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) params.set(name, value);
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

function isLocal(server: string): boolean {
  const { hostname } = new URL(server.includes("://") ? server : `https://${server}`);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
