/** A client of the Kubernetes API: one request at a time, lists in pages, and the stream of a watch. */
import { isJsonObject, type JsonObject } from "../../../core/model/json.ts";
import { ClusterError } from "../cluster-error.ts";
import type { Credentials } from "../credentials/credential-types.ts";
import type { ClusterAccess } from "../kubeconfig/cluster-access.ts";
import { decodeBody, readText } from "../transport/read-body.ts";
import { ApiError } from "./api-error.ts";
import type { ApiRequest } from "./api-request.ts";
import { type ClientOptions, createRequestSender } from "./request-sender.ts";

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

const DEADLINE_MS = 30_000;

export function createKubeClient(access: ClusterAccess, credentials: Credentials, options: ClientOptions): KubeClient {
  const { name, send, close } = createRequestSender(access, credentials, options);
  return {
    context: access.context,
    server: access.cluster.server,
    request: (request) =>
      withDeadline(name, request, async (signal) => parseObject(await readText(await send(request, signal)), request)),
    stream: (request) =>
      withDeadlineToBegin(
        name,
        request,
        async (signal) => decodeBody(await send(request, signal)) as AsyncIterable<Buffer>,
      ),
    close,
  };
}

async function withDeadline<T>(
  name: string,
  request: ApiRequest,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = AbortSignal.timeout(request.deadlineMs ?? DEADLINE_MS);
  try {
    return await run(withOwn(request, timer));
  } catch (error) {
    if (!timer.aborted || request.signal?.aborted === true || error instanceof ApiError) throw error;
    throw late(name, request, error);
  }
}

/** The deadline is for the beginning of the response only, so it must not abort the stream later. */
async function withDeadlineToBegin<T>(
  name: string,
  request: ApiRequest,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const begun = new AbortController();
  const timer = setTimeout(() => begun.abort(late(name, request)), request.deadlineMs ?? DEADLINE_MS);
  try {
    return await run(withOwn(request, begun.signal));
  } finally {
    clearTimeout(timer);
  }
}

/** Aborts with the request's own signal, too. */
const withOwn = ({ signal }: ApiRequest, deadline: AbortSignal): AbortSignal =>
  signal === undefined ? deadline : AbortSignal.any([deadline, signal]);

const late = (name: string, { path, deadlineMs = DEADLINE_MS }: ApiRequest, cause?: unknown): ClusterError =>
  new ClusterError(`${name} does not respond within ${deadlineMs / 1000} s (${path})`, { cause });

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
