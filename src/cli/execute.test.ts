import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runCli } from "../../test/support/cli/run-cli.ts";
import { optionsOf } from "./args/option-groups.ts";
import { commandTable } from "./command-table.ts";
import { exitCodes, exitCodeTable } from "./exit-codes.ts";
import { habits } from "./suggest-command.ts";

const route = (name: string, namespace?: string): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}${namespace === undefined ? "" : `, namespace: ${namespace}`}}
spec: {parentRefs: [{name: prod}], rules: [{}]}
`;
const gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: prod}
spec: {gatewayClassName: house, listeners: [{name: http, port: 80, protocol: HTTP}]}
`;
const policy = `
apiVersion: prevail.dev/v1alpha1
kind: RetryPolicy
metadata: {name: twice}
spec: {targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: prod}], retry: {attempts: 2}}
`;
const all = [gateway, route("a"), policy].join("---");

describe("help", () => {
  test("the list has every command", async () => {
    const { stdout, code } = await runCli("help");
    expect(code).toBe(0);
    for (const { name, summary } of commandTable)
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(` ${name} ${summary}`);
  });
  test("no words at all", async () => expect((await runCli("")).stdout).toBe((await runCli("help")).stdout));
  for (const line of ["--help", "-h", "help help"])
    test(line, async () => expect((await runCli(line)).stdout).toBe((await runCli("help")).stdout));
  test("as a plugin of kubectl", async () => {
    expect((await runCli("help", { program: "kubectl prevail" })).stdout).toContain(
      "kubectl prevail explain httproute/baker",
    );
  });

  for (const { name } of commandTable) {
    test(`${name} --help and help ${name} agree`, async () => {
      const { stdout, code } = await runCli(`${name} --help`);
      expect(code).toBe(0);
      expect(stdout).toContain(`prevail ${name}`);
      expect((await runCli(`help ${name}`)).stdout).toBe(stdout);
    });
  }
});

describe("every command", () => {
  for (const { name, load } of commandTable) {
    test(`${name} has examples that work`, async () => {
      const { command } = await load();
      expect(command.examples.length).toBeGreaterThan(0);
      // A copy of the sources without its history has no commit to compare with.
      const hasSource = (line: string): boolean => existsSync(".git") || !line.includes("--git ");
      // A bundle is about a cluster.
      const examples = command.examples.filter(({ line }) => hasSource(line) && !line.includes("--support-bundle"));
      for (const { line } of examples) {
        expect(line.split(" ")[0]).toBe(name);
        const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
        const { code, stderr } = await runCli(words);
        expect([line, code <= 2, stderr.startsWith("error")]).toEqual([line, true, false]);
      }
    });

    test(`${name} has options that do not clash`, async () => {
      const options = optionsOf((await load()).command);
      const names = options.map((option) => option.name);
      const shorts = options.flatMap(({ short }) => short ?? []);
      expect(new Set(names).size).toBe(names.length);
      expect(new Set(shorts).size).toBe(shorts.length);
    });
  }
});

describe("version", () => {
  for (const line of ["version", "--version"])
    test(line, async () => expect((await runCli(line)).stdout).toBe(`prevail 1.2.3 (Node ${process.version})\n`));
  test("for programs", async () => {
    expect(JSON.parse((await runCli("version -o json")).stdout)).toEqual({ version: "1.2.3", node: process.version });
  });
});

