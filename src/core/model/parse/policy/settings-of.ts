import type { PolicyDefinition } from "../../definition.ts";
import { type Json, type JsonObject, ownValue } from "../../json.ts";

/** The settings of a policy with the fields for targets: its `spec`, or everything beside `metadata` and `status`. */
export function settingsOf(raw: JsonObject, { settings }: Pick<PolicyDefinition, "settings">): Json | undefined {
  if (settings === undefined) return ownValue(raw, "spec");
  const { apiVersion: _version, kind: _kind, metadata: _metadata, status: _status, ...fields } = raw;
  return fields;
}
