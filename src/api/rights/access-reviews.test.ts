import { expect, test } from "vitest";
import { createAccessReviews } from "./access-reviews.ts";

const ana = { user: "ana", groups: [], extra: {} };
const read = (namespace: string) => ({ verb: "get", group: "prevail.dev", resource: "retrypolicies", namespace });

test("a decision counts for some seconds, for the same user with the same groups", async () => {
  let now = 0;
  let asked = 0;
  let isAllowed = true;
  const reviews = createAccessReviews({
    review: async () => {
      asked++;
      return isAllowed;
    },
    nowMs: () => now,
    ttlMs: 5000,
  });
  expect(await reviews.isAllowed(ana, read("infra"))).toBe(true);
  isAllowed = false;
  now = 4999;
  expect(await reviews.isAllowed(ana, read("infra"))).toBe(true);
  expect(await reviews.isAllowed({ ...ana, groups: ["dev"] }, read("infra"))).toBe(false);
  now = 5000;
  expect(await reviews.isAllowed(ana, read("infra"))).toBe(false);
  expect(asked).toBe(3);
});

test("the oldest decisions are forgotten; a failed question is asked again", async () => {
  let asked = 0;
  let isDown = true;
  const reviews = createAccessReviews({
    review: async () => {
      asked++;
      if (isDown) throw new Error("down");
      return true;
    },
    nowMs: () => 0,
    maxEntries: 2,
  });
  await expect(reviews.isAllowed(ana, read("a"))).rejects.toThrow("down");
  isDown = false;
  for (const namespace of ["a", "b", "c", "c", "a"]) await reviews.isAllowed(ana, read(namespace));
  expect(asked).toBe(5);
});
