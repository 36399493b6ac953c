/** What our pages show is what the command line prints. `npm run golden` rewrites what is shown in full. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { execute } from "../../src/cli/execute.ts";
import { findCommands, findDifference, isWhole, replaceShown } from "../support/cli/console-blocks.ts";
import { testIo } from "../support/cli/test-io.ts";
import { expectGolden } from "../support/golden.ts";

// The first of them loads, and compiles, its command.
const TIMEOUT_MS = 30_000;

async function outputOf(args: readonly string[]): Promise<readonly string[]> {
  const { io, output } = testIo();
  await execute(args, io);
  return output().trimEnd().split("\n");
}

for (const page of [
  "README.md",
  "docs/cli.md",
  "docs/concepts.md",
  "docs/guide/developer.md",
  "docs/guide/operator.md",
  "docs/guide/mixed.md",
]) {
  describe(page, () => {
    const path = fileURLToPath(new URL(`../../${page}`, import.meta.url));
    const text = readFileSync(path, "utf8");
    const commands = findCommands(text);

    test("shows commands", () => {
      expect(commands.length).toBeGreaterThan(0);
    });

    for (const { line, argv, shown } of commands) {
      test(
        `${page}:${line} ${argv.join(" ")}`,
        async () => {
          const [program, ...args] = argv;
          expect(program).toBe("prevail");
          const output = await outputOf(args);
          if (isWhole(shown)) expectGolden(path, replaceShown(readFileSync(path, "utf8"), argv, output));
          else expect(findDifference(shown, output)).toBeUndefined();
        },
        TIMEOUT_MS,
      );
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
