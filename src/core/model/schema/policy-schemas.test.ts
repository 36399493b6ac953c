import { expect, test } from "vitest";
import { buildSnapshot, evaluate, verdicts } from "../../../index.ts";
import type { Json, JsonObject } from "../json.ts";

const route = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: "r" };

function messageOf(spec: JsonObject): string {
  const objects: readonly JsonObject[] = [
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name: "r", namespace: "a" },
      spec: {},
    },
    {
      apiVersion: "prevail.dev/v1alpha1",
      kind: "RetryPolicy",
      metadata: { name: "p", namespace: "a" },
      spec: { targetRefs: [route], ...spec },
    },
  ];
  const verdict = [...verdicts(evaluate(buildSnapshot(objects)))][0]?.verdict;
  return verdict?.state === "NotAccepted" ? `${verdict.reason}: ${verdict.message}` : (verdict?.state ?? "none");
}

/** The setting at a dotted path, as the only one. */
const setting = (path: string, value: Json): JsonObject =>
  path.split(".").reduceRight<Json>((inner, key) => ({ [key]: inner }), value) as JsonObject;

test.each<[path: string, value: Json]>([
  ["retry", "twice"],
  ["retry.codes", 503],
  ["retry.codes", ["503"]],
  ["retry.codes", [1000]],
  ["retry.attempts", "2"],
  ["retry.attempts", -1],
  ["retry.attempts", 1.5],
  ["retry.backoff", 100],
  ["retry.backoff", "100"],
  ["retry.backoff", "1.5s"],
  ["retry.backoff", "-1s"],
  ["retry.backoff", "1d"],
  ["retry.maxBackoff", "long"],
  ["retry.afterSend", "Sometimes"],
  ["retry.maxBodyBytes", "64Ki"],
  ["retry.maxBodyBytes", -1],
  ["retry.budget", 20],
  ["retry.budget.percent", 101],
  ["retry.budget.percent", "20%"],
  ["retry.budget.interval", "0.5s"],
  ["retry.budget.minRetryRate", 10],
  ["retry.budget.minRetryRate.count", 0],
  ["retry.budget.minRetryRate.interval", "1 s"],
  ["timeouts", "10s"],
  ["timeouts.request", 10],
  ["timeouts.backendRequest", "2 seconds"],
])(
  "RetryPolicy: %s of %j is refused, wherever it stands, by a message that names the field and what is allowed",
  (path, value) => {
    for (const block of ["", "defaults.", "overrides."]) {
      const message = messageOf(setting(`${block}${path}`, value));
      expect(message.startsWith("Invalid: ")).toBe(true);
      expect(message).toContain(`spec.${block}${path}`);
      expect(message).toMatch(/ is .+; allowed: .+/);
    }
  },
);

test.each<[path: string, value: Json]>([
  ["retry.attempts", 0],
  ["retry.codes", []],
  ["retry.backoff", "1h2m3s4ms"],
  ["timeouts.request", "0s"],
  ["retry.budget.percent", 0],
])("RetryPolicy: %s of %j is fine", (path, value) => {
  expect(messageOf(setting(path, value))).toBe("Accepted");
});
