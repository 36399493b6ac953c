import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

describe("scripts", () => {
  test.each(["bash", "zsh", "fish"])("%s asks for words and names itself", async (shell) => {
    const { stdout, code } = await runCli(`completion ${shell}`);
    expect(code).toBe(0);
    expect(stdout).toContain("completion words --after ");
    expect(stdout).toContain(`prevail completion ${shell}`);
    expect(stdout).not.toContain("\\$");
  });

  test("an unknown shell: the error lists the known ones", async () => {
    const { stderr, code } = await runCli("completion bsh");
    expect([code, stderr]).toEqual([64, expect.stringContaining("did you mean 'bash'?")]);
    expect((await runCli("completion")).stderr).toContain("Completion is available for bash, zsh and fish.");
  });
});

/** The words of a line, and the index of the word at the cursor. `|` stands before the words behind the cursor. */
function wordsAndCursor(line: readonly string[]): { readonly words: readonly string[]; readonly cursor: number } {
  const at = line.indexOf("|");
  return { words: line.filter((word) => word !== "|"), cursor: (at === -1 ? line.length : at) - 1 };
}

/** Completes a line in bash with a `prevail` that prints `output`. Returns the words it was called with, and the words that bash offers. */
async function inBash(line: readonly string[], output: string): Promise<{ asked: string[]; offered: string[] }> {
  const { words, cursor } = wordsAndCursor(line);
  const { stdout: script } = await runCli("completion bash");
  const program = `
prevail() { [ "$4" = 0 ] || printf 'asked %s\\n' "--after $4" >&2; shift 5; for word in "$@"; do printf 'asked %s\\n' "$word" >&2; done; printf '%b' "$OUTPUT"; }
compopt() { echo "compopt $*"; }
${script}
complete -p prevail > /dev/null || exit 1
COMP_WORDS=("$@"); COMP_CWORD=${cursor}
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
    [
      "words behind the cursor, and what bash takes apart there",
      ["prevail", "explain", "h", "|", "--filename", "=", "d", "-q"],
      "httproute/\\n:6\\n",
      ["--after 2", "explain", "h", "--filename=d", "-q"],
      ["httproute/", "(-o nospace)"],
    ],
    ["a list behind =", ["prevail", "get", "-f", "=", "a,b"], "-f=a,bc\\n:4\\n", ["get", "-f=a,b"], ["a,bc"]],
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
  const program = `#!/bin/sh\n[ "$4" = 0 ] || echo "--after $4" >> "$ASKED"\nshift 5\nfor word in "$@"; do echo "$word" >> "$ASKED"; done\nprintf '%b' "$OUTPUT"\n`;
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
    ["a list", "prevail get -f a,cl", "a,cluster.yaml\\n:4\\n", ["get", "-f", "a,cl"], ["a,cluster.yaml"]],
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

  // `complete -C` takes a line up to the cursor, so fish's command line is replaced here.
  for (const [name, whole, asked] of [
    ["the cursor in a word", "h", ["--after 2", "explain", "h", "-f", "d"]],
    ["the cursor between words", "", ["--after 2", "explain", "-f", "d"]],
  ] as const) {
    test(`words behind the cursor: ${name}`, async () => {
      const words = ["prevail", "explain", ...(whole === "" ? [] : [whole]), "-f", "d"];
      const line = `function commandline
    switch $argv[1]
        case -opc; printf '%s\\n' prevail explain
        case -op; printf '%s\\n' ${words.join(" ")}
        case -ct -t; echo -n '${whole}'
    end
end`;
      const args = (script: string): readonly string[] => [
        "--no-config",
        "-c",
        `${script}\n${line}\n__prevail_complete`,
      ];
      const found = await inShell("fish", args, { OUTPUT: "httproute/\\n:6\\n" });
      expect(found).toEqual({ asked, offered: ["httproute/"] });
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
    [
      "words behind the cursor",
      ["prevail", "explain", "h", "|", "-f", "~/d"],
      "httproute/\\n:6\\n",
      ["--after 2", "explain", "h", "-f", "/home/ana/d"],
      ["httproute/", "('-S' '')"],
    ],
    ["a program that fails", ["prevail", "x"], "", ["x"], []],
  ] as const) {
    test(name, async () => {
      const { words, cursor } = wordsAndCursor(line);
      const call = `words=("$@"); CURRENT=${cursor + 1}; PREFIX=$words[CURRENT]; _prevail; true`;
      const args = (script: string): readonly string[] => ["-f", "-c", `${stubs}${script}\n${call}`, "zsh", ...words];
      const found = await inShell("zsh", args, { OUTPUT: output });
      expect(found).toEqual({ asked, offered });
    });
  }
});
