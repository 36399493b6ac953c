/** A request to the API server, as its admission webhooks see it. Kubernetes, "Dynamic Admission Control" */
import { isJsonObject, type Json, type JsonObject, jsonEqual, ownValue } from "../model/json.ts";

export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** Empty for the object itself. */
  readonly subResource: string;
  /** The name of the user who sent it. */
  readonly user: string;
  /** Absent for DELETE. */
  readonly object: JsonObject | undefined;
  /** Absent for CREATE. */
  readonly oldObject: JsonObject | undefined;
}

/** Controllers that clean up after the deletion of another object. A refusal would leave namespaces Terminating for ever. */
const CLEANERS: readonly string[] = [
  "system:serviceaccount:kube-system:namespace-controller",
  "system:serviceaccount:kube-system:generic-garbage-collector",
  "system:kube-controller-manager",
];

/** True for requests about which there is nothing to say: subresources, cleaning up, and objects that are being deleted. */
export const isSettled = ({ subResource, user, object, oldObject }: AdmissionRequest): boolean =>
  subResource !== "" || CLEANERS.includes(user) || isBeingDeleted(object) || isBeingDeleted(oldObject);

export const isBeingDeleted = (object: JsonObject | undefined): boolean =>
  typeof metadataOf(object, "deletionTimestamp") === "string";

/** True if an update changes nothing but metadata and status. */
export function isMetadataOnly({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== "UPDATE" || object === undefined || oldObject === undefined) return false;
  const keys = new Set([...Object.keys(object), ...Object.keys(oldObject)]);
  return [...keys].every((key) => key === "metadata" || key === "status" || jsonEqual(object[key], oldObject[key]));
}

export function metadataOf(object: JsonObject | undefined, key: string): Json | undefined {
  const metadata = object === undefined ? undefined : ownValue(object, "metadata");
  return isJsonObject(metadata) ? ownValue(metadata, key) : undefined;
}
