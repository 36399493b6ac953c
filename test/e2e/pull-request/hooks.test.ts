/** The pre-commit hooks, the git hook and the commands of docs/ci.md, in repositories of their own. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parseDocuments } from "../../../src/adapters/files/parse-documents.ts";
import { type ScratchRepository, scratchFolder, scratchRepository } from "../../support/git/scratch-repository.ts";
import { bakery, blockOf, fewer, fillCheckout, type Ran, read, run, tests, yamlBlock } from "./checkout.ts";

const home = scratchFolder();
beforeAll(() => {
  fillCheckout(home);
}, 120_000);

/** A folder with a program `prevail`, for PATH. */
function programFolder(): string {
  const folder = join(home, "bin");
  mkdirSync(folder, { recursive: true });
  const shim = join(folder, "prevail");
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${join(home, "dist/bin/prevail.js")}" "$@"\n`);
  chmodSync(shim, 0o755);
  return folder;
}
const path = (): string => `${programFolder()}:${process.env["PATH"] ?? ""}`;

describe("pre-commit", () => {
  const hooks = parseDocuments(read(".pre-commit-hooks.yaml").replace(/^/gm, "  ").replace(/^/, "hooks:\n"), "hooks")
    .documents[0]?.value as {
    readonly hooks: readonly {
      readonly id: string;
      readonly entry: string;
      readonly language: string;
      readonly pass_filenames: boolean;
      readonly files: string;
    }[];
  };
  const configured = (
    yamlBlock("# .pre-commit-config.yaml") as {
      readonly repos: readonly {
        readonly hooks: readonly { readonly id: string; readonly args: readonly string[] }[];
      }[];
    }
  ).repos.flatMap((repo) => repo.hooks);

  /** For a hook in the language `script`, pre-commit runs a file of its clone with the words of the entry and the arguments. */
  const runHook = (id: string, { root: cwd }: ScratchRepository): Promise<Ran> => {
    const { entry = "", language } = hooks.hooks.find((hook) => hook.id === id) ?? {};
    expect(language).toBe("script");
    const [script = "", ...words] = entry.split(" ");
    const args = configured.find((hook) => hook.id === id)?.args ?? [];
    return run([join(home, script), ...words, ...args], cwd, {});
  };

  test("docs/ci.md configures each hook, and each runs for manifests only", () => {
    expect(configured.map(({ id }) => id)).toEqual(hooks.hooks.map(({ id }) => id));
    for (const { files, pass_filenames } of hooks.hooks) {
      expect(pass_filenames).toBe(false);
      expect(["a.yaml", "b/c.yml", "d.json", "e.md"].map((name) => new RegExp(files).test(name))).toEqual([
        true,
        true,
        true,
        false,
      ]);
    }
  });

  test("the hooks do what they say", async () => {
    const repository = scratchRepository([{ ...bakery, ...tests }]);
    repository.write(fewer);
    expect(await runHook("prevail-check", repository)).toMatchObject({
      code: 1,
      output: expect.stringContaining("error TargetNotFound"),
    });
    expect(await runHook("prevail-test", repository)).toMatchObject({
      code: 1,
      output: expect.stringContaining("1 failed"),
    });
    expect(await runHook("prevail-plan", repository)).toMatchObject({
      code: 0,
      output: expect.stringContaining("+ 4 from RetryPolicy infra/friday-fix"),
    });
  });

  test("the git hook refuses what is staged, whatever lies beside it", async () => {
    const good = Object.fromEntries(
      Object.entries(bakery).map(([name, text]) => [
        name,
        text.replace("name: bakr", "name: baker").replace("sectionName: admin", "sectionName: https"),
      ]),
    );
    const repository = scratchRepository([{ ...good, ...tests }]);
    const hook = join(repository.root, ".git/hooks/pre-commit");
    writeFileSync(hook, blockOf(read("docs/ci.md"), "# .git/hooks/pre-commit"));
    chmodSync(hook, 0o755);
    const commit = (): Promise<Ran> =>
      run(["git", "commit", "--quiet", "-m", "a change"], repository.root, { PATH: path() });

    repository.write(fewer);
    repository.git("add", "--all");
    expect(await commit()).toMatchObject({
      code: 1,
      output: expect.stringContaining("the five retries are from friday-fix"),
    });
    // What is staged is good again, and what is not staged does not count.
    repository.git("reset", "--quiet", "--hard");
    repository.write({ "README.md": "hello" });
    repository.git("add", "README.md");
    repository.write({ "deploy/bakery.yaml": "kind: [\napiVersion: v1\n" });
    expect(await commit()).toMatchObject({ code: 0 });
  });
});

test("elsewhere: the commands of docs/ci.md", async () => {
  const repository = scratchRepository([{ ...bakery, ...tests }]);
  const { git, commit } = repository;
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  commit(fewer);
  const lines = blockOf(read("docs/ci.md"), "prevail plan --git origin/main... -f deploy").trim().split("\n");
  expect(lines).toHaveLength(4);
  const results: Ran[] = [];
  for (const line of lines) results.push(await run(["sh", "-c", line], repository.root, { PATH: path() }));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 1, 1]);
  expect(results[0]?.output).toContain("+ 4 from RetryPolicy infra/friday-fix");
  expect(results[1]?.output).toMatch(/^### Prevail: /);
  expect(results[2]?.output).toContain('"version": "2.1.0"');
  expect(results[3]?.output).toContain("<testsuites");
});
