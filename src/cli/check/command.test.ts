import { describe, expect, test } from "vitest";
import { expectTranscript, testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { type CliSetup, runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";
import { findingCodes } from "../../core/model/finding-codes.ts";

const rules = "-f examples/bakery -f test/testdata/coverage-rules";

describe("the bakery", () => {
  for (const columns of [40, 60, 120]) {
    test(`${columns} columns`, () => expectTranscript(`check-${columns}`, "check -f examples/bakery", { columns }));
  }
  testTranscripts([
    ["check-info", "check --severity info -f examples/bakery"],
    ["check-error", "check --severity error -f examples/bakery"],
    ["check-namespace", "check -n shop -f examples/bakery"],
    ["check-labels", "check -l gateway=prod -f examples/bakery"],
    ["check-fine", "check -f examples/bakery/gateway.yaml -f examples/bakery/policy-kinds.yaml"],
    ["check-incomplete", "check --severity info -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml"],
    ["check-coverage", `check --severity info ${rules}`],
    ["check-json", `check -o json ${rules}`],
    ["check-sarif", `check -o sarif ${rules}`],
    ["check-junit", `check -o junit --severity info ${rules}`],
    ["check-github", `check -o github --severity info ${rules}`],
    ["check-dataplane-envoy", "check --dataplane envoy -f examples/bakery"],
    ["check-explain", "check --explain RefNotPermitted"],
    ["check-explain-unknown", "check --explain NeverTakesEfect"],
  ]);

  test("no line is wider than the terminal, but for what cannot be broken", async () => {
    for (const columns of [40, 80]) {
      const { stdout } = await runCli(`check --severity info ${rules}`, { columns });
      const long = stdout.split("\n").filter((line) => line.length > columns && line.trim().includes(" "));
      expect(long.filter((line) => !/^\S+: \w/.test(line))).toEqual([]);
    }
  });
});

describe("the first line of a finding", () => {
  const text = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: a-route-with-quite-a-long-name, namespace: shop}
spec: {parentRefs: [{name: a-gateway-that-does-not-exist}], rules: [{backendRefs: [{name: nowhere, port: many}]}]}
`;
  for (const columns of [undefined, 20, 40, 80, 200])
    test(`has position, severity, code and message at ${columns ?? "no"} columns`, async () => {
      const { stdout } = await runCli("check --severity info -f some/folder/a.yaml", {
        files: { "some/folder/a.yaml": text },
        ...(columns === undefined ? {} : { columns }),
      });
      expect(stdout.split("\n")[0]).toBe(
        'some/folder/a.yaml:4:106: error InvalidField HTTPRoute shop/a-route-with-quite-a-long-name: spec.rules[0].backendRefs[0].port is "many"; allowed: a whole number from 1 to 65535; the object is left out, as the API server would refuse it',
      );
    });

  test("-q: only findings", async () => {
    const { stdout } = await runCli("check -q --severity error -f examples/bakery");
    expect(
      stdout
        .split("\n")
        .filter((line) => !/^ {2}|^$/.test(line))
        .every((line) => / error \w+ /.test(line)),
    ).toBe(true);
    const fine = { "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n" };
    expect(await runCli("check -q -f a.yaml", { files: fine })).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("--list", () => {
  test("has every code with its severity and meaning", async () => {
    const { stdout, code } = await runCli("check --list");
    const rows = stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(/ {3,}/));
    expect(code).toBe(0);
    expect(rows).toEqual(Object.entries(findingCodes).map(([name, { severity, title }]) => [name, severity, title]));
    const { codes } = JSON.parse((await runCli("check --list -o json")).stdout) as {
      readonly codes: readonly object[];
    };
    expect(codes.length).toBe(rows.length);
    expect((await runCli("check --list -o sarif")).code).toBe(64);
  });
});

describe("-o github", () => {
  test("names files relative to the root of the repository", async () => {
    const files = { "/repo/.git/HEAD": "", "a.yaml": "a: [\n" };
    const { stdout } = await runCli("check -o github -f a.yaml", { files, workingDirectory: "/repo/deploy" });
    expect(stdout).toMatch(/^::error file=deploy\/a\.yaml,line=2,col=1,title=YamlSyntax::/);
  });

  test("names no file for standard input", async () => {
    const { stdout } = await runCli("check -o github -f -", { stdin: "a: [\n" });
    expect(stdout).toMatch(/^::error title=YamlSyntax::/);
  });
});

describe("exit codes", () => {
  const error = {
    "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: many}]}",
  };
  const note = { "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}" };
  const absent = {
    "a.yaml":
      "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r}\nspec: {parentRefs: [{name: g}]}",
  };
  const warning = {
    "a.yaml":
      "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{name: a, port: 1}, {name: a, port: 2}]}",
  };
  test.each([
    ["1: there are errors", "check -f a.yaml", error, 1],
    ["1: errors, with --fail-on error", "check -f a.yaml --fail-on error", error, 1],
    ["0: errors, with --fail-on never", "check -f a.yaml --fail-on never", error, 0],
    ["1: warnings", "check -f a.yaml", warning, 1],
    ["0: warnings, with --fail-on error", "check -f a.yaml --fail-on error", warning, 0],
    ["0: only errors are shown, so only errors fail", "check -f a.yaml --severity error", warning, 0],
    ["1: hidden warnings that --fail-on names", "check -f a.yaml --severity error --fail-on warning", warning, 1],
    ["0: notes never fail", "check -f a.yaml --severity info", note, 0],
    ["0: notes that are not shown", "check -f a.yaml", note, 0],
    ["1: caveats that --fail-on names", "check -f a.yaml --fail-on never,caveat", absent, 1],
    ["1: caveats beside the default", "check -f a.yaml --fail-on caveat", absent, 1],
    ["0: caveats that it does not name", "check -f a.yaml", absent, 0],
    [
      "0: with --complete the parent does not exist, which is a finding",
      "check -f a.yaml --fail-on never --complete",
      absent,
      0,
    ],
    ["64: a contradiction", "check -f a.yaml --fail-on never,error", warning, 64],
    ["64: a value that does not exist", "check -f a.yaml --fail-on errors", warning, 64],
    ["65: a document cannot be read", "check -f a.yaml", { "a.yaml": "a: [" }, 65],
    ["65: whatever --fail-on says", "check -f a.yaml --fail-on never", { "a.yaml": "a: [" }, 65],
    ["65: a path does not exist", "check -f a.yaml -f b.yaml", note, 65],
  ])("%s", async (_, line, files, code) => {
    const result = await runCli(line, { files });
    expect([result.code, result.stderr === ""]).toEqual([code, code !== 64]);
  });
});

describe("--redact", () => {
  const rule = `apiVersion: prevail.dev/v1alpha1
kind: CoverageRule
metadata: {name: few-retries}
spec:
  policyKind: RetryPolicy
  targets: {levels: [HTTPRouteRule], under: [{kind: Gateway, namespace: infra, name: prod}]}
  condition: "spec.retry.attempts <= 3"
`;
  for (const output of ["", "-o json", "-o sarif", "-o junit", "-o github"]) {
    test(`neither names nor values of policies elsewhere ${output}`, async () => {
      const line = `check --severity info -n shop --redact ${output} -f examples/bakery -f -`;
      const { stdout, code } = await runCli(line, { stdin: rule });
      expect(code).toBe(1);
      for (const secret of ["friday-fix", "fair-share", "front-door", "platform-policies", "attempts is 5"])
        expect(stdout).not.toContain(secret);
      for (const own of ["counter-retries", "NotCovered", "A policy that may not be shown"])
        expect(stdout.replaceAll(/\n +/g, " ")).toContain(own);
    });
  }

  test("findings about the namespace are printed in full", async () => {
    const { stdout } = await runCli("check -n shop --redact -f examples/bakery");
    expect(stdout).toContain("it is overridden by RateLimitPolicy shop/closing-time");
  });
});

describe("odd input", () => {
  const run = (line: string, setup: CliSetup) => runCli(line, setup);

  test.each([
    [
      "check",
      "error: nothing to read: name the objects with -f FILE, -f DIR or -f -, or choose a cluster: no\n       kubeconfig file has a context\nFor example: prevail check -f examples/bakery\n",
    ],
    [
      "check examples/bakery",
      "error: unexpected argument 'examples/bakery': check takes options only\nFiles are given with -f: prevail check -f examples/bakery\n",
    ],
    ["check -f empty.yaml", "error: there are no objects in empty.yaml\n"],
    ["check -f -", "error: there are no objects in standard input\n"],
    [
      "check -f a.yaml --severity fatal",
      "error: --severity is 'fatal'; it can be error, warning, info\nSee 'prevail help check'.\n",
    ],
    [
      "check -f a.yaml -o xml",
      "error: -o is 'xml'; it can be sarif, junit, github, json, jsonpath=…, custom-columns=…\nSee 'prevail help check'.\n",
    ],
  ])("%s", async (line, stderr) => {
    const files = { "empty.yaml": "# nothing\n", "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}" };
    expect(await run(line, { files })).toEqual({ code: stderr.includes("no objects") ? 65 : 64, stdout: "", stderr });
  });

  test("a path that is not there is a finding about the path", async () => {
    const { code, stdout, stderr } = await run("check -f none.yaml", { files: { "a.yaml": "" } });
    expect([code, stderr]).toEqual([65, ""]);
    expect(stdout).toMatch(/^none\.yaml: error PathNotFound no such file or directory\n/);
  });

  test("unreadable input is reported once, with the other findings", async () => {
    const files = { "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\na: [\n---\njust: text\n" };
    const { stdout, stderr } = await run("check -f a.yaml", { files });
    expect(stderr).toBe("");
    expect(stdout.match(/a\.yaml:\d+:\d+: error \w+/g)).toEqual([
      "a.yaml:6:1: error YamlSyntax",
      "a.yaml:7:1: error NotAnObject",
    ]);
  });

  test("a field of a refused object has its line; Windows line endings, a byte order mark", async () => {
    const text =
      "\ufeffapiVersion: gateway.networking.k8s.io/v1\r\nkind: HTTPRoute\r\nmetadata:\r\n  name: r\r\nspec:\r\n  rules:\r\n  - timeouts:\r\n      request: 5 seconds\r\n";
    const { stdout } = await run("check -f a.yaml", { files: { "a.yaml": text } });
    expect(stdout).toMatch(/^a\.yaml:8:16: error InvalidField /);
  });

  test("names do not move the cursor, end a line or begin a command", async () => {
    const name = "x\\e[2J\\r\\n::error::y%";
    const text = `apiVersion: v1\nkind: Service\nmetadata: {name: "${name}", namespace: a}\nspec: {ports: [{name: a, port: 1}, {name: a, port: 2}]}`;
    const files = { "a,b:%.yaml": text };
    const result = await run('check -f "a,b:%.yaml"', { files });
    expect(result.stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    const { stdout } = await run('check -o github -f "a,b:%.yaml"', { files });
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(
        /^::warning file=a%2Cb%3A%25\.yaml,line=4,col=43,title=DuplicateSectionName::Service a\/x.*%0D%0A::error::y%25 has several/,
      ),
      "",
    ]);
  });
});

describe("formats", () => {
  const hostile: CliSetup = {
    files: {
      "dir/ä b#.yaml": `apiVersion: v1
kind: Service
metadata: {name: "<&]]>'\\"\\u0001{0}[l](x)", namespace: a}
spec: {ports: [{name: a, port: 1}, {name: a, port: 2}]}
`,
    },
  };

  test("json fits its schema", async () => {
    for (const line of [
      `check --severity info -o json ${rules}`,
      "check -o json -f examples/bakery/gateway.yaml -f none",
    ]) {
      const { stdout } = await runCli(line);
      expect(schemaViolations("finding-list.json", JSON.parse(stdout))).toEqual([]);
    }
  });

  test("sarif: rules and positions are where results say", async () => {
    const { stdout } = await runCli(`check --severity info -o sarif ${rules} -f none.yaml`);
    const log = JSON.parse(stdout) as SarifLog;
    expect(log.version).toBe("2.1.0");
    const [run] = log.runs;
    expect(run?.results.length).toBeGreaterThan(10);
    expect(new Set(run?.tool.driver.rules.map(({ id }) => id)).size).toBe(run?.tool.driver.rules.length);
    for (const { ruleId, ruleIndex, level, message, locations = [], relatedLocations = [] } of run?.results ?? []) {
      expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect(["error", "warning", "note"]).toContain(level);
      expect(message.text).not.toBe("");
      for (const { physicalLocation } of [...locations, ...relatedLocations]) {
        const { artifactLocation, region } = physicalLocation ?? {};
        if (artifactLocation !== undefined) expect(artifactLocation.uri).toMatch(/^[A-Za-z0-9._~/%-]+$/);
        if (region !== undefined) expect(Math.min(region.startLine, region.startColumn)).toBeGreaterThan(0);
      }
    }
  });

  test("sarif: no placeholders, no links, and a URI", async () => {
    const { stdout } = await runCli("check -o sarif -f dir", hostile);
    const [result] = (JSON.parse(stdout) as SarifLog).runs[0]?.results ?? [];
    expect(result?.message.text).toContain("{{0}}\\[l\\](x) has several sections");
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation.uri).toBe("dir/%C3%A4%20b%23.yaml");
  });

  test("sarif: a run without findings has results, none of them", async () => {
    const { stdout } = await runCli("check -o sarif -f a.yaml", {
      files: { "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: s}" },
    });
    expect(JSON.parse(stdout)).toMatchObject({ runs: [{ results: [], tool: { driver: { rules: [] } } }] });
  });

  test("junit: text is escaped, and characters that XML does not allow are left out", async () => {
    const { stdout } = await runCli("check -o junit -f dir", hostile);
    expect(stdout).toContain(
      '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="prevail check" tests="1" failures="1" skipped="0">',
    );
    expect(stdout).toContain("Service a/&lt;&amp;]]&gt;&#39;&quot; {0}[l](x)");
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  });

  test("junit: without findings one test passes", async () => {
    const { stdout } = await runCli("check -o junit -f a.yaml", {
      files: { "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: s}" },
    });
    expect(stdout).toContain('tests="1" failures="0"');
    expect(stdout).toContain('<testcase name="check" classname="a.yaml"/>');
  });
});

describe("--explain", () => {
  test.each(Object.keys(findingCodes))("%s", async (code) => {
    const { stdout, stderr, code: exit } = await runCli(`check --explain ${code.toLowerCase()}`, { columns: 60 });
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")[0]).toBe(code);
  });

  test("without anything like it: all there are", async () => {
    const { stderr, code } = await runCli("check --explain zzzzzzzzzzzz");
    expect(code).toBe(64);
    expect(stderr).toMatch(/^'prevail check --list' lists all \d+ codes\.$/m);
  });
});

interface SarifLog {
  readonly version: string;
  readonly runs: ReadonlyArray<{
    readonly tool: { readonly driver: { readonly rules: ReadonlyArray<{ readonly id: string }> } };
    readonly results: ReadonlyArray<{
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations?: readonly SarifLocation[];
      readonly relatedLocations?: readonly SarifLocation[];
    }>;
  }>;
}

interface SarifLocation {
  readonly physicalLocation?: {
    readonly artifactLocation: { readonly uri: string };
    readonly region?: { readonly startLine: number; readonly startColumn: number };
  };
}
