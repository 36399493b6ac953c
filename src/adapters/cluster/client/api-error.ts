import { isJsonObject, ownValue } from "../../../core/model/json.ts";
import { ClusterError } from "../cluster-error.ts";

/** A response of the API server that is not a success. */
export class ApiError extends ClusterError {
  readonly status: number;
  /** The machine-readable reason of the Status object: `Forbidden`, `Expired`, `Conflict`. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string, hints: readonly string[] = []) {
    super(message, { hints });
    this.name = "ApiError";
    this.status = status;
    this.reason = reason;
  }
}

/** Reads a Status object. A body that is something else, such as a page of a proxy, is quoted by its beginning. */
export function apiError(status: number, text: string, what: string): ApiError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (!isJsonObject(body) || body["kind"] !== "Status") {
    const begin = text.trim().slice(0, 120).replaceAll(/\s+/g, " ");
    return new ApiError(status, "", `${what}: the server responds with ${status}${begin === "" ? "" : `: ${begin}`}`);
  }
  const reason = ownValue(body, "reason");
  const message = ownValue(body, "message");
  return new ApiError(
    status,
    typeof reason === "string" ? reason : "",
    `${what}: ${typeof message === "string" && message !== "" ? message : `the server responds with ${status}`}`,
  );
}

/** The list or watch must begin anew: the server no longer has that version. */
export const isExpired = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 410 || error.reason === "Expired" || error.reason === "Gone");

export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** The object was changed in between, or exists already: 409. Read it again. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

/** The server responds, but not to this request: an error that is about neither rights nor credentials. */
export const isServerFailure = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status !== 401 && error.status !== 403;
