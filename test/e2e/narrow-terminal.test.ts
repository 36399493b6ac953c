/** On a narrow terminal, text is broken and tables drop columns. A long name and a command to copy stay whole. */
import { expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { runCli } from "../support/cli/run-cli.ts";

/** A kind and its name stay together. */
const WORDS_OF_A_NAME = 3;
const isWhole = (text: string): boolean =>
  text.trim().split(" ").length <= WORDS_OF_A_NAME || /^ {2}(helm template \. \| )?prevail /.test(text);

const lines = [
  "help",
  ...commandTable.map(({ name }) => `help ${name}`),
  "explain httproute/baker#order -f examples/bakery",
  "explain httproute/stocktaking -f examples/bakery",
  "get policies -f examples/bakery",
  "get targets -f examples/bakery",
  "get effective -f examples/bakery",
  "get definitions -f examples/bakery",
  "reach retrypolicy/friday-fix -f examples/bakery",
  "plan --delete retrypolicy/friday-fix -f examples/bakery",
  "trace POST http://baker.bakery.example:8080/orders -f examples/bakery",
  "retries --attempts 4 --backoff 250ms --backend-request 2s --request 5s",
  "check -f examples/bakery",
  "check --explain NeverTakesEffect",
];

for (const columns of [40, 80]) {
  for (const line of lines) {
    test(`${line}, on ${columns} columns`, async () => {
      const { stdout } = await runCli(line, { columns });
      const long = stdout.split("\n").filter((text) => text.length > columns);
      expect(long.filter((text) => !isWhole(text))).toEqual([]);
      expect(stdout.split("\n").length).toBeGreaterThan(4);
    });
  }
}

/** Programs read these: a line that is broken would mean something else. */
for (const line of [
  "graph httproute/baker -f examples/bakery",
  "graph -o dot -f examples/bakery",
  "get effective -o json -f examples/bakery",
  "retries --attempts 2 -o json",
  "check -o github -f examples/bakery",
  "completion bash",
]) {
  test(`${line}, the same on any terminal`, async () => {
    const piped = await runCli(line);
    for (const columns of [40, 80]) expect(await runCli(line, { columns })).toEqual(piped);
  });
}
