import { describe, expect, test } from "vitest";
import { KubeObject, objectFamily } from "../kube-object.ts";
import { createdAt } from "./created-at.ts";

const created = (creationTimestamp: string): number | undefined =>
  createdAt(new KubeObject(objectFamily("v1", "Service", "shop"), "db", { metadata: { creationTimestamp } }));

describe("metadata.creationTimestamp", () => {
  test("every day of four centuries is read as the runtime's own calendar has it", () => {
    const day = 24 * 60 * 60;
    for (let seconds = 3_723; seconds < 400 * 366 * day; seconds += day) {
      const text = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
      if (created(text) !== seconds) expect([text, created(text)]).toEqual([text, seconds]);
    }
  });

  test.each([
    ["2021-07-15T01:02:03Z", 1_626_310_923],
    ["2021-07-15T01:02:03.999999999Z", 1_626_310_923],
    ["2021-07-15T03:02:03+02:00", 1_626_310_923],
    ["1969-12-31T23:59:59Z", -1],
    ["2024-02-29T00:00:00Z", 1_709_164_800],
    ["2021-13-15T01:02:03Z", undefined],
    ["2021-00-15T01:02:03Z", undefined],
    ["2021-07-00T01:02:03Z", undefined],
    ["2021-07-32T01:02:03Z", undefined],
    ["2021-07-15T25:02:03Z", undefined],
    ["2021-07-15T01:60:03Z", undefined],
    ["2021-07-15T01:02:60Z", undefined],
    ["2021-07-1aT01:02:03Z", undefined],
    ["2021-07-15 01:02:03Z", undefined],
    ["2021-07-15T01:02:03", undefined],
    ["yesterday", undefined],
  ])("%s", (text, seconds) => {
    expect(created(text)).toBe(seconds);
  });
});
