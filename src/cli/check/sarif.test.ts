import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { sarifProblems } from "../../../test/support/cli/sarif-problems.ts";
import { uriOf } from "./sarif.ts";

const odd = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r}
spec: {parentRefs: [{name: "[a](http://x)"}], rules: [{backendRefs: [{name: "b{0}", port: 80}]}]}
`;

describe("SARIF 2.1.0, and what code scanners ask for beyond it", () => {
  for (const [name, line, setup] of [
    ["the bakery", "-f examples/bakery -f test/testdata/coverage-rules", {}],
    ["nothing wrong", "-f a.yaml", { files: { "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n" } }],
    [
      "documents that cannot be read",
      "-f a -f missing",
      { files: { "a/b.yaml": "a: [\n", "a/c d.yaml": new Uint8Array([255, 254]) } },
    ],
    ["standard input, and text that looks like markup", "-f -", { stdin: odd }],
    ["redacted", "-n shop --redact -f examples/bakery", {}],
  ] as const) {
    test(name, async () => {
      const { stdout } = await runCli(`check --severity info -o sarif ${line}`, setup);
      expect(sarifProblems(JSON.parse(stdout))).toEqual([]);
    });
  }

  test("the check itself sees what is wrong", () => {
    const log = {
      version: "2.1.0",
      $schema: "https://x",
      runs: [
        { tool: { driver: { name: "x", rules: [] } }, results: [{ ruleId: "a", level: "bad", message: {}, extra: 1 }] },
      ],
    };
    expect(sarifProblems(log)).toEqual([
      "/runs/0/results/0: has extra",
      "/runs/0/results/0/level: is bad",
      "/runs/0/results/0/message/text: is missing",
      "/runs/0/results/0/ruleIndex: does not lead to rule a",
      "/runs/0/results/0/locations: is not one location at least",
    ]);
  });
});

test.each([
  ["policies/a.yaml", "policies/a.yaml"],
  ["./policies/a.yaml", "policies/a.yaml"],
  ["../a.yaml", "../a.yaml"],
  ["a b/ä#?%.yaml", "a%20b/%C3%A4%23%3F%25.yaml"],
  ["a:b.yaml", "a%3Ab.yaml"],
  ["/tmp/a b.yaml", "file:///tmp/a%20b.yaml"],
  ["policies\\a.yaml", "policies/a.yaml"],
  ["C:\\work\\a b.yaml", "file:///C:/work/a%20b.yaml"],
  ["<stdin>", "%3Cstdin%3E"],
  ["lone-\ud800.yaml", "lone-%EF%BF%BD.yaml"],
])("%j as a URI", (file, uri) => {
  expect(uriOf(file)).toBe(uri);
  expect(new URL(uri, "file:///base/").protocol).toBe("file:");
});
