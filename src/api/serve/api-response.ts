/** The shapes of responses. Kubernetes, API Concepts and "Status" */
import type { Json } from "../../core/model/json.ts";
import { VIEW_GROUP } from "../../core/view/view-resources.ts";

export interface ApiResponse {
  readonly status: number;
  /** A whole body, or its parts as they are computed. */
  readonly body: string | AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

export const jsonResponse = (body: object, headers?: Readonly<Record<string, string>>): ApiResponse => ({
  status: 200,
  body: JSON.stringify(body),
  ...(headers === undefined ? {} : { headers }),
});

/** The reasons that clients know, and their codes. */
const codes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  Expired: 410,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
} as const;

export type FailureReason = keyof typeof codes;

export interface FailureDetails {
  readonly kind?: string;
  readonly name?: string;
  /** When to ask again. */
  readonly retryAfterSeconds?: number;
}

/** A Status object. */
export function failure(reason: FailureReason, message: string, details: FailureDetails = {}): ApiResponse {
  const code = codes[reason];
  const { retryAfterSeconds } = details;
  const status: Readonly<Record<string, Json>> = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    details: { group: VIEW_GROUP, ...details },
    code,
  };
  return {
    status: code,
    body: JSON.stringify(status),
    ...(retryAfterSeconds === undefined ? {} : { headers: { "retry-after": String(retryAfterSeconds) } }),
  };
}
