import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { FAST_TESTS } from "../conformance/fast-tests.ts";
import type { SuiteTest } from "../conformance/suite-output.ts";
import { buildProgram } from "../support/kubernetes/program-process.ts";
import { findRig } from "../support/rig/run-in-rig.ts";

const rig = await findRig("suite");
const folder = mkdtempSync(join(tmpdir(), "prevail-conformance-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The suite waits up to some minutes for a test that fails. */
const LIMIT = { timeout: 1_200_000 };

describe.skipIf(rig === undefined)("Gateway API's conformance suite", () => {
  test.each([
    ["one test of each feature passes, with the controller and Envoy", "envoy"],
    ["routes, certificates, addresses, retries and streams, with the embedded gateway", "embedded"],
  ] as const)("%s", LIMIT, async (_, dataplane) => {
    buildProgram();
    const json = join(folder, `${dataplane}.json`);
    await rig?.("test/conformance/run.ts", ["--fast", "--dataplane", dataplane, "--json", json]);
    const { tests, failure } = JSON.parse(readFileSync(json, "utf8")) as {
      readonly tests: readonly SuiteTest[];
      readonly failure?: string;
    };
    expect(failure).toBeUndefined();
    const failed = tests.filter(({ outcome }) => outcome === "failed");
    expect(failed.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([]);
    const passed = new Set(tests.filter(({ outcome }) => outcome === "passed").map(({ name }) => name));
    expect(FAST_TESTS[dataplane].filter((name) => !passed.has(name))).toEqual([]);
  });
});
