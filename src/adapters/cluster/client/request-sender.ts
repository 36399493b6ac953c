/** Sends requests with the credentials of a context: renews refused ones once, and waits where a busy server asks for it. */
import { setTimeout as sleep } from "node:timers/promises";
import { ClusterError } from "../cluster-error.ts";
import type { Credentials } from "../credentials/credential-types.ts";
import { pemOf } from "../credentials/pem-of.ts";
import type { ClusterAccess } from "../kubeconfig/cluster-access.ts";
import { readText } from "../transport/read-body.ts";
import { createTransport } from "../transport/transport.ts";
import type { Transport, TransportResponse } from "../transport/transport-types.ts";
import { ApiError, apiError } from "./api-error.ts";
import type { ApiRequest } from "./api-request.ts";

export interface RequestSender {
  /** The server and the context, for messages. */
  readonly name: string;
  /** Resolves with a response of success. Throws an `ApiError` or another `ClusterError`. */
  readonly send: (request: ApiRequest, signal: AbortSignal) => Promise<TransportResponse>;
  readonly close: () => void;
}

export interface ClientOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `prevail/0.1.0`. */
  readonly userAgent: string;
}

/** A busy server asks to wait (429, Retry-After). After that many times its refusal is reported. */
const MAX_WAITS = 5;
const MAX_WAIT_MS = 10_000;

export function createRequestSender(
  access: ClusterAccess,
  credentials: Credentials,
  { env, userAgent }: ClientOptions,
): RequestSender {
  const name = `${access.cluster.server} (context '${access.context}')`;
  let certificate: string | undefined;
  const transport = openTransport(access, credentials, { env, name, onCertificate: (used) => (certificate = used) });
  // Over a network the bodies of lists are worth compressing; on this machine it only costs time.
  const encoding = isLocal(access.cluster.server) ? "identity" : "gzip";

  const sendOnce = async (request: ApiRequest, signal: AbortSignal): Promise<TransportResponse> => {
    const { method = "GET", path, query, body, contentType = "application/json" } = request;
    return transport.send({
      method,
      path: `${path}${formatQuery(query)}`,
      headers: {
        accept: request.accept ?? "application/json",
        "accept-encoding": encoding,
        "user-agent": userAgent,
        ...(body === undefined ? {} : { "content-type": contentType }),
        ...(await headersFor(name, credentials)),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
  };

  /** True if the request is worth sending again with other credentials. */
  const renew = async (): Promise<boolean> => {
    if (!(await credentials.renew())) return false;
    if ((await credentials.certificate())?.cert !== certificate) transport.reconnect();
    return true;
  };

  const send: RequestSender["send"] = async (request, signal) => {
    let isRenewed = false;
    for (let waits = 0; ; ) {
      const response = await sendOnce(request, signal);
      if (response.status < 300) return response;
      const text = await readText(response);
      if (response.status === 401 && !isRenewed) {
        isRenewed = true;
        if (await renew()) continue;
      }
      const waitMs = retryAfterMs(response);
      if (waitMs === undefined || waits++ >= MAX_WAITS) throw failureOf(access, response.status, text, request);
      // Where the deadline comes first, the reason is that the server is too busy, not that it does not respond.
      await sleep(waitMs, undefined, { signal }).catch(() => {
        throw failureOf(access, response.status, text, request);
      });
    }
  };

  return { name, send, close: () => transport.close() };
}

interface TransportContext extends Pick<ClientOptions, "env"> {
  readonly name: string;
  /** The client certificate of a new connection. */
  readonly onCertificate: (used: string | undefined) => void;
}

function openTransport(
  { cluster }: ClusterAccess,
  credentials: Credentials,
  { env, name, onCertificate }: TransportContext,
): Transport {
  return createTransport({
    server: cluster.server,
    name,
    proxyUrl: cluster.proxyUrl,
    env,
    tls: async () => {
      const client = await credentials.certificate();
      onCertificate(client?.cert);
      return {
        ...(cluster.authority === undefined ? {} : { ca: await pemOf(cluster.authority, "certificate authority") }),
        ...client,
        servername: cluster.tlsServerName,
        rejectUnauthorized: !cluster.insecureSkipTlsVerify,
      };
    },
  });
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

function failureOf(
  { cluster, context }: ClusterAccess,
  status: number,
  text: string,
  { method = "GET", path }: ApiRequest,
): ApiError {
  const error = apiError(status, text, `${method} ${path}`);
  if (status !== 401) return error;
  return new ApiError(
    401,
    error.reason,
    `${cluster.server} does not accept the credentials of the context '${context}'`,
    ["Log in again, or check the user of the context: kubectl config view --minify"],
  );
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
