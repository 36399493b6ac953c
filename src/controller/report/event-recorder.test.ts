/** How many Events are written, and until when. `test/cluster/status-writes.test.ts` has them on a real API server. */
import { expect, test } from "vitest";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { textAt } from "../../core/model/json.ts";
import { objectId } from "../../core/model/refs.ts";
import { EventRecorder } from "./event-recorder.ts";

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

/** A recorder, and an API server that keeps Events. Time passes only in `later`. */
function startRecorder({ isAllowed = true } = {}) {
  let nowMs = 0;
  let remainingMs = Number.POSITIVE_INFINITY;
  let duringReview = (): void => undefined;
  const written: string[] = [];
  const outcomes: string[] = [];
  let reviews = 0;
  const client: KubeClient = {
    context: "c",
    server: "s",
    request: async ({ path, body = {} }) => {
      if (path.endsWith("/selfsubjectaccessreviews")) {
        reviews++;
        duringReview();
        return { status: { allowed: isAllowed } };
      }
      written.push(`${path.replace(/.*\/namespaces\//, "")} ${textAt(body, "reason")} ${textAt(body, "note")}`);
      return body;
    },
    stream: () => Promise.reject(new Error("it does not watch")),
    close: () => undefined,
  };
  const recorder = new EventRecorder({
    client,
    controllerName: "prevail.dev/gateway",
    instance: "i",
    resourceOf: () => resource,
    objectOf: () => ({ metadata: { uid: "u" } }),
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    remainingMs: () => remainingMs,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    written,
    outcomes,
    reviews: () => reviews,
    later: (ms: number) => {
      nowMs += ms;
    },
    mayWriteFor: (ms: number) => {
      remainingMs = ms;
    },
    whileReviewed: (step: () => void) => {
      duringReview = step;
    },
    record: async (name: string, reason = "Overridden", message = "m") => {
      const object = objectId({ group: "prevail.dev", kind: "RetryPolicy", namespace: "default", name });
      recorder.record({ object, type: "Normal", reason, message });
      await settled();
    },
  };
}

test("an Event of one object and reason is written once in a minute; another reason or object is another Event", async () => {
  const { record, later, written, outcomes } = startRecorder();
  await record("p", "Overridden", "one");
  later(59_999);
  await record("p", "Overridden", "two");
  await record("p", "ValuesChanged", "three");
  await record("q", "Overridden", "four");
  expect(outcomes).toEqual(["written", "repeated", "written", "written"]);
  later(1);
  await record("p", "Overridden", "five");
  expect(written).toEqual(
    ["Overridden one", "ValuesChanged three", "Overridden four", "Overridden five"].map(
      (text) => `default/events ${text}`,
    ),
  );
});

test("30 Events at once, and then one every two seconds", async () => {
  const { record, later, outcomes } = startRecorder();
  const count = (outcome: string): number => outcomes.filter((one) => one === outcome).length;
  for (let i = 0; i < 40; i++) await record(`p${i}`);
  expect([count("written"), count("limited")]).toEqual([30, 10]);
  // What was left out is not remembered: it is written as soon as there is room.
  later(1999);
  await record("p39");
  expect(count("written")).toBe(30);
  later(1);
  await record("p39");
  await record("p38");
  expect(count("written")).toBe(31);
  later(10_000);
  for (let i = 50; i < 60; i++) await record(`p${i}`);
  expect(count("written")).toBe(36);
  later(3_600_000);
  for (let i = 100; i < 140; i++) await record(`p${i}`);
  expect(count("written")).toBe(66);
});

test("the process ceases to lead while its rights are asked for: no Event is written", async () => {
  const { record, mayWriteFor, whileReviewed, written, outcomes } = startRecorder();
  whileReviewed(() => mayWriteFor(0));
  await record("p");
  expect([written, outcomes]).toEqual([[], ["late"]]);
  mayWriteFor(10_000);
  await record("q");
  expect([written.length, outcomes]).toEqual([1, ["late", "written"]]);
});

test("without the right no Event is sent, and it is asked for again after five minutes", async () => {
  const { record, later, written, outcomes, reviews } = startRecorder({ isAllowed: false });
  await record("p");
  await record("q");
  expect([written, outcomes, reviews()]).toEqual([[], ["failed", "failed"], 1]);
  later(300_001);
  await record("r");
  expect([written, reviews()]).toEqual([[], 2]);
});
