import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

/** The words that could come next, without their help, and the number at the end. */
async function complete(...words: readonly string[]): Promise<{ words: readonly string[]; directive: string }> {
  const { stdout, stderr, code } = await runCli(["completion", "words", "--", ...words]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const lines = stdout.trimEnd().split("\n");
  return { words: lines.slice(0, -1).map((line) => line.split("\t")[0] ?? ""), directive: lines.at(-1) ?? "" };
}

const BAKERY = ["-f", "examples/bakery"];

describe("words", () => {
  for (const [name, line, words, directive] of [
    ["commands", ["re"], ["reach", "retries"], ":4"],
    ["commands after help", ["help", "ex"], ["explain"], ":4"],
    [
      "kinds that may be targets, to be continued",
      ["explain", ...BAKERY, "g"],
      ["gateway/", "gatewayclass/", "grpcroute/"],
      ":6",
    ],
    ["short names, where no kind begins like that", ["explain", ...BAKERY, "gt"], ["gtw/"], ":6"],
    [
      "kinds of policies, where a policy is wanted",
      ["reach", ...BAKERY, "r"],
      ["ratelimitpolicy/", "retrypolicy/"],
      ":6",
    ],
    [
      "names",
      ["explain", ...BAKERY, "httproute/"],
      ["httproute/baker", "httproute/counter", "httproute/party", "httproute/stocktaking"],
      ":4",
    ],
    [
      "names in one namespace",
      ["explain", "-n", "bakery", ...BAKERY, "svc/"],
      ["svc/baker", "svc/baker-next", "svc/oven"],
      ":4",
    ],
    ["names with their namespace", ["explain", ...BAKERY, "svc/shop/"], ["svc/shop/till"], ":4"],
    ["names after a kind", ["explain", ...BAKERY, "httproute", "b"], ["baker"], ":4"],
    [
      "sections",
      ["explain", ...BAKERY, "httproute/baker#"],
      ["httproute/baker#order", "httproute/baker#rule-2", "httproute/baker#menu"],
      ":4",
    ],
    ["namespaces", ["explain", ...BAKERY, "-n", ""], ["bakery", "infra", "shop"], ":4"],
    [
      "settings, to be continued",
      ["how", "httproute/baker", ...BAKERY, "retry.a"],
      ["retry.afterSend=", "retry.attempts="],
      ":6",
    ],
    ["settings after KIND NAME", ["how", "httproute", "baker", ...BAKERY, "timeouts.r"], ["timeouts.request="], ":6"],
    [
      "settings of one policy kind",
      ["how", "httproute/baker", "--policy", "authpolicy", ...BAKERY, "r"],
      [
        "rules.authentication.anyone=",
        "rules.authentication.api-key=",
        "rules.authentication.staff=",
        "rules.response.audit-id=",
      ],
      ":6",
    ],
    ["policy kinds", ["how", "httproute/baker", ...BAKERY, "--policy", "re"], ["retrypolicy"], ":4"],
    [
      "rules of the policy on the line",
      ["reach", "ratelimitpolicy/fair-share", ...BAKERY, "--rule", ""],
      ["per-client", "ceiling"],
      ":4",
    ],
    ["what can be deleted", ["plan", ...BAKERY, "--delete", "retrypolicy/f"], ["retrypolicy/friday-fix"], ":4"],
    ["a value behind =", ["plan", ...BAKERY, "--delete=retrypolicy/f"], ["--delete=retrypolicy/friday-fix"], ":4"],
    ["choices of an option", ["explain", "-o", ""], ["wide", "yaml", "json", "name"], ":4"],
    ["choices behind =", ["explain", "--output=j"], ["--output=json"], ":4"],
    ["options", ["plan", "--a"], ["--apply", "--against", "--as", "--as-group", "--as-uid"], ":4"],
    ["options that are given are not given again", ["explain", "--redact", "--red"], [], ":4"],
    ["names of files", ["plan", "-f", ""], [], ":0"],
    ["names of files for --apply", ["plan", "--apply", "x"], [], ":0"],
    ["subcommands", ["get", "p"], ["policies"], ":4"],
    ["what follows a subcommand", ["get", "targets", ...BAKERY, "li"], ["listenerset/"], ":6"],
    ["gateways by name", ["trace", ...BAKERY, "--gateway", ""], ["prod"], ":4"],
    ["methods", ["trace", "P"], ["POST", "PUT", "PATCH"], ":4"],
    ["shells", ["completion", ""], ["bash", "zsh", "fish", "words"], ":4"],
    ["nothing after an unknown command", ["nosuch", ""], [], ":4"],
    ["nothing from files that are not there", ["explain", "-f", "nowhere", "httproute/"], [], ":4"],
  ] as const) {
    test(name, async () => {
      expect(await complete(...line)).toEqual({ words, directive });
    });
  }

  test("without files, kinds that are always there", async () => {
    const { words } = await complete("explain", "http");
    expect(words).toEqual(["httproute/"]);
  });

  test("a name that two namespaces have comes with its namespace", async () => {
    const route = (namespace: string): string =>
      `apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r, namespace: ${namespace}}\nspec: {}\n`;
    const files = { "a.yaml": `${route("x")}---\n${route("z")}` };
    const { stdout } = await runCli("completion words -- explain -f a.yaml httproute/", { files });
    expect(stdout).toBe("httproute/x/r\tin x\nhttproute/z/r\tin z\n:4\n");
  });

  test("broken files are no reason to talk", async () => {
    const files = { "a.yaml": "a: [" };
    const { stdout, stderr, code } = await runCli("completion words -- explain -f a.yaml httproute/", { files });
    expect({ stdout, stderr, code }).toEqual({ stdout: ":4\n", stderr: "", code: 0 });
  });
});

describe("scripts", () => {
  test.each(["bash", "zsh", "fish"])("%s asks for words and names itself", async (shell) => {
    const { stdout, code } = await runCli(`completion ${shell}`);
    expect(code).toBe(0);
    expect(stdout).toContain("completion words -- ");
    expect(stdout).toContain(`prevail completion ${shell}`);
    expect(stdout).not.toContain("\\$");
  });

  test("an unknown shell: the error lists the known ones", async () => {
    const { stderr, code } = await runCli("completion bsh");
    expect([code, stderr]).toEqual([64, expect.stringContaining("did you mean 'bash'?")]);
    expect((await runCli("completion")).stderr).toContain("Completion is available for bash, zsh and fish.");
  });
});

/** Completes a line in bash with a `prevail` that prints `output`. Returns the words it was called with, and the words that bash offers. */
async function inBash(words: readonly string[], output: string): Promise<{ asked: string[]; offered: string[] }> {
  const { stdout: script } = await runCli("completion bash");
  const program = `
prevail() { shift 3; for word in "$@"; do printf 'asked %s\\n' "$word" >&2; done; printf '%b' "$OUTPUT"; }
compopt() { echo "compopt $*"; }
${script}
complete -p prevail > /dev/null || exit 1
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
_prevail 2> >(cat >&2)
for reply in "\${COMPREPLY[@]}"; do printf 'offered %s\\n' "$reply"; done
`;
  // The script hides the standard error of prevail; this test reads it.
  const shown = program.replace("2>/dev/null)", ")");
  const result = spawnSync("bash", ["--norc", "-c", shown, "bash", ...words], {
    encoding: "utf8",
    env: { ...process.env, OUTPUT: output, HOME: "/home/ana" },
  });
  expect(result.status).toBe(0);
  const linesOf = (text: string, prefix: string): string[] =>
    text.split("\n").flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : []));
  return {
    asked: linesOf(result.stderr, "asked "),
    offered: [...linesOf(result.stdout, "offered "), ...linesOf(result.stdout, "compopt ").map((how) => `(${how})`)],
  };
}

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;
/** In CI a missing shell is a failure. */
const isLeftOut = (shell: string): boolean => !has(shell) && process.env["CI"] !== "true";
const titleOf = (shell: string): string =>
  has(shell) ? `in ${shell}` : `in ${shell}, which is not installed here: node scripts/provision-programs.mjs ${shell}`;

