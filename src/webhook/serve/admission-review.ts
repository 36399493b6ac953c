/** Reads and writes AdmissionReviews. Kubernetes, "Dynamic Admission Control", "Webhook request and response" */
import { trimObject } from "../../adapters/cluster/client/trim-object.ts";
import type { AdmissionRequest } from "../../core/admission/admission-request.ts";
import type { AdmissionRefusal } from "../../core/admission/find-refusal.ts";
import { isJsonObject, type Json, type JsonObject, ownValue, textOf } from "../../core/model/json.ts";

const API_VERSION = "admission.k8s.io/v1";

export interface ParsedReview {
  /** The response repeats it. */
  readonly uid: string;
  readonly request: AdmissionRequest;
}

const OPERATIONS: readonly AdmissionRequest["operation"][] = ["CREATE", "UPDATE", "DELETE"];

/** Returns what is wrong with a body that is no AdmissionReview of this version. */
export function parseReview(body: string): ParsedReview | string {
  let review: unknown;
  try {
    review = JSON.parse(body);
  } catch {
    return "the body is not JSON";
  }
  if (!isJsonObject(review) || review["kind"] !== "AdmissionReview" || review["apiVersion"] !== API_VERSION)
    return `the body is not an AdmissionReview of ${API_VERSION}`;
  const request = ownValue(review, "request");
  const uid = isJsonObject(request) ? ownValue(request, "uid") : undefined;
  if (!isJsonObject(request) || typeof uid !== "string" || uid === "") return "the AdmissionReview has no request.uid";
  const operation = OPERATIONS.find((one) => one === request["operation"]);
  if (operation === undefined) return `request.operation is none of ${OPERATIONS.join(", ")}`;
  const userInfo = ownValue(request, "userInfo");
  const user = isJsonObject(userInfo) ? userInfo["username"] : undefined;
  const [object, oldObject] = [readObject(request["object"]), readObject(request["oldObject"])];
  return {
    uid,
    request: {
      operation,
      subResource: textOf(request["subResource"]),
      user: textOf(user),
      object: operation === "DELETE" ? undefined : object,
      oldObject: operation === "CREATE" ? undefined : oldObject,
    },
  };
}

const readObject = (value: Json | undefined): JsonObject | undefined =>
  isJsonObject(value) ? trimObject(value) : undefined;

/** The response to a request of the API server. */
export interface ReviewAnswer {
  readonly warnings: readonly string[];
  readonly refusal?: AdmissionRefusal;
}

export function formatReview(uid: string, { warnings, refusal }: ReviewAnswer): string {
  const response = {
    uid,
    allowed: refusal === undefined,
    ...(refusal === undefined
      ? {}
      : { status: { code: 403, reason: "Forbidden", message: `${refusal.reason}: ${refusal.message}` } }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  return JSON.stringify({ apiVersion: API_VERSION, kind: "AdmissionReview", response });
}
