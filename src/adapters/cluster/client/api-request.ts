/** One request to the Kubernetes API. */
import type { JsonObject } from "../../../core/model/json.ts";

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
