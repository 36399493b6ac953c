/** Random clusters whose rules have matches, and random requests that match or nearly match them. */
import fc from "fast-check";
import type { TraceRequest } from "../../../src/core/explain/trace/result.ts";
import { isJsonObject, type JsonObject, objectsIn } from "../../../src/core/model/json.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";
import { jsonOf, weighted } from "./random-topology.ts";

const paths = ["/", "/a", "/a/", "/a/b", "/a/bc", "/svc/get", "/svc/put"] as const;
const headerNames = ["x-one", "X-Two"] as const;

const named = (type: string | undefined, name: string, value: string): JsonObject => jsonOf({ type, name, value });

const httpMatch: fc.Arbitrary<JsonObject> = fc
  .record({
    path: weighted<JsonObject | undefined>(
      [3, undefined],
      ...paths.map((value) => [2, { type: "PathPrefix", value }] as const),
      ...paths.map((value) => [1, { type: "Exact", value }] as const),
      [2, { type: "RegularExpression", value: "/a/.*" }],
      [1, { type: "RegularExpression", value: "/(" }],
    ),
    method: weighted<string | undefined>([4, undefined], [1, "GET"], [1, "POST"]),
    headers: fc.array(
      fc
        .tuple(
          fc.constantFrom(...headerNames),
          fc.constantFrom("1", "2"),
          weighted([3, undefined], [1, "RegularExpression"]),
        )
        .map(([name, value, type]) => named(type, name, value)),
      { maxLength: 2 },
    ),
    queryParams: fc.array(
      fc.constantFrom("1", "2").map((value) => named(undefined, "q", value)),
      { maxLength: 1 },
    ),
  })
  .map(jsonOf);

const grpcMatch: fc.Arbitrary<JsonObject> = fc
  .record({
    method: weighted<JsonObject | undefined>(
      [1, undefined],
      [2, { service: "svc" }],
      [2, { service: "svc", method: "get" }],
      [1, { method: "put" }],
      [1, { type: "RegularExpression", service: "s.c" }],
    ),
  })
  .map(jsonOf);

type Matches = { readonly http: readonly JsonObject[]; readonly grpc: readonly JsonObject[] };
const matches: fc.Arbitrary<Matches> = fc.record({
  http: fc.array(httpMatch, { maxLength: 3 }),
  grpc: fc.array(grpcMatch, { maxLength: 2 }),
});

/** Each rule gets the next list of matches. HTTPS listeners get a certificate: without one they are not served. */
function dressed(object: JsonObject, lists: readonly Matches[], at: number): JsonObject {
  const { kind, spec } = object;
  if (!isJsonObject(spec)) return object;
  const items = (key: string): readonly JsonObject[] => objectsIn(spec[key]);
  if (kind === "Gateway" || kind === "ListenerSet") {
    const listeners = items("listeners").map((one) =>
      one["protocol"] === "HTTPS" ? { ...one, tls: { certificateRefs: [{ name: "c" }] } } : one,
    );
    return { ...object, spec: { ...spec, listeners } };
  }
  if (kind !== "HTTPRoute" && kind !== "GRPCRoute") return object;
  const rules = items("rules").map((rule, index) => {
    const list = lists[(at + index) % Math.max(1, lists.length)];
    return list === undefined ? rule : { ...rule, matches: kind === "HTTPRoute" ? list.http : list.grpc };
  });
  return { ...object, spec: { ...spec, rules } };
}

export const clusterWithMatches: fc.Arbitrary<RandomCluster> = fc
  .record({ cluster: randomCluster, lists: fc.array(matches, { minLength: 1, maxLength: 5 }) })
  .map(({ cluster, lists }) => ({
    ...cluster,
    objects: cluster.objects.map((object, at) => dressed(object, lists, at)),
  }));

export const randomRequest: fc.Arbitrary<TraceRequest> = fc.record({
  scheme: weighted([4, "http" as const], [1, "https" as const]),
  port: fc.constantFrom(80, 443),
  method: fc.constantFrom("GET", "POST"),
  host: fc.constantFrom("one.example.com", "example.com", "two.deep.example.com", "elsewhere.org", "x.org"),
  path: fc.constantFrom(...paths, "/abc", "/other/get"),
  query: fc.array(fc.tuple(fc.constant("q"), fc.constantFrom("1", "2")), { maxLength: 1 }),
  headers: fc.array(fc.tuple(fc.constantFrom("x-one", "x-two"), fc.constantFrom("1", "2")), { maxLength: 2 }),
});