describe.skipIf(isLeftOut("bash"))(titleOf("bash"), () => {
  for (const [name, line, output, asked, offered] of [
    ["a word", ["prevail", "ex"], "explain\\twhy\\n:4\\n", ["ex"], ["explain"]],
    [
      "several",
      ["prevail", "explain", "-f", "d", ""],
      "a/\\tA\\nb/\\tB\\n:6\\n",
      ["explain", "-f", "d", ""],
      ["a/", "b/", "(-o nospace)"],
    ],
    ["files", ["prevail", "explain", "-f", ""], ":0\\n", ["explain", "-f", ""], ["(-o default)"]],
    [
      "a value behind =, which bash takes apart",
      ["prevail", "explain", "--output", "=", "j"],
      "--output=json\\n:4\\n",
      ["explain", "--output=j"],
      ["json"],
    ],
    [
      "nothing behind = yet",
      ["prevail", "explain", "--output", "="],
      "--output=json\\n:4\\n",
      ["explain", "--output="],
      ["json"],
    ],
    [
      "a colon, which bash takes apart, too",
      ["prevail", "trace", "GET", "http", ":", "//x"],
      ":4\\n",
      ["trace", "GET", "http://x"],
      [],
    ],
    [
      "a home directory and quotes",
      ["prevail", "explain", "-f", "~/d", "-f", '"my dir"', "x"],
      ":4\\n",
      ["explain", "-f", "/home/ana/d", "-f", "my dir", "x"],
      [],
    ],
    [
      "sections",
      ["prevail", "explain", "httproute/a#"],
      "httproute/a#x\\nhttproute/a#y\\n:4\\n",
      ["explain", "httproute/a#"],
      ["httproute/a#x", "httproute/a#y"],
    ],
    ["the program alone", ["prevail"], "explain\\n:4\\n", [""], ["explain"]],
    ["a program that fails", ["prevail", "x"], "", ["x"], []],
  ] as const) {
    test(name, async () => {
      expect(await inBash(line, output)).toEqual({ asked, offered });
    });
  }
});

