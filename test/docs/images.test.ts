/** The pictures in our pages are what a terminal shows. `npm run golden` draws them anew. */
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { execute } from "../../src/cli/execute.ts";
import { renderSvg } from "../../src/cli/print/markup/xml-element.ts";
import { terminalSvg } from "../support/cli/terminal-svg.ts";
import { testIo } from "../support/cli/test-io.ts";
import { expectGolden } from "../support/golden.ts";

const COLUMNS = 100;

async function onTerminal(line: string): Promise<readonly string[]> {
  const { io, output } = testIo();
  await execute(line.split(" "), { ...io, columns: COLUMNS, isTerminal: { stdout: true, stderr: true } });
  return output().trimEnd().split("\n");
}

test("docs/images/explain.svg", async () => {
  const line = "explain httproute/baker#order -f examples/bakery";
  const lines = await onTerminal(line);
  // The whole output is too long for a picture: the kinds before RetryPolicy are left out, and `…` marks that.
  const start = lines.findIndex((text) => stripVTControlCharacters(text).startsWith("RetryPolicy: "));
  expect(start).toBeGreaterThan(2);
  const shown = [`$ prevail ${line}`, ...lines.slice(0, 2), "⋮", "", ...lines.slice(start)];
  const path = fileURLToPath(new URL("../../docs/images/explain.svg", import.meta.url));
  expectGolden(path, renderSvg(terminalSvg(shown.join("\n"), { columns: COLUMNS, title: `prevail ${line}` })));
});

test("docs/images/graph.svg", async () => {
  const { io, output } = testIo();
  await execute(["graph", "-o", "svg", "-f", "examples/bakery"], io);
  expectGolden(fileURLToPath(new URL("../../docs/images/graph.svg", import.meta.url)), output());
});

test("the picture of explain marks the value and the policy that it comes from most strongly", async () => {
  const text = (await onTerminal("explain httproute/baker#order -f examples/bakery")).join("\n");
  const strong = text
    .split("\u001b[1;32m")
    .slice(1)
    .map((part) => part.split("\u001b[")[0]);
  expect(strong).toEqual(expect.arrayContaining(["5", "RetryPolicy infra/friday-fix"]));
  // What is overridden is dim.
  expect(text).toContain("\u001b[2moverrides\u001b[22m \u001b[2m0\u001b[22m ");
});
