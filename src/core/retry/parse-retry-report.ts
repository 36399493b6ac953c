/** The report of a gateway as JSON: `/retries` of its admin port. docs/retries.md describes it. */
import { isJsonObject, type Json, type JsonObject, objectAt, objectsIn, ownValue } from "../model/json.ts";
import type { ObjectRef } from "../model/refs.ts";
import type { RetryReport, TrafficCounts } from "./retry-counts.ts";

export const retryReportJson = ({ windowMs, counts, uncounted }: RetryReport): JsonObject => ({
  windowSeconds: Math.floor(windowMs / 1000),
  traffic: counts.map(trafficJson),
  uncounted,
});

/** One row of a report. */
export const trafficJson = (counts: TrafficCounts): JsonObject => ({
  gateway: refJson(counts.gateway),
  route: refJson(counts.route),
  rule: counts.rule,
  backend: { ...refJson(counts.backend), port: counts.port },
  requests: counts.requests,
  retried: counts.retried,
  succeededByRetry: counts.succeededByRetry,
});

const refJson = ({ group, kind, namespace, name }: ObjectRef): JsonObject => ({ group, kind, namespace, name });

/** Undefined: the document is not such a report. A row that cannot be read counts as uncounted, never as absent. */
export function parseRetryReport(document: Json): RetryReport | undefined {
  if (!isJsonObject(document)) return undefined;
  const windowSeconds = ownValue(document, "windowSeconds");
  const traffic = ownValue(document, "traffic");
  const uncounted = ownValue(document, "uncounted");
  if (typeof windowSeconds !== "number" || !Array.isArray(traffic) || typeof uncounted !== "number") return undefined;
  const rows = objectsIn(traffic).map(parseTraffic);
  const counts = rows.filter((row) => row !== undefined);
  return { windowMs: windowSeconds * 1000, counts, uncounted: uncounted + (traffic.length - counts.length) };
}

function parseTraffic(row: JsonObject): TrafficCounts | undefined {
  const [gateway, route, backend] = ["gateway", "route", "backend"].map((key) => parseRef(objectAt(row, key)));
  const rule = ownValue(row, "rule");
  const port = ownValue(objectAt(row, "backend"), "port");
  const [requests, retried, succeededByRetry] = ["requests", "retried", "succeededByRetry"].map((key) =>
    countAt(row, key),
  );
  if (gateway === undefined || route === undefined || backend === undefined) return undefined;
  if (requests === undefined || retried === undefined || succeededByRetry === undefined) return undefined;
  if (typeof rule !== "string" || typeof port !== "number") return undefined;
  return { gateway, route, rule, backend, port, requests, retried, succeededByRetry };
}

function countAt(row: JsonObject, key: string): number | undefined {
  const value = ownValue(row, key);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function parseRef(json: JsonObject): ObjectRef | undefined {
  const [group, kind, namespace, name] = ["group", "kind", "namespace", "name"].map((key) => ownValue(json, key));
  return typeof group === "string" &&
    typeof kind === "string" &&
    typeof namespace === "string" &&
    typeof name === "string"
    ? { group, kind, namespace, name }
    : undefined;
}
