import type { SettingsPosition } from "../../definition.ts";
import { type Json, type JsonObject, ownValue } from "../../json.ts";

/**
 * The settings of a policy with the fields for targets: its `spec`, or everything beside `metadata` and `status`. A kind whose `spec` is optional
 * has an empty one where it is absent.
 */
export function settingsOf(
  raw: JsonObject,
  { settings = "Spec" }: { readonly settings?: SettingsPosition },
): Json | undefined {
  switch (settings) {
    case "Spec":
      return ownValue(raw, "spec");
    case "OptionalSpec": {
      const spec = ownValue(raw, "spec");
      return spec === undefined ? NO_SETTINGS : spec;
    }
    case "Root": {
      const { apiVersion: _version, kind: _kind, metadata: _metadata, status: _status, ...fields } = raw;
      return fields;
    }
  }
}

const NO_SETTINGS: JsonObject = {};
