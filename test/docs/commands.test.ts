import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { expectGolden } from "../support/golden.ts";

const folder = fileURLToPath(new URL("../../docs/commands/", import.meta.url));

/** A page is what `help COMMAND` prints, at the width of a page. */
async function page(name: string): Promise<string> {
  const { stdout, stderr, code } = await runCli(["help", name], { columns: 100 });
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return `# prevail ${name}\n\n\`\`\`text\n${stdout}\`\`\`\n`;
}

describe("docs/commands is what help says (npm run golden rewrites it)", () => {
  test.each(commandTable.map(({ name }) => name))("%s", async (name) => {
    expectGolden(`${folder}${name}.md`, await page(name));
  });

  test("the index lists every command", () => {
    const rows = commandTable.map(({ name, summary }) => `| [\`${name}\`](${name}.md) | ${summary} |`);
    const text = [
      "# Commands",
      "",
      "These pages are the program's own help texts. `prevail help COMMAND` prints them too.",
      "",
      "| command | what it prints |",
      "| --- | --- |",
      ...rows,
      "",
    ].join("\n");
    expectGolden(`${folder}README.md`, text);
  });

  test("there are no pages about commands that do not exist", () => {
    const known = new Set(["README.md", ...commandTable.map(({ name }) => `${name}.md`)]);
    expect(readdirSync(folder).filter((name) => !known.has(name))).toEqual([]);
  });
});
