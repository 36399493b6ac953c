/** On a narrow terminal, text is broken and tables drop columns. A long name and a command to copy stay whole. */
import { expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { runCli } from "../support/cli/run-cli.ts";

/** A kind and its name stay together, and so does the first line of a finding, which programs read. */
const WORDS_OF_A_NAME = 3;
const isWhole = (text: string): boolean =>
  text.trim().split(" ").length <= WORDS_OF_A_NAME ||
  /^ {2}(helm template \. \| )?prevail /.test(text) ||
  /^\S+:\d+:\d+: (error|warning|info) [A-Z]/.test(text);

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

const headerOf = (text: string): readonly string[] => (text.split("\n")[0] ?? "").split(/ {2,}/);

for (const [resource, kept] of [
  ["policies", ["KIND", "NAME", "TARGETS", "VERDICT"]],
  ["definitions", ["KIND", "CLASS", "TARGETS", "MERGE"]],
  ["targets", ["KIND", "NAME", "ATTACHED", "AFFECTED BY"]],
] as const) {
  test(`get ${resource} on 80 columns keeps what identifies a row, and cuts neither kinds nor names`, async () => {
    const line = `get ${resource} -f examples/bakery`;
    const { stdout } = await runCli(line, { columns: 80 });
    expect(headerOf(stdout)).toEqual(kept);
    const names = (text: string): readonly string[] =>
      text
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((row) => row.split(/ {3,}/)[0] ?? "");
    expect(names(stdout).filter((name) => name.includes("…"))).toEqual([]);
    expect(stdout.split("\n")).toHaveLength((await runCli(line)).stdout.split("\n").length);
  });
}

test("get policies on 80 columns names each policy with its namespace", async () => {
  const { stdout } = await runCli("get policies -f examples/bakery", { columns: 80 });
  expect(stdout).toMatch(/^RetryPolicy +bakery\/baker-retries +HTTPRoute\/b/m);
  expect((await runCli("get policies -n bakery -f examples/bakery", { columns: 80 })).stdout).toMatch(
    /^RetryPolicy +baker-retries /m,
  );
});

test("get effective on a narrow terminal prints blocks, with every spec in full", async () => {
  const specs = (text: string): ReadonlySet<string> =>
    new Set([...text.matchAll(/\{.*?\}(?=\n|$)/g)].map(([spec]) => spec.replaceAll(/\s+/g, " ")));
  const piped = specs((await runCli("get effective -f examples/bakery")).stdout);
  const { stdout } = await runCli("get effective -f examples/bakery", { columns: 80 });
  expect(stdout).toMatch(
    /^AuthPolicy on HTTPRoute\/bakery\/baker#order\n {2}through {3}Gateway\/infra\/prod#http\n {12}Gateway\/infra\/prod#https\n/,
  );
  expect(stdout).not.toContain("…");
  expect(specs(stdout.replaceAll(/\n {12}(?!Gateway)/g, " "))).toEqual(piped);
  expect(headerOf((await runCli("get effective -f examples/bakery", { columns: 200 })).stdout)).toEqual([
    "KIND",
    "TARGET",
    "THROUGH",
    "POLICIES",
    "SPEC",
  ]);
});

for (const resource of ["policies", "targets", "effective", "definitions"]) {
  test(`get ${resource}: nothing is cut in a pipe or with -o wide`, async () => {
    const line = `get ${resource} -f examples/bakery`;
    const piped = (await runCli(line)).stdout;
    const wide = await runCli(`${line} -o wide`);
    for (const text of [piped, wide.stdout]) {
      expect(text).not.toContain("…");
      expect(text).not.toMatch(/ \+\d+( |$)/m);
    }
    // -o wide is as wide as it must be, on any terminal.
    expect(await runCli(`${line} -o wide`, { columns: 80 })).toEqual(wide);
  });
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
