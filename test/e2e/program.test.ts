import { execFileSync, type StdioOptions, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findingCodes } from "../../src/core/model/finding-codes.ts";
import { runCli } from "../support/cli/run-cli.ts";
import { manyRoutes } from "../support/cluster/many-routes.ts";
import { vendorCrd, vendorCrds } from "../support/crd/vendor-crds.ts";
import { scratchRepository } from "../support/git/scratch-repository.ts";
import { expectGolden } from "../support/golden.ts";
import { basics, type Transcript, userStories, views, workedExamples } from "./transcripts.ts";

/** The real program, as people install it: packed, unpacked elsewhere, and without any other package beside it. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "prevail-program-"));
const unpacked = join(folder, "package");
const program = join(unpacked, "dist", "bin", "prevail.js");

beforeAll(() => {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  execFileSync("tar", ["-xzf", join(folder, `prevail-${version}.tgz`), "-C", folder]);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tests leave nothing in the user's caches. */
const caches = join(folder, "caches");
const colourless = { NO_COLOR: "", FORCE_COLOR: "", CLICOLOR: "", CLICOLOR_FORCE: "" };
const environment = { ...process.env, ...colourless, HOME: caches, XDG_CACHE_HOME: caches, LOCALAPPDATA: caches };

interface RunOptions {
  readonly input?: string;
  readonly program?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function runProgram(args: readonly string[], options: RunOptions = {}) {
  const result = spawnSync(process.execPath, [options.program ?? program, ...args], {
    cwd: options.cwd ?? unpacked,
    env: { ...environment, ...options.env },
    encoding: "utf8",
    input: options.input ?? "",
    timeout: 60_000,
  });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr };
}

