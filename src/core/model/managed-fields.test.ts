import { describe, expect, test } from "vitest";
import type { JsonObject } from "./json.ts";
import { lastWriteOf } from "./managed-fields.ts";

const entry = (manager: string, time: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject => ({
  manager,
  operation: "Update",
  time,
  fieldsV1,
  ...more,
});
const object = (...managedFields: readonly JsonObject[]): JsonObject => ({
  metadata: { managedFields },
  spec: {
    retry: { attempts: 5, backoff: "1s" },
    rules: [
      { name: "a", value: 1 },
      { name: "b", value: 2 },
    ],
    codes: [500, 503],
    "a/b": 1,
  },
});
const attempts = { "f:spec": { "f:retry": { ".": {}, "f:attempts": {} } } };

describe("Kubernetes › Field management", () => {
  test.each<readonly [string, JsonObject, string, string | undefined]>([
    [
      "the manager of the field",
      object(entry("helm", "2024-01-01T00:00:00Z", attempts)),
      "/spec/retry/attempts",
      "helm",
    ],
    [
      "not that of its neighbour",
      object(entry("helm", "2024-01-01T00:00:00Z", attempts)),
      "/spec/retry/backoff",
      undefined,
    ],
    [
      "of several the latest",
      object(entry("kubectl-edit", "2024-12-20T18:47:00Z", attempts), entry("helm", "2024-01-01T00:00:00Z", attempts)),
      "/spec/retry/attempts",
      "kubectl-edit",
    ],
    [
      "a value that is written as a whole",
      object(entry("helm", "2024-01-01T00:00:00Z", { "f:spec": {} })),
      "/spec/rules/1/value",
      "helm",
    ],
    [
      "an item of a list by its key",
      object(
        entry("one", "2024-01-01T00:00:00Z", { "f:spec": { "f:rules": { 'k:{"name":"a"}': { "f:value": {} } } } }),
        entry("two", "2023-01-01T00:00:00Z", { "f:spec": { "f:rules": { 'k:{"name":"b"}': { "f:value": {} } } } }),
      ),
      "/spec/rules/1/value",
      "two",
    ],
    [
      "an item of a set by its value",
      object(entry("one", "2024-01-01T00:00:00Z", { "f:spec": { "f:codes": { "v:503": {} } } })),
      "/spec/codes/1",
      "one",
    ],
    [
      "another item of the set",
      object(entry("one", "2024-01-01T00:00:00Z", { "f:spec": { "f:codes": { "v:503": {} } } })),
      "/spec/codes/0",
      undefined,
    ],
    [
      "an item by its index",
      object(entry("one", "2024-01-01T00:00:00Z", { "f:spec": { "f:codes": { "i:0": {} } } })),
      "/spec/codes/0",
      "one",
    ],
    [
      "a key with a slash",
      object(entry("one", "2024-01-01T00:00:00Z", { "f:spec": { "f:a/b": {} } })),
      "/spec/a~1b",
      "one",
    ],
    [
      "not the writer of status",
      object(entry("one", "2024-01-01T00:00:00Z", attempts, { subresource: "status" })),
      "/spec/retry/attempts",
      undefined,
    ],
    ["an object of a file, without the field", { spec: {} }, "/spec/retry", undefined],
  ])("%s", (_, value, pointer, manager) => {
    expect(lastWriteOf(value, pointer)?.manager).toBe(manager);
  });
});
