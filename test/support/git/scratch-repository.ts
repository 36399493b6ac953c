import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** A git repository in the temporary folder. */
export interface ScratchRepository {
  readonly root: string;
  /** Runs git in the repository and returns what it printed. */
  readonly git: (...args: readonly string[]) => string;
  /** Writes files; `null` deletes one. */
  readonly write: (files: Readonly<Record<string, string | null>>) => void;
  /** Writes files and commits everything. */
  readonly commit: (files: Readonly<Record<string, string | null>>) => void;
}

/** Neither the user's settings nor the variables of a hook that runs the tests have an effect. */
export const gitEnvironment: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ana",
  GIT_AUTHOR_EMAIL: "ana@bakery.example",
  GIT_COMMITTER_NAME: "Ana",
  GIT_COMMITTER_EMAIL: "ana@bakery.example",
  GIT_AUTHOR_DATE: "2025-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2025-01-01T00:00:00Z",
};

/** A folder in the temporary folder that is removed after the test; outside of tests, after the tests of the file. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "prevail-git-")));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    onTestFinished(remove);
  } catch {
    // No test is running.
    afterAll(remove);
  }
  return folder;
}

/** A repository with the branch `main`, and one commit for each of `commits`. */
export function scratchRepository(
  commits: readonly Readonly<Record<string, string | null>>[] = [],
  root: string = scratchFolder(),
): ScratchRepository {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], {
      cwd: root,
      env: gitEnvironment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const write: ScratchRepository["write"] = (files) => {
    for (const [path, text] of Object.entries(files)) {
      const at = join(root, path);
      if (text === null) rmSync(at, { recursive: true, force: true });
      else {
        mkdirSync(dirname(at), { recursive: true });
        writeFileSync(at, text);
      }
    }
  };
  const commit: ScratchRepository["commit"] = (files) => {
    write(files);
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "-m", "a change");
  };
  git("init", "--quiet", "--initial-branch=main");
  for (const files of commits) commit(files);
  return { root, git, write, commit };
}
