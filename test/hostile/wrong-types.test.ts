import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/model/json.ts";
import { apply, findings } from "../../src/index.ts";
import { evaluateDocuments, told } from "../property/evaluate-cluster.ts";
import { refOf } from "../property/random-history.ts";
import {
  bakery,
  crd,
  definitionDocument,
  definitions,
  gateway,
  grant,
  httpRoute,
  mergePolicy,
  service,
} from "./bakery-cluster.ts";

type Path = readonly (string | number)[];

const replacements: readonly Json[] = [null, 7, -1.5, "text", "", true, [], [null], [[]], {}, { x: 1 }];

/** Every place in a value, the value itself included. */
function placesIn(value: Json, path: Path = []): readonly Path[] {
  const below = Array.isArray(value)
    ? value.flatMap((item: Json, at) => placesIn(item, [...path, at]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))
      : [];
  return [path, ...below];
}

function replaceAt(value: Json, [head, ...rest]: Path, replacement: Json): Json {
  if (head === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item: Json, at) => (at === head ? replaceAt(item, rest, replacement) : item));
  if (!isJsonObject(value)) return value;
  return { ...value, [head]: replaceAt(value[head] ?? null, rest, replacement) };
}

function removeAt(value: Json, path: Path): Json {
  const [head, ...rest] = path;
  if (isJsonObject(value) && rest.length === 0)
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== head));
  if (Array.isArray(value)) return value.map((item: Json, at) => (at === head ? removeAt(item, rest) : item));
  return isJsonObject(value) && head !== undefined ? { ...value, [head]: removeAt(value[head] ?? null, rest) } : value;
}

const label = (object: JsonObject): string => {
  const { kind, name } = refOf(object);
  return `${kind} ${name}`;
};

describe("a value of the wrong type anywhere is a value, never an exception", () => {
  const untouched = evaluateDocuments(bakery, definitions);
  test.each(bakery.map((object, at) => [label(object), at] as const))("%s", (_, at) => {
    const object = bakery[at] as JsonObject;
    const others = [...bakery.slice(0, at), ...bakery.slice(at + 1)];
    for (const path of placesIn(object)) {
      for (const replacement of [...replacements, undefined]) {
        const changed = replacement === undefined ? removeAt(object, path) : replaceAt(object, path, replacement);
        const evaluation = evaluateDocuments([...others, changed], definitions);
        expect(told(evaluation), path.join(".")).toBeDefined();
        if (path[0] === "spec" && path.length <= 4) {
          const incremental = apply(untouched, [{ upsert: { value: changed } }]).evaluation;
          expect(told(incremental), `incremental: ${path.join(".")}`).toStrictEqual(told(evaluation));
        }
      }
    }
  });
});

const fieldName = (path: Path): string =>
  path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");

