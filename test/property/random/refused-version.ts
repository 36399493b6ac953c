/** Versions of objects that the API server refuses: by their schema, or by a rule of it. */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../../src/core/model/json.ts";

type Edit = (spec: JsonObject) => JsonObject;

const itemsOf = (value: Json | undefined): readonly Json[] => (value !== undefined && isJsonList(value) ? value : []);

const withRule = (fields: JsonObject): Edit => {
  return (spec) => ({ ...spec, rules: [{ ...fields }, ...itemsOf(spec["rules"])] });
};

/** Fields of the wrong type are a matter of the schema; the rules concern names that occur twice, paths, and values that exclude each other. */
const edits: Readonly<Record<string, readonly Edit[]>> = {
  Gateway: [
    (spec) => ({ ...spec, listeners: [] }),
    (spec) => ({ ...spec, listeners: [...itemsOf(spec["listeners"]), ...itemsOf(spec["listeners"]).slice(0, 1)] }),
    (spec) => ({ ...spec, listeners: [{ name: "l1", port: 80, protocol: "HTTP", tls: { mode: "Terminate" } }] }),
  ],
  HTTPRoute: [
    withRule({ matches: [{ path: { type: "PathPrefix", value: "no-slash" } }] }),
    withRule({ timeouts: { request: "1s", backendRequest: "2s" } }),
    (spec) => ({ ...spec, hostnames: ["not a hostname"] }),
    (spec) => ({ ...spec, parentRefs: "g1" }),
  ],
  GRPCRoute: [withRule({ matches: [{ method: { type: "Exact" } }] }), (spec) => ({ ...spec, hostnames: "all" })],
  ReferenceGrant: [(spec) => ({ ...spec, from: [] })],
  Service: [(spec) => ({ ...spec, ports: [{ port: 99_999 }] })],
};

/** A refused version of the object. Undefined: there is none for its kind. */
export function refusedVersion(object: JsonObject, how: number): JsonObject | undefined {
  const own = typeof object["kind"] === "string" ? (edits[object["kind"]] ?? []) : [];
  const edit = own[how % Math.max(1, own.length)];
  const spec = isJsonObject(object["spec"]) ? object["spec"] : {};
  return edit === undefined ? undefined : { ...object, spec: edit(spec) };
}
