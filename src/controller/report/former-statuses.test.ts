/** What is withdrawn with which rights, and when it ends. `test/cluster/status-withdrawn.test.ts` has a real API server. */
import { expect, test } from "vitest";
import { memoryServer } from "../../../test/support/kubernetes/memory-server.ts";
import { until } from "../../../test/support/kubernetes/until.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { type FormerKind, FormerStatuses } from "./former-statuses.ts";
import type { WriteEvent } from "./status-writer.ts";

const OURS = "prevail.dev/gateway";
const AFFECTED = "prevail.dev/RetryPolicyAffected";
const resource = {
  group: "left.example.com",
  version: "v1",
  kind: "LeftPolicy",
  plural: "leftpolicies",
  isNamespaced: true,
  verbs: ["list", "update"],
  shortNames: [],
  hasStatus: true,
};
const GONE: FormerKind = { state: "Former", isFollowed: false, isPolicyKind: false, mayHaveAny: true };

interface Content {
  readonly types: readonly string[];
  readonly isAnnotated?: boolean;
  readonly isKeyed?: boolean;
}

/** A policy whose conditions this controller wrote alone, or wrote last if they are not keyed by type. */
const left = ({ types, isAnnotated = false, isKeyed = true }: Content): JsonObject => ({
  apiVersion: "left.example.com/v1",
  kind: "LeftPolicy",
  metadata: {
    namespace: "default",
    name: "p",
    resourceVersion: "1",
    annotations: isAnnotated ? { [AFFECTED]: "true", mine: "x" } : { mine: "x" },
    managedFields: [
      {
        manager: "prevail-controller",
        operation: "Update",
        fieldsV1: {
          "f:status": {
            "f:conditions": isKeyed
              ? Object.fromEntries(types.map((type) => [`k:${JSON.stringify({ type })}`, { "f:message": {} }]))
              : {},
          },
        },
      },
    ],
  },
  spec: { targetRef: {} },
  status: { conditions: types.map((type) => ({ type, status: "True" })) },
});

interface Situation extends Omit<Parameters<typeof memoryServer>[0], "resource" | "objects"> {
  readonly object: JsonObject;
  readonly find?: () => FormerKind;
  readonly isReported?: boolean;
}

/** Looks at the kind until nothing is left to do. */
async function withdrawn({ object, find = () => GONE, isReported = false, ...more }: Situation) {
  const server = memoryServer({ resource, objects: [object], ...more });
  const events: WriteEvent[] = [];
  const statuses = new FormerStatuses({
    client: server.client,
    controllerName: OURS,
    isDryRun: false,
    remainingMs: () => 60_000,
    limit: { take: async () => undefined },
    report: (event) => events.push(event),
    signal: new AbortController().signal,
    now: () => "2026-01-01T00:00:00Z",
    find,
    isReported: () => isReported,
  });
  statuses.lead();
  statuses.add(resource);
  await until(
    () => !statuses.isBusy,
    () => server.log.join("\n"),
  );
  await statuses.follow();
  const { metadata, status } = server.get("p") as { metadata: JsonObject; status: { conditions: JsonObject[] } };
  return {
    left: [...status.conditions.map(({ type }) => type), ...Object.keys(metadata["annotations"] as JsonObject)],
    events: events.map(({ type }) => type),
    puts: server.log.filter((line) => line.startsWith("PUT")),
  };
}

const BOTH = { types: ["Accepted", AFFECTED], isAnnotated: true };

test("conditions and annotations are withdrawn, each with a right of its own", async () => {
  expect((await withdrawn({ object: left(BOTH) })).left).toEqual(["mine"]);
  expect(await withdrawn({ object: left(BOTH), mayUpdate: (part) => part === "" })).toEqual({
    left: ["Accepted", AFFECTED, "mine"],
    events: ["LeftOut", "Written"],
    puts: ["PUT p"],
  });
  expect(await withdrawn({ object: left(BOTH), mayUpdate: (part) => part === "/status" })).toEqual({
    left: [AFFECTED, "mine"],
    events: ["Written", "LeftOut"],
    puts: ["PUT p/status"],
  });
});

test("a missing right is not mentioned where nothing needs it", async () => {
  const onlyConditions = await withdrawn({
    object: left({ types: ["Accepted"] }),
    mayUpdate: (part) => part === "/status",
  });
  expect([onlyConditions.left, onlyConditions.events]).toEqual([["mine"], ["Written"]]);
});

test("what a webhook puts back with each write is written a few times, and reported once", async () => {
  const {
    left: kept,
    events,
    puts,
  } = await withdrawn({
    object: left(BOTH),
    admit: (written, before) => ({ ...written, metadata: before["metadata"] as JsonObject }),
  });
  expect(kept).toEqual([AFFECTED, "mine"]);
  expect(events).toEqual(["Written", "Refused"]);
  expect(puts.length).toBeLessThan(6);
});

test("a kind that is followed again while an object is read: entries that are written again stay", async () => {
  let kind = GONE;
  const { left: kept, puts } = await withdrawn({
    object: left({ types: [AFFECTED] }),
    find: () => kind,
    onGet: () => {
      kind = { ...GONE, isFollowed: true };
    },
  });
  expect([kept, puts]).toEqual([[AFFECTED, "mine"], []]);
});

test("a list that is not keyed, with what this controller added to a policy of another one", async () => {
  const shared = { types: ["Accepted", AFFECTED], isKeyed: false };
  expect((await withdrawn({ object: left(shared) })).left).toEqual(["Accepted", "mine"]);
  const alone = { types: ["Accepted"], isKeyed: false };
  expect((await withdrawn({ object: left(alone), isReported: true })).left).toEqual(["Accepted", "mine"]);
  expect((await withdrawn({ object: left(alone) })).left).toEqual(["mine"]);
});
