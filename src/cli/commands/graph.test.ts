import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { expectGolden } from "../../../test/support/golden.ts";
import { runCli } from "../../../test/support/run-cli.ts";
import { layoutGraph } from "../layout-graph.ts";

const golden = (name: string): string => fileURLToPath(new URL(`../testdata/graph/${name}`, import.meta.url));

describe("graph", () => {
  test.each([
    ["bakery.mmd", "graph -f examples/bakery"],
    ["bakery.dot", "graph -o dot -f examples/bakery"],
    ["bakery.svg", "graph -o svg -f examples/bakery"],
    ["baker.json", "graph httproute/baker -o json -f examples/bakery"],
    ["menu.mmd", "graph httproute/baker#menu -n bakery --redact -f examples/bakery"],
  ])("%s", async (name, line) => {
    const { stdout, stderr, code } = await runCli(line);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expectGolden(golden(name), stdout);
  });

  test("what names would mean to a drawing program is quoted", async () => {
    const hostile = `a"]; <script>&`;
    const files = {
      "all.yaml": JSON.stringify({
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "Gateway",
        metadata: { name: "g", namespace: "n" },
        spec: { gatewayClassName: hostile, listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
      }),
    };
    const shown = async (output: string): Promise<string> =>
      (await runCli(`graph -o ${output} -f all.yaml`, { files })).stdout;
    expect(await shown("svg")).toContain("a&quot;]; &lt;script&gt;");
    expect(await shown("svg")).not.toContain("<script");
    expect(await shown("dot")).toContain('a\\"]; <script>');
    expect(await shown("mermaid")).toContain("a#34;]; #60;script#62;#38;");
  });

  test("an object that is not there is a failure", async () => {
    const { stderr, code } = await runCli("graph httproute/bakr -f examples/bakery");
    expect(code).toBe(1);
    expect(stderr).toContain("did you mean 'baker'");
  });
});

describe("layoutGraph", () => {
  test("a column for each rank, by the longest way from a root", () => {
    const edges = [
      { from: "a", to: "b" },
      { from: "b", to: "c" },
      { from: "a", to: "c" },
    ];
    expect(layoutGraph(["a", "b", "c"], edges).columns).toEqual([["a"], ["b"], ["c"]]);
  });

  test("neighbours stand side by side", () => {
    const edges = [
      { from: "a1", to: "b2" },
      { from: "a2", to: "b1" },
    ];
    const { columns } = layoutGraph(["a1", "a2", "b1", "b2"], edges);
    expect(columns[0]?.map((id) => id.slice(1))).toEqual(columns[1]?.map((id) => (id === "b2" ? "1" : "2")));
  });

  test("a cycle is drawn behind the rest, and nothing is lost", () => {
    const edges = [
      { from: "x", to: "y" },
      { from: "y", to: "x" },
      { from: "a", to: "b" },
    ];
    expect(layoutGraph(["a", "b", "x", "y"], edges).columns.flat().sort()).toEqual(["a", "b", "x", "y"]);
  });
});