const rows: readonly (readonly [object: JsonObject, path: Path, replacement: Json])[] = [
  [gateway, ["spec"], 7],
  [gateway, ["spec", "gatewayClassName"], 7],
  [gateway, ["spec", "listeners"], "http"],
  [gateway, ["spec", "listeners", 0], 7],
  [gateway, ["spec", "listeners", 0, "name"], 7],
  [gateway, ["spec", "listeners", 0, "protocol"], []],
  [gateway, ["spec", "listeners", 0, "hostname"], {}],
  [gateway, ["spec", "listeners", 0, "allowedRoutes"], "All"],
  [gateway, ["spec", "listeners", 0, "allowedRoutes", "namespaces"], "All"],
  [gateway, ["spec", "listeners", 0, "allowedRoutes", "namespaces", "from"], "Everywhere"],
  [gateway, ["spec", "listeners", 1, "allowedRoutes", "kinds"], "HTTPRoute"],
  [gateway, ["spec", "listeners", 1, "allowedRoutes", "namespaces", "selector"], "team=red"],
  [gateway, ["metadata", "labels"], "team=red"],
  [gateway, ["metadata", "labels", "team"], 7],
  [gateway, ["metadata", "annotations"], []],
  [httpRoute, ["spec"], []],
  [httpRoute, ["spec", "parentRefs"], "front"],
  [httpRoute, ["spec", "parentRefs", 0], "front"],
  [httpRoute, ["spec", "parentRefs", 0, "name"], 7],
  [httpRoute, ["spec", "parentRefs", 0, "namespace"], 7],
  [httpRoute, ["spec", "parentRefs", 0, "sectionName"], 7],
  [httpRoute, ["spec", "parentRefs", 0, "port"], "80"],
  [httpRoute, ["spec", "hostnames"], "baker.example.com"],
  [httpRoute, ["spec", "hostnames", 0], 7],
  [httpRoute, ["spec", "rules"], {}],
  [httpRoute, ["spec", "rules", 0], 7],
  [httpRoute, ["spec", "rules", 0, "name"], 7],
  [httpRoute, ["spec", "rules", 0, "backendRefs"], "oven"],
  [httpRoute, ["spec", "rules", 0, "backendRefs", 0], "oven"],
  [httpRoute, ["spec", "rules", 0, "backendRefs", 0, "name"], 7],
  [service, ["spec", "ports"], 80],
  [service, ["spec", "ports", 0], 80],
  [service, ["spec", "ports", 0, "name"], 80],
  [grant, ["spec", "from"], "all"],
  [grant, ["spec", "from", 0], "all"],
  [grant, ["spec", "from", 0, "namespace"], 7],
  [grant, ["spec", "to"], "all"],
  [grant, ["spec", "to", 0, "kind"], 7],
  [mergePolicy, ["spec"], "text"],
  [mergePolicy, ["spec", "targetRefs"], "front"],
  [mergePolicy, ["spec", "targetRefs", 0], "front"],
  [mergePolicy, ["spec", "targetRefs", 0, "name"], 7],
  [mergePolicy, ["spec", "targetRefs", 0, "kind"], 7],
  [mergePolicy, ["spec", "targetRefs", 0, "group"], 7],
  [mergePolicy, ["spec", "targetRefs", 1, "sectionName"], 7],
  [mergePolicy, ["spec", "targetSelectors"], {}],
  [mergePolicy, ["spec", "targetSelectors", 0, "matchLabels"], "team=red"],
  [mergePolicy, ["spec", "targetSelectors", 0, "matchExpressions", 0, "operator"], "Near"],
  [mergePolicy, ["spec", "defaults"], 7],
  [mergePolicy, ["spec", "defaults", "strategy"], "bogus"],
  [mergePolicy, ["spec", "defaults", "strategy"], 7],
  [mergePolicy, ["spec", "defaults", "when"], 7],
  [mergePolicy, ["spec", "defaults", "remove"], "b"],
  [mergePolicy, ["spec", "defaults", "remove", 0], 7],
  [mergePolicy, ["spec", "overrides"], []],
  [mergePolicy, ["spec", "overrides", "strategy"], true],
  [mergePolicy, ["spec", "strategy"], "bogus"],
  [mergePolicy, ["spec", "unset"], {}],
  [mergePolicy, ["metadata", "creationTimestamp"], 7],
  [mergePolicy, ["metadata", "creationTimestamp"], "yesterday"],
  [definitionDocument, ["spec"], 7],
  [definitionDocument, ["spec", "class"], "Sideways"],
  [definitionDocument, ["spec", "policies"], {}],
  [definitionDocument, ["spec", "policies", 0, "kind"], 7],
  [definitionDocument, ["spec", "targeting", "kinds"], "Gateway"],
  [definitionDocument, ["spec", "merge", "sameTarget"], "Newest"],
  [definitionDocument, ["spec", "merge", "granularity", "values"], []],
  [crd, ["spec", "names"], "InferredPolicy"],
  [crd, ["spec", "group"], 7],
];

describe("a finding names the object and the field", () => {
  test.each(rows.map((row) => [label(row[0]), fieldName(row[1]), JSON.stringify(row[2]), row] as const))(
    "%s: %s is %s",
    (_, field, __, [object, path, replacement]) => {
      const others = bakery.filter((one) => one !== object);
      const changed = replaceAt(object, path, replacement);
      const { group, kind, namespace, name } = refOf(object);
      const told = findings(evaluateDocuments([...others, changed], definitions)).filter(
        (finding) => finding.object === `${kind}.${group}/${namespace}/${name}`,
      );
      expect(told.map((finding) => finding.field)).toContain(field);
    },
  );
});

describe("an object without an identity is left out, and reported", () => {
  const identity: readonly (readonly [Path, Json])[] = [
    [[], "text"],
    [["apiVersion"], 7],
    [["apiVersion"], ""],
    [["kind"], null],
    [["kind"], ""],
    [["metadata"], []],
    [["metadata", "name"], 7],
    [["metadata", "name"], ""],
    [["metadata", "namespace"], {}],
  ];
  test.each(identity)("%j is %j", (path, replacement) => {
    const others = bakery.filter((one) => one !== httpRoute);
    const without = evaluateDocuments(others, definitions);
    const changed = evaluateDocuments([...others, replaceAt(httpRoute, path, replacement)], definitions);
    const { findings: more, ...rest } = told(changed);
    const { findings: fewer, ...expected } = told(without);
    expect(rest).toStrictEqual(expected);
    expect(more.length).toBe(fewer.length + 1);
  });
});
