import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { expectGolden } from "../../../test/support/golden.ts";
import type { GraphNode } from "../../core/explain/graph/result.ts";
import { objectId, targetId } from "../../core/model/refs.ts";
import { createPrinter } from "../print/create-printer.ts";
import { layoutGraph } from "./layout-graph.ts";
import { printGraph } from "./text.ts";

const golden = (name: string): string => fileURLToPath(new URL(`./testdata/${name}`, import.meta.url));

describe("graph", () => {
  test.each([
    ["bakery.txt", "graph -f examples/bakery"],
    ["menu.txt", "graph httproute/baker#menu -n bakery --redact -f examples/bakery"],
    ["bakery.mmd", "graph -o mermaid -f examples/bakery"],
    ["bakery.dot", "graph -o dot -f examples/bakery"],
    ["bakery.svg", "graph -o svg -f examples/bakery"],
    ["baker.json", "graph httproute/baker -o json -f examples/bakery"],
    ["menu.mmd", "graph httproute/baker#menu -o mermaid -n bakery --redact -f examples/bakery"],
  ])("%s", async (name, line) => {
    const { stdout, stderr, code } = await runCli(line);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expectGolden(golden(name), stdout);
  });

  test("a selector that matches nothing that can be drawn is reported", async () => {
    const { stdout, stderr } = await runCli("graph -l gateway=prod -f examples/bakery");
    expect([stdout, stderr]).toEqual(["", "note: nothing to draw: no Gateway, route or Service is selected\n"]);
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

  test("nodes on a cycle are printed once", () => {
    const [a, b] = ["a", "b"].map((name): GraphNode => {
      const ref = { group: "example.com", kind: "Ring", namespace: "n", name };
      return { id: targetId(objectId(ref)), ref, policies: [] };
    });
    if (a === undefined || b === undefined) throw new Error("there are two");
    const written: string[] = [];
    const print = createPrinter({ write: (text) => written.push(text), columns: 80, colour: false, headers: true });
    const edges = [
      { from: a.id, to: b.id },
      { from: b.id, to: a.id },
    ];
    printGraph({ nodes: [a, b], edges }, { isHidden: () => false, name: (id) => id }, print);
    expect(written.join("")).toBe("Ring n/a\n└─ Ring n/b\n   └─ Ring n/a (above)\n");
  });

  test("an object that is not there is a failure", async () => {
    const { stderr, code } = await runCli("graph httproute/bakr -f examples/bakery");
    expect(code).toBe(64);
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
