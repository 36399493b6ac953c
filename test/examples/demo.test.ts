import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { printDemo } from "../../src/serve/demo/print-demo.ts";
import { testIo } from "../support/cli/test-io.ts";
import { expectGolden } from "../support/golden.ts";

// Every command that it runs is loaded, and compiled, on the way.
const TIMEOUT_MS = 30_000;

test(
  "npm run demo plays the bakery's story with the real command line",
  async () => {
    const { io, output } = testIo();
    expect(await printDemo(io)).toBe(0);
    expectGolden(fileURLToPath(new URL("testdata/demo.txt", import.meta.url)), output());
  },
  TIMEOUT_MS,
);