describe("mistakes are reported, with exit code 64, and unusable input with 65", () => {
  for (const [line, stderr] of [
    ["explian", "error: there is no command 'explian'; did you mean 'explain'?\nSee 'prevail help'.\n"],
    ["help nothing", "error: there is no command 'nothing'\nSee 'prevail help'.\n"],
    ["help explain extra", "error: unexpected argument 'extra': help takes one command\nSee 'prevail help explain'.\n"],
    ["version extra", "error: unexpected argument 'extra': version takes options only\n"],
    ["-f x", "error: no command given\nSee 'prevail help'.\n"],
    ["-f", "error: -f needs a value: -f FILE|DIR|-\nSee 'prevail help'.\n"],
    ["-n explain", "error: no command given\nSee 'prevail help'.\n"],
    [
      "--namespce a explain",
      "error: there is no option --namespce; did you mean '--namespace'?\nSee 'prevail help'.\n",
    ],
    ["-x explain", "error: there is no option -x\nSee 'prevail help'.\n"],
    [
      "-o jsn get policies -f a.yaml",
      "error: -o is 'jsn'; it can be wide, yaml, json, name, jsonpath=…, custom-columns=…; did you mean\n       'json'?\nSee 'prevail help get'.\n",
    ],
    ["--all-paths check -f a.yaml", "error: there is no option --all-paths\nSee 'prevail help check'.\n"],
    [
      "explain httproute/a -k overlays/prod",
      "error: -k overlays/prod: prevail does not build kustomizations; pipe what kustomize builds\nkubectl kustomize overlays/prod | prevail explain httproute/a -f -\n",
    ],
    [
      "explain httproute/a -f a.yaml --recursive=false",
      "error: --recursive is always on: directories are read with everything below them; name files to read\n       only some\nSee 'prevail help explain'.\n",
    ],
    [
      "explain --all-pahts",
      "error: there is no option --all-pahts; did you mean --all-paths?\nSee 'prevail help explain'.\n",
    ],
    [
      "explain x/y",
      "error: nothing to read: name the objects with -f FILE, -f DIR or -f -, or choose a cluster: no\n       kubeconfig file has a context\nFor example: prevail explain httproute/baker -f examples/bakery\n",
    ],
    [
      "explain -f a.yaml",
      "error: no target given: name one as KIND/NAME\nFor example: prevail explain httproute/baker -f examples/bakery\n",
    ],
    ["explain httproute/a -f none.yaml", "error: none.yaml: no such file or directory\n"],
    ["explain httproute/a -f empty.yaml", "error: there are no objects in empty.yaml\n"],
    [
      "reach",
      "error: no policy given: name one as KIND/NAME\nFor example: prevail reach retrypolicy/friday-fix -f examples/bakery\n",
    ],
    [
      "trace GET",
      "error: no request given: give METHOD and URL\nFor example: prevail trace GET http://baker.bakery.example:8080/menu -f examples/bakery\n",
    ],
    ["explain httproute/a -f -", "error: there are no objects in standard input\n"],
  ] as const) {
    test(line, async () => {
      expect(await runCli(line, { files: { "a.yaml": all, "empty.yaml": "# nothing\n" } })).toEqual({
        code: /no objects|none\.yaml/.test(stderr) ? 65 : 64,
        stdout: "",
        stderr,
      });
    });
  }

  test("a very long name is shortened", async () => {
    const long = "x".repeat(50_000);
    for (const line of [`explain httproute/${long} -f a.yaml`, `${long} -f a.yaml`, `explain --${long}`]) {
      const { code, stderr } = await runCli(line, { files: { "a.yaml": all } });
      expect(code).toBe(64);
      expect(stderr.length).toBeLessThan(2_500);
    }
  });

  test("the command it proposes works", async () => {
    const { stderr } = await runCli("explain");
    const proposed = /^For example: prevail (.*)$/m.exec(stderr)?.[1] ?? "";
    expect(await runCli(proposed)).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("options stand before the command or behind it", () => {
  const files = { "a.yaml": all, "b.yaml": route("b"), "a,b.yaml": route("c") };
  for (const [before, behind] of [
    ["-f a.yaml explain httproute/a", "explain httproute/a -f a.yaml"],
    ["-f a.yaml -o json get policies", "get policies -o json -f a.yaml"],
    ["-fa.yaml -A get policies", "get policies -A -f a.yaml"],
    ["-Af a.yaml get targets", "get targets -A -f a.yaml"],
    ["--filename=a.yaml --complete get targets", "get targets --complete -f a.yaml"],
    ["-f a.yaml --severity info check", "check --severity info -f a.yaml"],
    ["--all-paths explain httproute/a -f a.yaml", "explain httproute/a --all-paths -f a.yaml"],
    ["--delete retrypolicy/twice plan -f a.yaml", "plan --delete retrypolicy/twice -f a.yaml"],
    ["--version -o json", "version -o json"],
    ["-h explain", "help explain"],
    ["--help explain", "help explain"],
    ["explain -h", "help explain"],
    ["get targets -f a.yaml,b.yaml", "get targets -f a.yaml -f b.yaml"],
    ["get targets -R -f a.yaml", "get targets -f a.yaml"],
    ["get targets --recursive=true -f a.yaml", "get targets -f a.yaml"],
  ] as const) {
    test(before, async () => {
      const expected = await runCli(behind, { files });
      expect(expected.code).toBe(0);
      expect(await runCli(before, { files })).toEqual(expected);
    });
  }

  test("a file with a comma in its name is quoted, as for kubectl", async () => {
    const { stdout } = await runCli('get targets -o name -f "a,b.yaml",b.yaml', { files });
    expect(stdout.split("\n").filter((line) => line.startsWith("httproute"))).toEqual([
      "httproute.gateway.networking.k8s.io/b",
      "httproute.gateway.networking.k8s.io/c",
    ]);
  });

  test("options of one name mean the same before a command, whatever command follows", async () => {
    const commands = await Promise.all(commandTable.map(({ load }) => load()));
    const forms = new Map<string, Set<string>>();
    for (const { name, short, value } of commands.flatMap(({ command }) => optionsOf(command)))
      forms.set(name, (forms.get(name) ?? new Set()).add(`${short ?? ""} ${value === undefined ? "flag" : "value"}`));
    expect([...forms].filter(([, different]) => different.size > 1)).toEqual([]);
  });
});

describe("habits of other tools get a suggestion", () => {
  for (const [line, ...hint] of [
    ["describe httproute/a -f x.yaml", "'explain' does that", "Try: prevail explain httproute/a -f x.yaml"],
    ["-f x.yaml describe httproute/a", "'explain' does that", "Try: prevail explain -f x.yaml httproute/a"],
    ["analyze -f x.yaml", "'check' does that", "Try: prevail check -f x.yaml"],
    ["analyze httproute/a -f x.yaml", "'check' does that", "Try: prevail check -f x.yaml"],
    ["validate -f x.yaml", "'check' does that", "Try: prevail check -f x.yaml"],
    ["lint -f x.yaml", "'check' does that", "Try: prevail check -f x.yaml"],
    ["diff -f x.yaml", "'plan' does that", "Try: prevail plan -f CURRENT --against NEW"],
    ["show httproute/a", "'explain' does that", "Try: prevail explain httproute/a"],
    ["apply -f x.yaml", "'plan' does that", "Try: prevail plan -f CURRENT --apply CHANGED"],
    ["httproute/a -f x.yaml", "there is no command 'httproute/a'", "Try: prevail explain httproute/a -f x.yaml"],
  ] as const) {
    test(line, async () => {
      const { code, stdout, stderr } = await runCli(line);
      expect([code, stdout]).toEqual([64, ""]);
      for (const part of hint) expect(stderr).toContain(part);
    });
  }

  test("the line to type can be pasted into a shell", async () => {
    const { stderr } = await runCli(["describe", "httproute/a", "-f", "it's here"]);
    expect(stderr).toContain(String.raw`Try: prevail explain httproute/a -f 'it'\''s here'`);
  });

  test("every suggested command exists, and none is in the way of a suggestion", () => {
    const names = new Set(commandTable.map(({ name }) => name));
    expect(habits.filter(({ command, line = command }) => !names.has(command) || !line.startsWith(command))).toEqual(
      [],
    );
    expect(habits.flatMap(({ words }) => words).filter((word) => names.has(word))).toEqual([]);
  });
});

describe("colour and quiet", () => {
  const files = { "a.yaml": all, "b.yaml": route("b") };
  const ESCAPE = "\u001b[";
  for (const [name, line, env, isColoured] of [
    ["a pipe", "", { NO_COLOR: "" }, false],
    ["--color always", "--color always", { NO_COLOR: "1" }, true],
    ["--color=never", "--color=never", { NO_COLOR: "", FORCE_COLOR: "1" }, false],
    ["FORCE_COLOR", "", { NO_COLOR: "", FORCE_COLOR: "1" }, true],
    ["CLICOLOR_FORCE", "", { NO_COLOR: "", CLICOLOR_FORCE: "1" }, true],
  ] as const) {
    test(name, async () => {
      const { stdout } = await runCli(`explain httproute/a -f a.yaml ${line}`, { files, env });
      expect(stdout.includes(ESCAPE)).toBe(isColoured);
    });
  }

  test("-q prints no notes", async () => {
    const noted = await runCli("get policies -f b.yaml", { files });
    expect(noted.stderr).toContain("note: ");
    for (const line of ["get policies -q -f b.yaml", "-q get policies -f b.yaml", "get policies --quiet -f b.yaml"])
      expect(await runCli(line, { files })).toEqual({ ...noted, stderr: "" });
  });

  test("-q prints errors", async () => {
    expect((await runCli("get policies -q -f none.yaml", { files })).stderr).toContain("error: none.yaml");
  });
});

test("the help and docs/cli.md have every exit code with its meaning", async () => {
  const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
  const { stdout } = await runCli("help");
  for (const { code, meaning } of exitCodeTable) {
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(` ${code} ${meaning}`);
    expect(page).toContain(`| ${code} | ${meaning.replaceAll("'", "`")} |`);
  }
  expect(exitCodeTable.map(({ code }) => code)).toEqual(Object.values(exitCodes));
});

describe("sources", () => {
  const explained = async (line: string, files: Readonly<Record<string, string>>, stdin = "") =>
    runCli(line, { files, stdin });

  test("standard input", async () => {
    const { stdout, code } = await explained("explain httproute/a -f -", {}, all);
    expect(code).toBe(0);
    expect(stdout).toContain("from RetryPolicy default/twice (<stdin>:15)");
  });

  test("JSON, one object after the other, and lists", async () => {
    const list = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [
        {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "HTTPRoute",
          metadata: { name: "j" },
          spec: { parentRefs: [{ name: "prod" }], rules: [{}] },
        },
      ],
    });
    const { stdout } = await explained("explain httproute/j -f a.yaml -f l.json", { "a.yaml": all, "l.json": list });
    expect(stdout).toContain("retry.attempts: 2");
  });

  test("a broken document is reported, the rest is used, and the exit code is 65", async () => {
    const { stdout, stderr, code } = await explained("explain httproute/a -f a.yaml -f b.yaml", {
      "a.yaml": all,
      "b.yaml": "kind: [\n---\nkind: X\n---\n- 1\n",
    });
    expect(code).toBe(65);
    expect(stdout).toContain("retry.attempts: 2");
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /broken: b\.yaml:2: 3 documents could not be used: .*; b\.yaml:5: .*; b\.yaml:3: /,
    );
    expect(stderr).toBe("");
  });

  test("two different documents for one object are an error that names both positions", async () => {
    const { code, stdout } = await explained("explain httproute/a -f a.yaml -f b.yaml", {
      "a.yaml": all,
      "b.yaml": route("a").replace("rules: [{}]", "rules: [{}, {}]"),
    });
    expect(code).toBe(65);
    expect(stdout.replaceAll(/\n +/g, " ")).toContain(
      "HTTPRoute default/a is defined twice, with different content: at a.yaml:7:1, which is used, and at b.yaml:2:1; remove one",
    );
    expect(stdout).toContain("broken: b.yaml:2: 1 document could not be used");
    expect(stdout).toContain("retry.attempts: 2");
  });

  test("many documents for objects that are there already are one short caveat", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `n${String(i).padStart(2, "0")}`);
    const stream = (rules: string) => names.map((name) => route(name).replace("rules: [{}]", rules)).join("---\n");
    const { code, stdout } = await explained("explain httproute/a -f a.yaml -f b.yaml -f c.yaml -f d.yaml", {
      "a.yaml": all,
      "b.yaml": stream("rules: [{}]"),
      "c.yaml": stream("rules: [{}, {}]"),
      "d.yaml": `${stream("rules: [{}, {}, {}]")}---\nkind: [\n`,
    });
    expect(code).toBe(65);
    const caveat = /broken: .*?(?=fix:)/.exec(stdout.replaceAll(/\s+/g, " "))?.[0] ?? "";
    expect(caveat).toMatch(/^broken: [cd]\.yaml:\d+: 25 documents could not be used: /);
    expect(caveat).toMatch(
      /; 12 objects are defined several times, with different content, and these documents are not used: HTTPRoute default\/n00 \(c\.yaml:\d+, d\.yaml:\d+\), HTTPRoute default\/n01 .* and 2 more; of each object remove all documents but one\./,
    );
    expect(caveat.match(/HTTPRoute/g)).toHaveLength(10);
  });

  describe("an object that the API server would refuse", () => {
    const refused = `\napiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute
metadata: {name: b}\nspec: {parentRefs: [{name: prod}], rules: [{retry: {attempts: none}}]}\n`;
    const files = { "a.yaml": all, "b.yaml": refused };
    const problem =
      'HTTPRoute default/b: spec.rules[0].retry.attempts is "none"; allowed: a whole number of at least 0';
    const reason = `error: b.yaml:5:63: ${problem}; the object is left out, as the API server would refuse it`;
    for (const line of [
      "get policies",
      "get targets",
      "get effective",
      "explain gateway/prod",
      "reach retrypolicy/twice",
      "get policies retrypolicy/twice",
      "trace GET http://x.example/",
      "graph",
      "status",
      "plan --delete retrypolicy/twice",
      "run --dry-run",
    ]) {
      test(`${line}: it could change the answer, so the exit code is 65`, async () => {
        const { stdout, stderr, code } = await explained(`${line} -f a.yaml -f b.yaml`, files);
        expect(code).toBe(65);
        expect(stdout.replaceAll(/\s+/g, " ")).toContain(
          `broken: b.yaml:5: 1 object is left out, as the API server would refuse it: ${problem}.`,
        );
        expect(stderr).toBe("");
      });
    }

    for (const line of [
      "explain httproute/a",
      "get targets httproute/a",
      "get effective httproute/a",
      "graph httproute/a",
      "status httproute/a",
    ]) {
      test(`${line}: a route beside it cannot change the answer`, async () => {
        const { stdout, stderr, code } = await explained(`${line} -f a.yaml -f b.yaml`, files);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        expect(stdout).not.toContain("broken:");
      });
    }

    test("check: one message for one cause", async () => {
      const { stdout, code } = await explained("check -f a.yaml -f b.yaml", files);
      expect(code).toBe(1);
      expect(stdout.match(/spec\.rules\[0\]\.retry\.attempts/g)).toHaveLength(1);
      expect(stdout).not.toContain("broken:");
    });

    test("a command that names it prints its position and the fix", async () => {
      const { stderr, code } = await explained("explain httproute/b -f a.yaml -f b.yaml", files);
      expect(code).toBe(64);
      expect(stderr.replaceAll(/\n +/g, " ").split("\n")).toEqual([
        reason,
        "error: HTTPRoute default/b is at b.yaml:2, but was left out, as the API server would refuse it: fix its spec.rules[0].retry.attempts",
        "",
      ]);
    });

    test("in another namespace it is not there", async () => {
      const { stderr } = await explained("explain httproute/other/b -f a.yaml -f b.yaml", files);
      expect(stderr).toContain("there is no HTTPRoute 'b' in namespace 'other'");
    });

    test("nothing of a policy that may not be shown", async () => {
      const secret = policy.replace("{name: twice}", "{name: hush, namespace: x, labels: {a: 1}}");
      const { stdout, stderr, code } = await explained("get policies -n default --redact -f a.yaml -f c.yaml", {
        "a.yaml": all,
        "c.yaml": secret,
      });
      expect(code).toBe(65);
      expect(stdout).toContain("twice");
      expect(stdout).toContain("broken: 1 object is left out.");
      expect(`${stdout}${stderr}`).not.toContain("hush");
      const { stdout: checked } = await explained("check -n x --redact -f a.yaml -f c.yaml", {
        "a.yaml": all,
        "c.yaml": secret,
      });
      expect(checked).toContain("hush");
    });
  });

  test("--default-namespace fills in what is missing, for namespaced kinds only", async () => {
    const files = { "a.yaml": `${all}---${route("b", "other")}` };
    const { stdout } = await explained("get targets -o json -f a.yaml --default-namespace bakery", files);
    const { items } = JSON.parse(stdout) as { items: { target: { kind: string; namespace: string; name: string } }[] };
    expect(items.map(({ target }) => `${target.kind} ${target.namespace}/${target.name}`)).toEqual([
      "Gateway bakery/prod",
      "HTTPRoute bakery/a",
      "HTTPRoute other/b",
    ]);
    const policies = await explained("get policies -o json -f a.yaml --default-namespace bakery", files);
    expect(policies.stdout).toContain('"namespace": "bakery"');
    expect(policies.stdout).toContain('"enforcement": "Incomplete"');
  });

  test("positions stay right with --default-namespace", async () => {
    const { stdout } = await explained("explain httproute/a -f a.yaml --default-namespace bakery", { "a.yaml": all });
    expect(stdout).toContain("from RetryPolicy bakery/twice (a.yaml:15)");
  });

  test("PolicyDefinitions and CRDs among the files count", async () => {
    const { stdout } = await runCli("get definitions -f examples/bakery");
    expect(stdout).toContain("examples/bakery/policy-kinds.yaml");
  });

  test("hostile names do not move the cursor", async () => {
    const { stdout, stderr } = await explained(
      "get policies -f a.yaml",
      { "a.yaml": `${all}---${policy.replace("name: twice", 'name: "x\\e[2J"')}` },
      "",
    );
    expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });
});

test("a mistake of ours is one line, and the stack only on request", async () => {
  const broken = { ...commandTable[0], load: () => Promise.reject(new Error("oven on fire")) };
  const table = commandTable as unknown as (typeof broken)[];
  const [first] = table;
  try {
    table[0] = broken;
    const { code, stderr } = await runCli("explain x/y -f examples/bakery");
    expect(code).toBe(70);
    expect(stderr).toBe(
      "internal error: oven on fire\nThis is a mistake in prevail. PREVAIL_DEBUG=1 shows where it happened.\n",
    );
    expect((await runCli("explain x/y", { env: { PREVAIL_DEBUG: "1" } })).stderr).toContain("execute.test.ts");
  } finally {
    if (first !== undefined) table[0] = first;
  }
});
