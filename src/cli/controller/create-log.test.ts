import { expect, test } from "vitest";
import { testIo } from "../../../test/support/cli/test-io.ts";
import { execute } from "../execute.ts";
import type { ServeOutput } from "../run/settings.ts";

/** What a controller that notes one thing and fails with another prints. */
async function logOf(...args: readonly string[]): Promise<string> {
  const { io, output } = testIo();
  const serve = async (_: unknown, { note, fail }: ServeOutput): Promise<0 | 1> => {
    note('a note with "quotes"\nand a second line');
    return fail("it failed", "Do this.") === 1 ? 1 : 0;
  };
  const code = await execute(["controller", "--view-only", ...args], { ...io, controller: async () => serve });
  expect(code).toBe(1);
  return output();
}

test("text for people", async () => {
  expect(await logOf()).toBe('note: a note with "quotes"\\u000aand a second line\nerror: it failed\nDo this.\n');
});

test("--log-format json: an object per line", async () => {
  const lines = (await logOf("--log-format", "json")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { time: "1970-01-01T00:00:00.000Z", level: "info", message: 'a note with "quotes"\nand a second line' },
    { time: "1970-01-01T00:00:00.000Z", level: "error", message: "it failed Do this." },
  ]);
});

test("--quiet leaves notes out", async () => {
  expect((await logOf("--log-format", "json", "--quiet")).trim().split("\n")).toHaveLength(1);
});
