import { isJsonObject, type JsonObject, ownValue } from "../../../core/model/json.ts";

/** `namespace/name`: identifies an object among those of one resource. */
export function objectKey(object: JsonObject): string {
  const metadata = ownValue(object, "metadata");
  if (!isJsonObject(metadata)) return "/";
  const namespace = ownValue(metadata, "namespace");
  const name = ownValue(metadata, "name");
  return `${typeof namespace === "string" ? namespace : ""}/${typeof name === "string" ? name : ""}`;
}