/** A `prevail` that records its arguments and prints `$OUTPUT`, for shells that start it as a program. */
function folderWithProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), "prevail-completion-"));
  const program = `#!/bin/sh\nshift 3\nfor word in "$@"; do echo "$word" >> "$ASKED"; done\nprintf '%b' "$OUTPUT"\n`;
  writeFileSync(join(folder, "prevail"), program, { mode: 0o755 });
  writeFileSync(join(folder, "cluster.yaml"), "");
  return folder;
}

interface Completed {
  readonly asked: readonly string[];
  readonly offered: readonly string[];
}

async function inShell(
  shell: string,
  args: (script: string) => readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Completed> {
  const { stdout: script } = await runCli(`completion ${shell}`);
  const folder = folderWithProgram();
  try {
    const asked = join(folder, "asked");
    const { stdout, stderr, status } = spawnSync(shell, args(script), {
      cwd: folder,
      encoding: "utf8",
      timeout: 30_000,
      env: { ...process.env, HOME: "/home/ana", PATH: `${folder}:${process.env["PATH"] ?? ""}`, ASKED: asked, ...env },
    });
    expect([status, stderr]).toEqual([0, ""]);
    const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");
    return { asked: existsSync(asked) ? linesOf(readFileSync(asked, "utf8")) : [], offered: linesOf(stdout) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(isLeftOut("fish"))(titleOf("fish"), () => {
  for (const [name, line, output, asked, offered] of [
    ["a word", "prevail ex", "explain\\twhy\\n:4\\n", ["ex"], ["explain\twhy"]],
    ["names", "prevail explain -f d b", "b/a\\nb/b\\n:4\\n", ["explain", "-f", "d", "b"], ["b/a", "b/b"]],
    ["files", "prevail explain -f cl", ":0\\n", ["explain", "-f", "cl"], ["cluster.yaml"]],
    [
      "files behind =",
      "prevail explain --filename=cl",
      ":0\\n",
      ["explain", "--filename=cl"],
      ["--filename=cluster.yaml"],
    ],
    ["a value behind =", "prevail get -o=j", "-o=json\\n:4\\n", ["get", "-o=j"], ["-o=json"]],
    [
      "a home directory and quotes",
      "prevail get -f ~/d -f 'my dir' x",
      ":4\\n",
      ["get", "-f", "/home/ana/d", "-f", "my dir", "x"],
      [],
    ],
    ["a program that fails", "prevail x", "", ["x"], []],
  ] as const) {
    test(name, async () => {
      const command = (script: string): string => `${script}\ncomplete -C (string collect -- $LINE)`;
      const found = await inShell("fish", (script) => ["--no-config", "-c", command(script)], {
        OUTPUT: output,
        LINE: line,
      });
      const bare = found.offered.map((word) => word.replace(/\t(?!why).*$/, ""));
      expect({ asked: found.asked, offered: bare }).toEqual({ asked, offered });
    });
  }
});

describe.skipIf(isLeftOut("zsh"))(titleOf("zsh"), () => {
  // What zsh does with the words is its own affair: here is what our function hands it.
  const stubs = `compdef() { :; }
compset() { print -r -- "(compset $*)"; }
_files() { print -r -- "(files)"; }
compadd() { local -a how=("\${(@)@:#(-l|-d|-a|shown|found)}"); print -rl -- $found; (( $#how )) && print -r -- "(\${(j: :)\${(@qq)how}})"; return 0; }
`;
  for (const [name, line, output, asked, offered] of [
    ["a word", ["prevail", "ex"], "explain\\twhy\\n:4\\n", ["ex"], ["explain"]],
    ["no space behind", ["prevail", "explain", ""], "a/\\tA\\nb/\\n:6\\n", ["explain"], ["a/", "b/", "('-S' '')"]],
    ["files", ["prevail", "explain", "-f", "cl"], ":0\\n", ["explain", "-f", "cl"], ["(files)"]],
    [
      "files behind =",
      ["prevail", "explain", "--filename=cl"],
      ":0\\n",
      ["explain", "--filename=cl"],
      ["(compset -P *=)", "(files)"],
    ],
    [
      "a home directory and quotes",
      ["prevail", "get", "-f", "~/d", "-f", "'my dir'", "x"],
      ":4\\n",
      ["get", "-f", "/home/ana/d", "-f", "my dir", "x"],
      [],
    ],
    ["a program that fails", ["prevail", "x"], "", ["x"], []],
  ] as const) {
    test(name, async () => {
      const call = 'words=("$@"); CURRENT=$#; PREFIX=$words[CURRENT]; _prevail; true';
      const args = (script: string): readonly string[] => ["-f", "-c", `${stubs}${script}\n${call}`, "zsh", ...line];
      const found = await inShell("zsh", args, { OUTPUT: output });
      expect(found).toEqual({ asked, offered });
    });
  }
});
