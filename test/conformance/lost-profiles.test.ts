import { expect, test } from "vitest";
import type { ProfileResult } from "./format-suite.ts";
import { lostProfiles } from "./lost-profiles.ts";

const profile = (name: string, core: number, extended: number): ProfileResult => ({
  name,
  core: { passed: core, failed: 0, skipped: 0 },
  extended: { passed: extended, failed: 0, skipped: 0 },
});

test("fewer tests than published are a failure, also where the suite left them out", () => {
  const published = [profile("GATEWAY-HTTP", 40, 62), profile("GATEWAY-UDP", 21, 9)];
  expect(lostProfiles(published, published)).toEqual([]);
  expect(lostProfiles(published, [profile("GATEWAY-HTTP", 41, 62), profile("GATEWAY-UDP", 21, 9)])).toEqual([]);
  expect(lostProfiles(published, [profile("GATEWAY-HTTP", 40, 61)])).toEqual([
    "GATEWAY-HTTP extended: 61 tests passed, and 62 in the published report",
    "GATEWAY-UDP core: 0 tests passed, and 21 in the published report",
    "GATEWAY-UDP extended: 0 tests passed, and 9 in the published report",
  ]);
});
