/** What counts as a reset by another writer. `test/cluster/status-writes.test.ts` has such a writer, on a real API server. */
import { expect, test } from "vitest";
import { ApiError } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { type JsonObject, objectAt } from "../../core/model/json.ts";
import { objectId } from "../../core/model/refs.ts";
import { isAffectedTypeOf } from "../../core/status/affected-type.ts";
import { NOTHING_WANTED, type WantedStatus } from "../../core/status/wanted-status.ts";
import { ObjectCache } from "./object-cache.ts";
import { StatusWriter, type WantedWrite, type WriteEvent } from "./status-writer.ts";

const OURS = "prevail.dev/gateway";
const resource = {
  group: "prevail.dev",
  version: "v1alpha1",
  kind: "RetryPolicy",
  plural: "retrypolicies",
  isNamespaced: true,
  verbs: ["list", "watch"],
  shortNames: [],
  hasStatus: true,
};
const id = objectId({ group: "prevail.dev", kind: "RetryPolicy", namespace: "default", name: "p" });
const ancestorRef = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" };

const wantedWith = (message: string): WantedStatus => ({
  ancestors: [
    {
      ancestorRef,
      controllerName: OURS,
      conditions: [{ type: "Accepted", status: "True", reason: "Accepted", message, observedGeneration: 1 }],
    },
  ],
  targets: [],
});

/** A writer, and an API server with one policy. Time passes only in `later`. */
function startWriter() {
  let stored: JsonObject = {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "RetryPolicy",
    metadata: { namespace: "default", name: "p", uid: "u", resourceVersion: "1", generation: 1 },
    spec: {},
  };
  let nowMs = 0;
  let isLosing = false;
  let refusal: Error | undefined;
  let wanted = wantedWith("one");
  let isHeld = false;
  const events: string[] = [];
  const cache = new ObjectCache();
  cache.use(() => stored);
  const store = (status: JsonObject): void => {
    const metadata = objectAt(stored, "metadata");
    stored = {
      ...stored,
      metadata: { ...metadata, resourceVersion: `${Number(metadata["resourceVersion"]) + 1}` },
      status,
    };
    cache.use(() => stored);
  };
  const client: KubeClient = {
    context: "c",
    server: "s",
    request: async ({ method = "GET", body = {} }) => {
      if (method === "GET")
        return { ...stored, metadata: { ...objectAt(stored, "metadata"), managedFields: [{ manager: "kubectl" }] } };
      if (refusal !== undefined) throw refusal;
      store(objectAt(body, "status"));
      if (isLosing) throw new Error("the connection broke");
      return stored;
    },
    stream: () => Promise.reject(new Error("it does not watch")),
    close: () => undefined,
  };
  const find = (): WantedWrite => ({
    wanted,
    resource,
    options: { controllerName: OURS, isOurs: isAffectedTypeOf(OURS), mayChangeAncestors: !isHeld },
    held: isHeld ? "Gateways" : "",
  });
  const writer = new StatusWriter({
    client,
    fieldManager: "prevail-controller",
    cache,
    limit: { take: async () => undefined },
    find,
    remainingMs: () => 60_000,
    isDryRun: false,
    report: ({ type }: WriteEvent) => events.push(type),
    signal: new AbortController().signal,
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    random: () => 0,
  });
  return {
    events,
    want: (message: string) => {
      wanted = wantedWith(message);
    },
    wantNothing: () => {
      wanted = NOTHING_WANTED;
    },
    hold: (now: boolean) => {
      isHeld = now;
    },
    lose: (now: boolean) => {
      isLosing = now;
    },
    refuse: (error: Error | undefined) => {
      refusal = error;
    },
    reset: () => store({ ancestors: [] }),
    later: (ms: number) => {
      nowMs += ms;
    },
    stopped: () => writer.stoppedStatus(id),
    message: () => JSON.stringify(stored["status"]).match(/"message":"([^"]*)"/)?.[1],
    write: async () => {
      nowMs += 5000;
      return writer.write(id);
    },
  };
}

test("another writer that removes what was written is noticed, and left alone after three times", async () => {
  const { events, write, reset, message } = startWriter();
  await write();
  for (let i = 0; i < 5; i++) {
    reset();
    await write();
  }
  expect(events).toEqual(["Written", "Reset", "Written", "Reset", "Written", "Reset", "Stopped"]);
  expect(message()).toBeUndefined();
});

test("its status is known as left alone until it is as it should be, and an hour later it is written again", async () => {
  const { events, write, want, reset, later, stopped } = startWriter();
  await write();
  for (let i = 0; i < 3; i++) {
    expect(stopped()).toBeUndefined();
    reset();
    await write();
  }
  // The writes are at 5, 10, 15 seconds, and the last reset is noticed 5 seconds later.
  const left = { manager: "kubectl", until: "1970-01-01T01:00:20Z" };
  expect(stopped()).toEqual(left);
  want("two");
  await write();
  expect(stopped()).toEqual(left);
  later(60 * 60_000);
  expect(stopped()).toEqual(left);
  await write();
  expect(events.slice(-2)).toEqual(["Stopped", "Written"]);
  expect(stopped()).toBeUndefined();
  for (let i = 0; i < 3; i++) {
    reset();
    expect(stopped()).toBeUndefined();
    await write();
  }
  expect(events.slice(-2)).toEqual(["Reset", "Stopped"]);
  expect(stopped()?.until).toBe("1970-01-01T02:00:45Z");
});

test("what is left alone and is wanted no more is as it should be, until something is wanted again", async () => {
  const { write, want, reset, wantNothing, stopped } = startWriter();
  await write();
  for (let i = 0; i < 3; i++) {
    reset();
    await write();
  }
  wantNothing();
  await write();
  expect(stopped()).toBeUndefined();
  want("two");
  await write();
  expect(stopped()?.manager).toBe("kubectl");
});

test("what changed while it could not be written, because a kind could not be read, is no reset", async () => {
  const { events, write, want, hold, message } = startWriter();
  await write();
  for (let i = 0; i < 5; i++) {
    hold(true);
    await write();
    want(`words ${i}`);
    await write();
    hold(false);
    await write();
    expect(message()).toBe(`words ${i}`);
  }
  expect(new Set(events)).toEqual(new Set(["Written"]));
});

test("a write whose response was lost is no reset where the words before it are right again", async () => {
  const { events, write, want, lose, message } = startWriter();
  await write();
  for (let i = 0; i < 5; i++) {
    want("two");
    lose(true);
    await write();
    lose(false);
    want("one");
    await write();
    expect(message()).toBe("one");
  }
  expect(new Set(events)).toEqual(new Set(["Written", "Refused"]));
});

test("the time before the next attempt doubles with each refusal up to five minutes, and begins anew after a write", async () => {
  const { events, write, want, refuse } = startWriter();
  refuse(new ApiError(413, "RequestEntityTooLarge", "it is too large"));
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 12; i++) waits.push(await write());
  // Three quarters of it: the rest is chance.
  const doubled = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300];
  expect(waits).toEqual(doubled.map((seconds) => seconds * 750));
  expect(new Set(events)).toEqual(new Set(["Refused"]));
  refuse(undefined);
  expect(await write()).toBeUndefined();
  expect(events.at(-1)).toBe("Written");
  want("two");
  refuse(new ApiError(403, "Forbidden", "exceeded quota"));
  expect(await write()).toBe(750);
});
