import { fileURLToPath } from "node:url";
import type { FileSystem } from "../../../src/adapters/files/file-system.ts";
import { nodeFileSystem } from "../../../src/adapters/files/node-file-system.ts";
import { nodeGit } from "../../../src/adapters/git/node-git.ts";
import type { CliIo } from "../../../src/cli/cli-io.ts";
import { askAdmin } from "../../../src/serve/process/ask-admin.ts";
import { xdsTools } from "../../../src/serve/xds/xds-tools.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A command line at the root of the project whose output goes to a pipe and is collected. */
export function testIo(): { readonly io: CliIo; readonly output: () => string } {
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  const io: CliIo = {
    stdout: write,
    stderr: write,
    columns: undefined,
    isTerminal: { stdout: false, stderr: false },
    env: {},
    fileSystem: atRoot(nodeFileSystem(noInput())),
    writeFile: async () => {
      throw new Error("these tests write no files");
    },
    workingDirectory: process.cwd(),
    git: async () => nodeGit,
    now: () => 0,
    version: () => "0.0.0",
    bakery: async () => "examples/bakery",
    program: "prevail",
    xds: async () => ({ ...xdsTools, serve: async () => 1 }),
    askAdmin,
    untilEnded: () => AbortSignal.abort(),
    controller: async () => async () => 1,
    serve: async () => 1,
  };
  return { io, output: () => text };
}

const atRoot = (files: FileSystem): FileSystem => ({
  ...files,
  stat: (path) => files.stat(`${root}${path}`),
  readDirectory: (path) => files.readDirectory(`${root}${path}`),
  readFile: (path) => files.readFile(`${root}${path}`),
});

async function* noInput(): AsyncGenerator<Uint8Array> {}
