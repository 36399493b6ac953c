import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

const BAKERY = ["-f", "examples/bakery"];
const run = (...words: readonly string[]) => runCli([...words, ...BAKERY]);

describe("-o jsonpath", () => {
  test("fills a template from the JSON of a command", async () => {
    const template = '{range .items[*]}{.policy.name}={.verdict.state}{"\\n"}{end}';
    const { stdout, code } = await run("get", "policies", "-n", "shop", "-o", `jsonpath=${template}`);
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 2)).toEqual(["closing-time=Accepted", "guests=Accepted"]);
  });

  test("of every command with -o json", async () => {
    for (const [line, template, expected] of [
      ["explain httproute/baker", "{.target.name}", "baker"],
      ["reach retrypolicy/friday-fix", "{.policy.name}", "friday-fix"],
      ["check --severity error", "{.summary.error}", "2"],
      ["plan --delete retrypolicy/friday-fix", "{.kind}", "Plan"],
      ["version", "{.version}", "1.2.3"],
    ] as const) {
      const files = line === "version" ? [] : BAKERY;
      const { stdout } = await runCli([...line.split(" "), "-o", `jsonpath=${template}`, ...files]);
      expect([line, stdout]).toEqual([line, expected]);
    }
  });

  test("the exit code is that of the command", async () => {
    expect((await run("check", "-o", "jsonpath={.summary.error}")).code).toBe(1);
  });

  test("a path without braces is one expression", async () => {
    expect((await run("explain", "svc/oven", "-o", "jsonpath=.target.name")).stdout).toBe("oven");
  });

  test("a template that selects nothing is noted, with the fields that there are", async () => {
    const { stdout, stderr, code } = await run("get", "policies", "-o", "jsonpath={.items[*].metadata.name}");
    expect([stdout, code]).toEqual(["", 0]);
    expect(stderr).toContain("-o jsonpath: the template selects no value; each item has the fields policy, ");
  });

  test("as JSON, and from a file", async () => {
    const asJson = await run("get", "policies", "friday-fix", "-o", "jsonpath-as-json={.items[*].policy.name}");
    expect(asJson.stdout).toBe('[\n    "friday-fix"\n]\n');
    const files = {
      "t.txt": '{.target.name}{"\\n"}',
      "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n",
    };
    const fromFile = await runCli("explain svc/s -f a.yaml -o jsonpath-file=t.txt", { files });
    expect(fromFile.stdout).toBe("s\n");
    expect((await runCli("explain svc/s -f a.yaml -o jsonpath-file=none.txt", { files })).code).toBe(64);
  });

  test("caveats of the answer are on standard error", async () => {
    const line = [
      "get",
      "policies",
      "-o",
      "jsonpath={.items[*].policy.name}",
      "-f",
      "examples/bakery/team-policies.yaml",
    ];
    const { stderr } = await runCli(line);
    expect(stderr).toMatch(/^caveat, partial: /);
    expect(stderr).toContain("  fix: ");
  });

  for (const [output, message] of [
    ["jsonpath", "-o jsonpath needs a text: -o jsonpath=…"],
    ["jsonpath=", "-o jsonpath: the template is empty"],
    ["jsonpath={.a", "-o jsonpath: '{.a' has no closing brace"],
    ["jsonpath={.items[99]}", "-o jsonpath: there is no [99] in a list of"],
    ["custom-columns=", "-o custom-columns: there are no columns"],
    ["custom-columns=NAME", "-o custom-columns: the column 'NAME' lacks a header or a path"],
    ["custom-columns=NAME:.items[", "-o custom-columns: column NAME: "],
    ["jsonpth={.a}", "-o is 'jsonpth={.a}'; it can be wide, yaml, json, name, jsonpath=…, custom-columns=…"],
  ] as const) {
    test(`${output} is a mistake`, async () => {
      const { code, stdout, stderr } = await run("get", "policies", "-o", output);
      expect([code, stdout]).toEqual([64, ""]);
      expect(stderr.replaceAll(/\n +/g, " ")).toContain(message);
    });
  }
});

describe("-o custom-columns", () => {
  const columns = "NAME:.policy.name,STATE:.verdict.state,NONE:.none,TARGETS:.targets[*].kind";

  test("a table of the items, never cut", async () => {
    const words = ["get", "policies", "-n", "shop", "-o", `custom-columns=${columns}`, ...BAKERY];
    const { stdout } = await runCli(words, { columns: 20 });
    const [header, first] = stdout.split("\n");
    expect(header).toMatch(/^NAME +STATE +NONE +TARGETS$/);
    expect(first).toMatch(/^closing-time +Accepted +<none> +\w+$/);
  });

  test("without headers, of one object, and several values", async () => {
    const list = await run(
      "get",
      "policies",
      "friday-fix",
      "--no-headers",
      "-o",
      "custom-columns=A:policy.name,B:.policy['kind','name']",
    );
    expect(list.stdout).toBe("friday-fix   RetryPolicy,friday-fix\n");
    const single = await run("explain", "svc/oven", "-o", "custom-columns=NAME:.target.name");
    expect(single.stdout).toBe("NAME\noven\n");
  });

  test("from a file", async () => {
    const files = {
      "c.txt": "NAME KIND\n{.target.name} .target.kind\n",
      "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n",
    };
    const { stdout } = await runCli("explain svc/s -f a.yaml -o custom-columns-file=c.txt", { files });
    expect(stdout).toBe("NAME   KIND\ns      Service\n");
    const broken = await runCli("explain svc/s -f a.yaml -o custom-columns-file=c.txt", {
      files: { ...files, "c.txt": "NAME\n.a .b\n" },
    });
    expect([broken.code, broken.stderr]).toEqual([
      64,
      expect.stringContaining("a line of headers and a line with as many paths"),
    ]);
  });
});