describe("the packed program", () => {
  test("prints what the sources print", async () => {
    const line = ["explain", "httproute/baker", "-f", "examples/bakery"];
    expect(runProgram(line)).toEqual(await runCli(line));
  });

  test("loads nothing of gateways, plans and status to explain a route", () => {
    // Node reports the coverage of every script that it has loaded.
    const coverage = join(folder, "coverage");
    runProgram(["explain", "httproute/baker", "-f", "examples/bakery"], { env: { NODE_V8_COVERAGE: coverage } });
    const loaded = readdirSync(coverage)
      .flatMap((name) => [...readFileSync(join(coverage, name), "utf8").matchAll(/"url":"(file:[^"]+)"/g)])
      .map((match) => fileURLToPath(match[1] ?? ""));
    const modulesOf = JSON.parse(readFileSync(join(root, ".cache", "program-modules.json"), "utf8")) as Readonly<
      Record<string, readonly string[]>
    >;
    const folders = loaded.flatMap((path) => (modulesOf[basename(path)] ?? []).map(dirname));
    expect(folders).toEqual(expect.arrayContaining(["bin", "cli/explain", "core/merge", "serve/process", "sources"]));
    const others =
      /^(?:gateway|xds|controller|cli\/plan|core\/effective\/update|core\/explain\/plan|core\/status)(?:\/|$)/;
    expect(folders.filter((one) => others.test(one))).toEqual([]);
  });

  test("reads standard input", () => {
    const text = readFileSync(join(unpacked, "examples", "bakery", "gateway.yaml"), "utf8");
    expect(runProgram(["get", "targets", "-o", "name", "-f", "-"], { input: text }).stdout).toContain(
      "gateway.gateway.networking.k8s.io/prod",
    );
  });

  test("knows its version", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(runProgram(["version"]).stdout).toBe(`prevail ${version} (Node ${process.version})\n`);
  });

  test.each([
    ["0: success", "check --fail-on never -f examples/bakery", 0],
    ["1: findings", "check -f examples/bakery", 1],
    ["1: errors", "check --fail-on error -f examples/bakery", 1],
    ["1: caveats", "check --fail-on never,caveat -f examples/bakery/bakery.yaml", 1],
    ["2: changes", "plan --exit-code --delete retrypolicy/friday-fix -f examples/bakery", 2],
    ["64: an unknown name", "explain httproute/absent -f examples/bakery", 64],
    ["64: an unknown command", "nothing", 64],
    ["64: an unknown option", "check --nothing", 64],
    ["65: a path that does not exist", "check -f nowhere", 65],
  ])("exits with the code %s", (_, line, code) => {
    const { code: actual, stdout } = runProgram(line.split(" "));
    expect([actual, stdout === ""]).toEqual([code, code === 64]);
  });

  test("check --write-baseline writes a file, and --baseline reads it", () => {
    const baseline = join(folder, "baseline.json");
    const write = runProgram(["check", "--write-baseline", baseline, "-f", "examples/bakery"]);
    expect([write.code, write.stderr]).toEqual([
      0,
      expect.stringMatching(/baseline\.json is written, with \d+ entries/),
    ]);
    const { findings } = JSON.parse(readFileSync(baseline, "utf8")) as { findings: readonly object[] };
    const known = runProgram(["check", "--baseline", baseline, "-f", "examples/bakery"]);
    expect([known.code, known.stdout]).toEqual([0, expect.stringContaining(`${findings.length} findings ignored: `)]);
    const missing = runProgram(["check", "--baseline", join(folder, "none.json"), "-f", "examples/bakery"]);
    expect([missing.code, missing.stdout]).toEqual([65, ""]);
    const elsewhere = join(folder, "no", "such", "folder.json");
    expect(runProgram(["check", "--write-baseline", elsewhere, "-f", "examples/bakery"]).code).toBe(74);
  });

  test("check --list has every code", () => {
    const { code, stdout } = runProgram(["check", "--list"]);
    expect([code, stdout.split("\n").length]).toEqual([0, Object.keys(findingCodes).length + 2]);
  });

  test("check -o github names files relative to the root of the repository", () => {
    const bakery = join(folder, "checkout", "deploy");
    mkdirSync(join(folder, "checkout", ".git"), { recursive: true });
    cpSync(join(unpacked, "examples", "bakery"), bakery, { recursive: true });
    const lines = (cwd: string, path: string): readonly string[] =>
      runProgram(["check", "-o", "github", "-f", path], { cwd })
        .stdout.split("\n")
        .map((line) => / file=([^,]*)/.exec(line)?.[1] ?? "");
    const [first] = lines(bakery, ".");
    expect(first).toBe("deploy/shop.yaml");
    expect(lines(join(folder, "checkout"), "./deploy")[0]).toBe(first);
    expect(lines(folder, bakery)[0]).toBe(first);
  });

  test.each([
    ["a pipe", "", {}, false],
    ["--color always", "--color always", { NO_COLOR: "1" }, true],
    ["FORCE_COLOR", "", { FORCE_COLOR: "1" }, true],
    ["CLICOLOR_FORCE", "", { CLICOLOR_FORCE: "1" }, true],
    ["NO_COLOR and FORCE_COLOR", "", { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
    ["--color never", "--color never", { FORCE_COLOR: "1" }, false],
  ])("colours: %s", (_, option, env, isColoured) => {
    const words = `explain httproute/baker -f examples/bakery ${option}`.trim().split(" ");
    expect(runProgram(words, { env }).stdout.includes("\u001b[")).toBe(isColoured);
  });

  test("proposes a command that works where it is", () => {
    const { stderr } = runProgram(["explain"]);
    const words = /^For example: prevail (.*)$/m.exec(stderr)?.[1]?.split(" ") ?? [];
    expect(runProgram(words).code).toBe(0);
  });

  test("is a plugin of kubectl too", () => {
    const plugin = join(unpacked, "dist", "bin", "kubectl-prevail.js");
    expect(runProgram(["help"], { program: plugin }).stdout).toContain("kubectl prevail COMMAND");
  });

  test("prints completions for kubectl", () => {
    const completer = join(unpacked, "dist", "bin", "kubectl-complete-prevail.js");
    const words = ["explain", "-f", "examples/bakery", "httproute/b"];
    expect(runProgram(words, { program: completer }).stdout).toBe("httproute/baker\tin bakery\n:4\n");
  });

  test.each([
    ["explain", "-f", "examples/bakery", "httproute/b"],
    ["-f", "examples/bakery", "explain", "httproute/b"],
    ["explain", "--filename", "=", "examples/bakery", "httproute/b"],
    ["explain", "-f", "=", "examples/bakery", "httproute/b"],
    ["explain", "-f", "examples/bakery/gateway.yaml,examples/bakery/bakery.yaml", "httproute/b"],
    ["explain", "httproute/b", "|", "-f", "examples/bakery"],
  ])("completes names in bash, wherever -f stands: %s %s %s %s", (...line) => {
    // Bash hands words to the script as it takes a line apart: `--filename=x` is three.
    const script = `prevail() { '${process.execPath}' '${program}' "$@"; }
source <(prevail completion bash)
COMP_WORDS=(prevail "$@"); COMP_CWORD=${line.includes("|") ? line.indexOf("|") : line.length}
_prevail
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const words = line.filter((word) => word !== "|");
    const result = spawnSync("bash", ["--norc", "-c", script, "bash", ...words], {
      cwd: unpacked,
      env: environment,
      encoding: "utf8",
    });
    expect(result.stdout).toBe("httproute/baker\n");
  });

  test("stops quietly when its reader has seen enough", async () => {
    const child = spawn(process.execPath, [program, "get", "effective", "-o", "json", "-f", "examples/bakery"], {
      cwd: unpacked,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, stderr]).toEqual([0, ""]);
  });

  test.skipIf(!existsSync("/dev/full"))("prints one line if its output cannot be written", () => {
    const full = openSync("/dev/full", "w");
    const run = (stdio: StdioOptions) =>
      spawnSync(process.execPath, [program, "version"], { env: environment, stdio, encoding: "utf8" });
    const { status, stderr } = run(["ignore", full, "pipe"]);
    expect([status, stderr]).toEqual([
      74,
      "error: standard output cannot be written: ENOSPC: no space left on device, write\n",
    ]);
    expect(run(["ignore", full, full]).status).toBe(74);
    closeSync(full);
  });

  test("no part of it loads another program, which would run it", () => {
    const bin = join(unpacked, "dist", "bin");
    const files = readdirSync(bin).filter((name) => name.endsWith(".js"));
    const programs = files.filter((name) => !/-.{8}\.js$/.test(name));
    expect(programs.length).toBeGreaterThan(3);
    const loaded = files.flatMap((name) => [
      ...readFileSync(join(bin, name), "utf8").matchAll(/require\(["']\.\/([^"']+)["']\)/g),
    ]);
    expect(loaded.length).toBeGreaterThan(programs.length);
    expect(loaded.map(([, file]) => file).filter((file) => programs.includes(file ?? ""))).toEqual([]);
  });

  test("draws 200 routes at the width of a page, on one screen", () => {
    writeFileSync(join(folder, "routes.yaml"), manyRoutes(200));
    const { stdout, code } = runProgram(["graph", "-o", "svg", "-f", join(folder, "routes.yaml")]);
    expect(code).toBe(0);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(stdout) ?? [];
    expect([Number(width), Number(height) < 800]).toEqual([1000, true]);
    expect(stdout).toContain(">100 HTTPRoutes</text>");
    expect(stdout).toMatch(/Folded: 100 HTTPRoutes and 400 Services into 3 nodes/);
  });

  test("cuts nothing in a pipe", () => {
    for (const resource of ["policies", "targets", "effective", "definitions"]) {
      const { stdout } = runProgram(["get", resource, "-f", "examples/bakery"]);
      expect(stdout).not.toMatch(/…| \+\d/);
    }
  });

  describe.skipIf(!existsSync("/usr/bin/script"))("on a terminal", () => {
    const onTerminal = (
      line: string,
      columns: number,
      env: Readonly<Record<string, string>> = { NO_COLOR: "1" },
    ): string => {
      const quoted = `stty cols ${columns} && '${process.execPath}' '${program}' ${line}`;
      const { stdout } = spawnSync("/usr/bin/script", ["-qec", quoted, "/dev/null"], {
        cwd: unpacked,
        env: { ...environment, COLUMNS: "", ...env },
        encoding: "utf8",
        timeout: 60_000,
      });
      return stdout.replaceAll("\r", "");
    };

    test("of 80 columns tables keep KIND, NAME and TARGETS", () => {
      expect(onTerminal("get policies -f examples/bakery", 80)).toMatch(/^KIND +NAME +TARGETS +VERDICT\n/);
      expect(onTerminal("get httproutes -f examples/bakery", 80)).toMatch(/^NAME +PARENTS +ATTACHED +AFFECTED BY\n/);
      expect(onTerminal("get effective -f examples/bakery", 80)).toMatch(
        /^AuthPolicy on HTTPRoute\/bakery\/baker#order\n/,
      );
      expect(onTerminal("get policies -o wide -f examples/bakery", 80)).toMatch(/^NAMESPACE +KIND .* MESSAGE\n/);
    });

    test.each([40, 60, 80])("of %d columns the first line of a finding is whole", (columns) => {
      const piped = runProgram(["check", "-f", "examples/bakery"]).stdout;
      const firstLines = (text: string): readonly string[] =>
        text.split("\n").filter((line) => /^\S+:\d+:\d+: (?:error|warning) [A-Z]/.test(line));
      expect(firstLines(piped).length).toBeGreaterThan(3);
      expect(firstLines(onTerminal("check -f examples/bakery", columns))).toEqual(firstLines(piped));
    });

    test.each([
      ["colours", {}, true],
      ["no colours with CLICOLOR=0", { CLICOLOR: "0" }, false],
      ["no colours with NO_COLOR", { NO_COLOR: "1" }, false],
      ["colours with CLICOLOR=0 and FORCE_COLOR", { CLICOLOR: "0", FORCE_COLOR: "1" }, true],
    ])("%s", (_, env, isColoured) => {
      const text = onTerminal("explain httproute/baker -f examples/bakery", 80, { TERM: "xterm", ...env });
      expect(text.includes("\u001b[")).toBe(isColoured);
    });
  });

  test("check: an annotation of the object ignores codes", () => {
    const text = readFileSync(join(unpacked, "examples", "bakery", "team-policies.yaml"), "utf8");
    const annotated = text.replace(
      "name: no-double-orders\n",
      "name: no-double-orders\n  annotations: {prevail.dev/ignore: TargetNotFound}\n",
    );
    const others = ["gateway", "bakery", "shop", "policy-kinds"].map((name) => `examples/bakery/${name}.yaml`);
    const line = ["check", "--severity", "error", "-f", others.join(), "-f", "-"];
    expect(annotated).not.toBe(text);
    expect(runProgram(line, { input: text }).stdout).toContain(
      "error TargetNotFound RetryPolicy bakery/no-double-orders",
    );
    const { stdout } = runProgram(line, { input: annotated });
    expect(stdout).not.toContain("error TargetNotFound RetryPolicy bakery/no-double-orders");
    expect(stdout).toContain("1 TargetNotFound by annotation");
  });

  test("brings the licences of what is bundled", () => {
    const licences = readFileSync(join(unpacked, "dist", "bin", "THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["js-yaml", "@bufbuild/protobuf", "re2js"]) expect(licences).toContain(`\n${name} `);
  });
});

test("define writes a PolicyDefinition that the program reads", () => {
  const cwd = join(folder, "define");
  mkdirSync(cwd);
  const limit = vendorCrds.filter(({ kind }) => kind === "LimitPolicy").map((crd) => JSON.stringify(vendorCrd(crd)));
  writeFileSync(join(cwd, "crd.json"), limit.join(""));
  const { code, stdout } = runProgram(["define", "crd.json"], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining("# guess: ")]);
  writeFileSync(join(cwd, "definition.yaml"), stdout);
  const read = runProgram(["get", "definitions", "LimitPolicy", "--no-headers", "-f", "."], { cwd });
  expect(read.stdout).toMatch(/^LimitPolicy .* Inherited .* \.\/definition\.yaml:\d+\n$/);
});

test("get definitions -o yaml can be read back, and means the same", () => {
  const cwd = join(folder, "definitions");
  mkdirSync(cwd);
  const bakery = join(unpacked, "examples", "bakery");
  for (const format of ["yaml", "json"]) {
    const read = (file: string) => runProgram(["get", "definitions", "-o", format, "-f", file], { cwd });
    const file = `definitions.${format}`;
    const first = read(bakery);
    writeFileSync(join(cwd, file), first.stdout);
    const withoutOrigin = (text: string): string => text.replaceAll(/"?prevail\.dev\/origin"?: .*/g, "");
    const again = read(file);
    expect([again.code, withoutOrigin(again.stdout)]).toEqual([0, withoutOrigin(first.stdout)]);
    const effective = (...paths: readonly string[]) =>
      runProgram(["get", "effective", "-o", "json", ...paths.flatMap((path) => ["-f", path])], { cwd }).stdout;
    const others = readdirSync(bakery)
      .filter((name) => name.endsWith(".yaml") && name !== "policy-kinds.yaml")
      .map((name) => join(bakery, name));
    expect(effective(file, ...others)).toBe(effective(bakery));
  }
});

describe("in a git repository", () => {
  const policies = (attempts: number): string =>
    readFileSync(join(root, "examples/bakery/platform-policies.yaml"), "utf8").replace(
      "attempts: 5",
      `attempts: ${attempts}`,
    );
  const others = Object.fromEntries(
    ["gateway.yaml", "bakery.yaml"].map((name) => [
      `deploy/${name}`,
      readFileSync(join(root, "examples/bakery", name), "utf8"),
    ]),
  );
  const repository = scratchRepository([{ ...others, "deploy/policies.yaml": policies(2) }]);
  repository.write({ "deploy/policies.yaml": policies(3) });

  test("plan --git compares the working tree with a commit, from any directory of it", () => {
    const from = (cwd: string, ...paths: readonly string[]) =>
      runProgram(["plan", "--git", "main", "--exit-code", ...paths.flatMap((path) => ["-f", path])], { cwd });
    const whole = from(repository.root, "deploy");
    expect(whole).toMatchObject({ code: 2, stderr: "" });
    expect(whole.stdout).toContain("- 2 from RetryPolicy infra/friday-fix, overrides (main:deploy/policies.yaml:36)");
    expect(whole.stdout).toContain("+ 3 from RetryPolicy infra/friday-fix, overrides (deploy/policies.yaml:36)");
    const inside = from(join(repository.root, "deploy"), ".");
    expect(inside.stdout.replaceAll("(./", "(deploy/").replaceAll(/\s+/g, " ")).toBe(
      whole.stdout.replaceAll(/\s+/g, " "),
    );
    expect(from(repository.root, "..")).toMatchObject({ code: 64, stdout: "" });
  });

  test("plan -o markdown is a comment", () => {
    const { stdout } = runProgram(["plan", "--git", "HEAD", "-o", "markdown", "-f", "deploy"], {
      cwd: repository.root,
    });
    expect(stdout).toMatch(/^### Prevail: what this changes since `HEAD`\n/);
    expect(stdout).toContain("\n-   2 from RetryPolicy infra/friday-fix");
    expect(stdout).toMatch(/\nTo see everything: `prevail plan --git HEAD -f deploy -o wide`\n$/);
  });

  test("test runs the tests beside the manifests", () => {
    const tests = readFileSync(join(root, "examples/bakery/tests/requests.yaml"), "utf8");
    repository.write({
      "deploy/tests/requests.yaml": tests,
      "deploy/shop.yaml": readFileSync(join(root, "examples/bakery/shop.yaml"), "utf8"),
    });
    const passed = runProgram(["test", "-o", "junit", "-f", "examples/bakery"]);
    expect(passed).toMatchObject({ code: 0, stderr: "" });
    expect(passed.stdout).toContain('<testsuites name="prevail test" tests="5" failures="0" errors="0">');
    const { code, stdout } = runProgram(["test", "-f", "deploy"], { cwd: repository.root });
    expect(stdout).toMatch(/FAIL {2}the five retries are from friday-fix {2}deploy\/tests\/requests\.yaml:\d+:\d+\n/);
    expect(stdout).toContain("from RetryPolicy infra/friday-fix, overrides (deploy/policies.yaml:36)");
    expect(code).toBe(1);
    repository.write({ "deploy/tests/requests.yaml": tests.replace("listener:", "listner:") });
    const mistaken = runProgram(["test", "-f", "deploy"], { cwd: repository.root });
    expect(mistaken.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /error: deploy\/tests\/requests\.yaml:12:16: .* did you mean 'listener'\?/,
    );
    expect(mistaken.code).toBe(65);
  });

  test("without a git program", () => {
    const result = runProgram(["plan", "--git", "main", "-f", "deploy"], {
      cwd: repository.root,
      env: { PATH: "/nowhere" },
    });
    expect(result).toEqual({
      code: 64,
      stdout: "",
      stderr: "error: --git needs the git program, and there is none in PATH\n",
    });
  });
});

describe("compiled code", () => {
  const line = ["explain", "httproute/baker", "-f", "examples/bakery"];
  /** Node 22.1 and newer keep compiled code by themselves. */
  const canKeep = "enableCompileCache" in module;

  test("is kept by Node where it can, and nothing is kept elsewhere", () => {
    const kept = join(folder, "kept");
    mkdirSync(kept);
    const first = runProgram(line, { env: { TMPDIR: kept } });
    expect(runProgram(line, { env: { TMPDIR: kept } })).toEqual(first);
    expect(readdirSync(kept).length > 0).toBe(canKeep);
    expect(existsSync(caches)).toBe(false);
  });

  test("is not kept with NODE_DISABLE_COMPILE_CACHE", () => {
    const unwanted = join(folder, "unwanted");
    mkdirSync(unwanted);
    runProgram(line, { env: { TMPDIR: unwanted, NODE_DISABLE_COMPILE_CACHE: "1" } });
    expect(readdirSync(unwanted)).toEqual([]);
  });
});

describe("odd input", () => {
  /** The bakery in one file, at the same path for each format, so that outputs can be compared. */
  function inFolder(name: string, encode: (text: string) => Uint8Array): string {
    const cwd = join(folder, name);
    const bakery = join(root, "examples", "bakery");
    const files = readdirSync(bakery).filter((file) => file.endsWith(".yaml"));
    const text = files.map((file) => readFileSync(join(bakery, file), "utf8")).join("\n---\n");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "all.yaml"), encode(text));
    return cwd;
  }
  const utf8 = (text: string): Uint8Array => Buffer.from(text);
  const line = ["explain", "httproute/baker", "-f", "all.yaml"];

  test("Windows line endings and a byte order mark change nothing", () => {
    const plain = runProgram(line, { cwd: inFolder("plain", utf8) });
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    const windows = inFolder("windows", (text) => utf8(`\ufeff${text.replaceAll("\n", "\r\n")}`));
    expect(runProgram(line, { cwd: windows })).toEqual(plain);
  });

  test("other encodings are refused with what to do", () => {
    const wide = inFolder("utf16", (text) => Buffer.from(`\ufeff${text}`, "utf16le"));
    const narrow = inFolder("latin1", (text) => Buffer.from(`# b\u00e4cker\n${text}`, "latin1"));
    expect([runProgram(line, { cwd: wide }), runProgram(line, { cwd: narrow })]).toEqual([
      { code: 65, stdout: "", stderr: "error: all.yaml:1:1: this file is UTF-16, not UTF-8: save it as UTF-8\n" },
      { code: 65, stdout: "", stderr: "error: all.yaml:1:4: the byte 0xe4 is not UTF-8: save this file as UTF-8\n" },
    ]);
  });

  test("nothing at all: an empty file, an empty directory, an empty pipe", () => {
    const cwd = inFolder("nothing", () => utf8(""));
    mkdirSync(join(cwd, "empty"));
    for (const [path, hint] of [
      ["all.yaml", ""],
      ["empty", "no .yaml, .yml or .json file in this directory or below it\n"],
      ["-", ""],
    ] as const) {
      expect(runProgram(["explain", "httproute/baker", "-f", path], { cwd })).toEqual({
        code: 65,
        stdout: "",
        stderr: `error: there are no objects in ${path === "-" ? "standard input" : path}\n${hint}`,
      });
    }
  });

  test("Ctrl-C ends it at once, without a word", async () => {
    // Standard input stays open: it waits for what never comes.
    const child = spawn(process.execPath, [program, ...line.slice(0, 2), "-f", "-"], {
      env: environment,
      stdio: "pipe",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    setTimeout(() => child.kill("SIGINT"), 500);
    const outcome = await new Promise((resolve) => child.on("close", (code, signal) => resolve([code, signal])));
    expect([outcome, output]).toEqual([[null, "SIGINT"], ""]);
  });
});

function defineTranscriptTests(title: string, folder: string, transcripts: readonly Transcript[]): void {
  const cwd = fileURLToPath(new URL(`testdata/${folder}`, import.meta.url));
  describe(title, () => {
    for (const { name, lines } of transcripts) {
      test(name, { timeout: 120_000 }, () => {
        const parts = lines.map((line) => {
          const { code, stdout, stderr } = runProgram(line.split(" "), { cwd });
          return `$ prevail ${line}\n${stdout}${stderr === "" ? "" : `[stderr]\n${stderr}`}[exit ${code}]\n`;
        });
        expectGolden(join(cwd, `${name}.txt`), parts.join("\n").replaceAll(process.version, "(its version)"));
      });
    }
  });
}

defineTranscriptTests("what every program can say", "basics", basics);
defineTranscriptTests("views of the bakery", "views", views);
defineTranscriptTests("RFC 0009, user stories", "user-stories", userStories);
defineTranscriptTests("the specifications' worked examples", "worked-examples", workedExamples);
