import { spawn } from "node:child_process";
import type { Git, GitOutput } from "./git.ts";
import { readBlobs } from "./read-blobs.ts";

/** The git program of this machine, found through PATH. */
export const nodeGit: Git = {
  run: (directory, args) =>
    new Promise((resolve, reject) => {
      const child = spawn("git", [...args], {
        cwd: directory,
        env: gitEnvironment(),
        stdio: ["ignore", "pipe", "pipe"],
      });
      const out: Uint8Array[] = [];
      const err: Uint8Array[] = [];
      child.stdout.on("data", (chunk: Uint8Array) => out.push(chunk));
      child.stderr.on("data", (chunk: Uint8Array) => err.push(chunk));
      child.once("error", reject);
      child.once("close", (code) => {
        const output: GitOutput = {
          ok: code === 0,
          stdout: Buffer.concat(out),
          stderr: Buffer.concat(err).toString("utf8"),
        };
        resolve(output);
      });
    }),
  readBlobs: (directory) => {
    const child = spawn("git", ["cat-file", "--batch"], {
      cwd: directory,
      env: gitEnvironment(),
      stdio: ["pipe", "pipe", "ignore"],
    });
    return readBlobs(child);
  },
};

/** Variables that a hook sets, and that would make git look at another repository than that of the directory. */
const OF_HOOKS = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"];

/** Messages in English, no questions at the terminal, and pathspecs that are plain paths. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of OF_HOOKS) delete env[name];
  return { ...env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", GIT_LITERAL_PATHSPECS: "1" };
}
