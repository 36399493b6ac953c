import { isJsonObject, type Json, ownValue } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";

/** Kubernetes writes RFC 3339; other formats would be read in the time zone of whoever runs this. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** `metadata.creationTimestamp`: as it is written, and in whole seconds since the epoch where it can be read. */
export function createdAt({ raw }: KubeObject): { readonly written: Json; readonly seconds: number | undefined } {
  const metadata = ownValue(raw, "metadata");
  const written = isJsonObject(metadata) ? (ownValue(metadata, "creationTimestamp") ?? null) : null;
  return { written, seconds: typeof written === "string" ? secondsOf(written) : undefined };
}

function secondsOf(text: string): number | undefined {
  const ms = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}
