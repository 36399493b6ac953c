import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";
import { manyRoutes } from "../../../test/support/cluster/many-routes.ts";
import { expectGolden } from "../../../test/support/golden.ts";
import type { GraphNode } from "../../core/explain/graph/result.ts";
import { objectId, targetId } from "../../core/model/refs.ts";
import { hideNothing } from "../args/redaction.ts";
import { exitCodes } from "../exit-codes.ts";
import { createPrinter } from "../print/terminal/create-printer.ts";
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
    ["bakery-sections.txt", "graph --sections --lone -f examples/bakery"],
    ["bakery-kinds.txt", "graph --kind gateway,service,retrypolicy -f examples/bakery"],
    ["gateway-depth.txt", "graph gtw/prod --depth 1 -f examples/bakery"],
    ["namespace.txt", "graph ns/shop -f examples/bakery"],
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

  test.each([
    "graph -o json -f examples/bakery",
    "graph httproute/baker -n bakery --redact -o json -f examples/bakery",
    "graph gtw/prod --depth 1 --kind gateway,httproute,retrypolicy -o json -f examples/bakery",
    "graph -o json -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml",
  ])("%s is what docs/schemas/graph.json says", async (line) => {
    const graph: unknown = JSON.parse((await runCli(line)).stdout);
    expect(schemaViolations("graph.json", graph)).toEqual([]);
    const { nodes, edges } = graph as Record<"nodes" | "edges", readonly Record<"id" | "from" | "to", string>[]>;
    const ids = new Set(nodes.map(({ id }) => id));
    expect(edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to))).toEqual([]);
    expect(edges.length).toBeGreaterThan(2);
  });

  describe("many routes", () => {
    const files = { "all.yaml": manyRoutes(200) };

    test.each([
      ["routes.txt", "graph -f all.yaml"],
      ["routes.mmd", "graph -o mermaid -f all.yaml"],
      ["routes.dot", "graph -o dot -f all.yaml"],
      ["routes.svg", "graph -o svg -f all.yaml"],
    ])("%s: routes and Services without policies of their own are one node with their number", async (name, line) => {
      const { stdout, code } = await runCli(line, { files });
      expect(code).toBe(0);
      expectGolden(golden(name), stdout);
    });

    test("--no-fold draws each", async () => {
      const { stdout } = await runCli("graph --no-fold -f all.yaml", { files });
      expect([...stdout.matchAll(/─ HTTPRoute /g)]).toHaveLength(200);
      expect(stdout).not.toContain("Folded");
    });

    test("a route that was asked for is drawn on its own", async () => {
      const { stdout } = await runCli("graph httproute/route-7 -f all.yaml", { files });
      expect(stdout).toContain("─ HTTPRoute town/route-7\n");
    });

    test("-o json folds nothing, and has every rule and port", async () => {
      const { nodes, leftOut } = JSON.parse((await runCli("graph -o json -f all.yaml", { files })).stdout) as {
        readonly nodes: readonly { readonly kind: string }[];
        readonly leftOut: object;
      };
      // Each route has two rules.
      expect(nodes.filter(({ kind }) => kind === "HTTPRoute")).toHaveLength(200 * 3);
      expect(leftOut).toEqual({ sections: [], lone: [], farther: [], otherKinds: [], otherPolicies: 0 });
    });

    test("more edges than Mermaid draws by default are reported", async () => {
      const excess = async (line: string): Promise<string> =>
        (await runCli(line, { files })).stderr.replaceAll(/\s+/g, " ");
      // What Mermaid itself counts: https://mermaid.js.org/config/schema-docs/config.html, maxEdges and maxTextSize.
      expect(await excess("graph -o mermaid --no-fold --sections -f all.yaml")).toMatch(
        /^note: 1905 edges, where Mermaid draws at most 500 unless the page sets maxEdges; 77015 characters, where Mermaid reads at most 50000 /,
      );
      expect(await excess("graph -o mermaid --no-fold -f all.yaml")).toBe("");
    });
  });

  test.each([
    ["--depth -1", "error: --depth is '-1': give a number of levels, from 0 to 1000"],
    ["--depth deep", "error: --depth is 'deep': give a number of levels, from 0 to 1000"],
    ["--kind gatway", "error: --kind: unknown kind 'gatway'; did you mean 'gateway'?"],
    ["--kind gateway,", "error: --kind: unknown kind ''"],
  ])("%s is a mistake", async (options, message) => {
    const { stdout, stderr, code } = await runCli(`graph ${options} -f examples/bakery`);
    expect([stdout, stderr.split("\n")[0], code]).toEqual(["", message, exitCodes.usage]);
  });

  test("folded policies are redacted as others are", async () => {
    const { stdout } = await runCli("graph gtw/prod -n infra --redact -f all.yaml", {
      files: { "all.yaml": manyRoutes(60) },
    });
    expect(stdout).toContain("◆ a policy in another namespace on each: takes effect");
    expect(stdout).not.toContain("RetryPolicy on each");
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
    printGraph({ nodes: [a, b], edges }, { redaction: { ...hideNothing, name: (id) => id }, notes: [] }, print);
    expect(written.join("")).toMatch(/^Ring n\/a\n└─ Ring n\/b\n {3}└─ Ring n\/a \(above\)\n\n/);
  });

  test("an object that is not there is a failure", async () => {
    const { stderr, code } = await runCli("graph httproute/bakr -f examples/bakery");
    expect(code).toBe(64);
    expect(stderr).toContain("did you mean 'baker'");
  });
});
