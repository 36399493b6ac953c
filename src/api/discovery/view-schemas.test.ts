import { describe, expect, test } from "vitest";
import { nodeFileSystem } from "../../adapters/files/node-file-system.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../core/model/json.ts";
import { objectId } from "../../core/model/refs.ts";
import type { TrafficCounts } from "../../core/retry/retry-counts.ts";
import { effectiveView, surveyEffective } from "../../core/view/effective-view.ts";
import { reachView, surveyReach } from "../../core/view/reach-view.ts";
import type { ViewContext, Viewer } from "../../core/view/view-context.ts";
import { viewResources } from "../../core/view/view-resources.ts";
import { viewedObjects } from "../../core/view/viewed-objects.ts";
import { loadSource } from "../../sources/load-source.ts";
import { viewFields } from "./view-schemas.ts";

const { world, unread } = await loadSource(["examples/bakery"], nodeFileSystem(process.stdin));
const [GATEWAY_API, namespace] = ["gateway.networking.k8s.io", "bakery"];
const gateway = { group: GATEWAY_API, kind: "Gateway", namespace: "infra", name: "prod" };
const traffic = (rule: string): TrafficCounts => ({
  gateway,
  route: { group: GATEWAY_API, kind: "HTTPRoute", namespace, name: "baker" },
  rule,
  backend: { group: "", kind: "Service", namespace, name: "baker" },
  port: 8080,
  requests: 10,
  retried: 2,
  succeededByRetry: 1,
});
const rules = Array.from({ length: 101 }, (_, index) => traffic(`rule-${index}`));
const context: ViewContext = {
  world,
  unread,
  pluralOf: () => undefined,
  retries: () => ({
    report: { windowMs: 3_600_000, counts: rules, uncounted: 0 },
    counted: new Set([objectId(gateway)]),
    gaps: new Map(),
  }),
};
const viewers: readonly Viewer[] = [
  { mayRead: () => true, maySee: () => true },
  { mayRead: () => false, maySee: () => false },
];

describe("every field of the views of the bakery has a description", () => {
  test.each(viewResources)("$plural", (resource) => {
    const views = viewedObjects(context, resource, {}).flatMap((viewed) => {
      const effective =
        resource.about === "Targets" ? surveyEffective(context, viewed, { withFailures: true }) : undefined;
      const reach = resource.about === "Policies" ? surveyReach(context, viewed) : undefined;
      return viewers.flatMap((viewer): readonly object[] => [
        ...(effective === undefined ? [] : [effectiveView(context, effective, viewer)]),
        ...(reach === undefined ? [] : [reachView(context, reach, viewer)]),
      ]);
    });
    expect(views.length).toBeGreaterThan(0);
    expect(JSON.stringify(views).includes("succeededByRetry")).toBe(resource.kind !== "ClusterEffectivePolicy");
    const fields = viewFields(resource.kind);
    const unknown = new Set(views.flatMap((view) => unknownFields(view as JsonObject, { properties: fields }, "")));
    expect([...unknown]).toEqual([".apiVersion", ".kind", ".metadata"]);
  });
});

/** The fields of a value that a schema does not have. */
function unknownFields(value: Json, schema: Json | undefined, at: string): readonly string[] {
  if (!isJsonObject(schema) || typeof ownValue(schema, "description") !== "string") if (at !== "") return [at];
  if (!isJsonObject(schema) || schema["x-kubernetes-preserve-unknown-fields"] === true) return [];
  if (isJsonList(value)) {
    const items = ownValue(schema, "items");
    return value.flatMap((item) => (isJsonObject(item) ? unknownFields(item, items, `${at}[]`) : []));
  }
  if (!isJsonObject(value)) return [];
  const properties = ownValue(schema, "properties");
  return Object.entries(value).flatMap(([name, item]) =>
    unknownFields(item, isJsonObject(properties) ? ownValue(properties, name) : undefined, `${at}.${name}`),
  );
}
