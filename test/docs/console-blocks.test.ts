/** What our pages show is what the command line prints. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { findCommands, findDifference } from "../support/console-blocks.ts";
import { testIo } from "../support/test-io.ts";

for (const page of ["README.md", "docs/concepts.md"]) {
  describe(page, () => {
    const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), "utf8");
    const commands = findCommands(text);

    test("shows commands", () => {
      expect(commands.length).toBeGreaterThan(0);
    });

    for (const { line, argv, shown } of commands) {
      test(`${page}:${line} ${argv.join(" ")}`, async () => {
        const [program, ...args] = argv;
        const { io, output } = testIo();
        await run(args, io);
        expect(program).toBe("prevail");
        expect(findDifference(shown, output().trimEnd().split("\n"))).toBeUndefined();
      });
    }
  });
}

describe("findDifference", () => {
  const output = ["a", "b", "c", "d"];
  for (const [shown, isSame] of [
    [["a", "b", "c", "d"], true],
    [["a", "b", "c"], false],
    [["b", "c", "d"], false],
    [["a", "c", "d"], false],
    [["a", "…"], true],
    [["…", "b", "c", "…"], true],
    [["…", "d"], true],
    [["…", "c"], false],
    [["a", "…", "d"], true],
    [["…", "c", "…", "b", "…"], false],
    [["…", "x", "…"], false],
  ] as const) {
    test(`${shown.join(" ")} ${isSame ? "is" : "is not"} the output`, () => {
      expect(findDifference(shown, output) === undefined).toBe(isSame);
    });
  }
});
