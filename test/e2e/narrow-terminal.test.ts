/** On a terminal of 40 columns, text is broken and tables drop columns. A long name and a command to copy stay whole. */
import { expect, test } from "vitest";
import { runCli } from "../support/run-cli.ts";

const COLUMNS = 40;
/** A kind and its name stay together. */
const WORDS_OF_A_NAME = 3;
const isWhole = (text: string): boolean =>
  text.trim().split(" ").length <= WORDS_OF_A_NAME || /^ {2}(helm template \. \| )?prevail /.test(text);

for (const line of [
  "help",
  "help plan",
  "explain httproute/baker#order -f examples/bakery",
  "get policies -f examples/bakery",
  "get targets -f examples/bakery",
  "reach retrypolicy/friday-fix -f examples/bakery",
  "plan --delete retrypolicy/friday-fix -f examples/bakery",
  "trace POST http://baker.bakery.example:8080/orders -f examples/bakery",
  "check -f examples/bakery",
]) {
  test(line, async () => {
    const { stdout } = await runCli(line, { columns: COLUMNS });
    const long = stdout.split("\n").filter((text) => text.length > COLUMNS);
    expect(long.filter((text) => !isWhole(text))).toEqual([]);
    expect(stdout.split("\n").length).toBeGreaterThan(5);
  });
}
