import type { FileSystem } from "../../../src/adapters/files/file-system.ts";
import { nodeFileSystem } from "../../../src/adapters/files/node-file-system.ts";
import { nodeGit } from "../../../src/adapters/git/node-git.ts";
import type { CliIo } from "../../../src/cli/cli-io.ts";
import { execute } from "../../../src/cli/execute.ts";
import { askAdmin } from "../../../src/serve/process/ask-admin.ts";
import { xdsTools } from "../../../src/serve/xds/xds-tools.ts";

export interface CliSetup {
  /** Files in memory by path, as text or bytes, instead of the file system. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly stdin?: string;
  /** The width of the terminal. Without it the output goes to a pipe. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
  /** Called for each file that is written, instead of writing it. */
  readonly onWrite?: (path: string, text: string) => void;
  readonly workingDirectory?: string;
  /** Called with what is printed to standard output, as it is printed. */
  readonly onOutput?: (text: string) => void;
  /** Ends a command that goes on. */
  readonly signal?: AbortSignal;
}

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in this process. A string is split at spaces. */
export async function runCli(line: string | readonly string[], setup: CliSetup = {}): Promise<CliResult> {
  const out: string[] = [];
  const err: string[] = [];
  const argv = typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
  const io: CliIo = {
    stdout: (text) => {
      out.push(text);
      setup.onOutput?.(text);
    },
    stderr: (text) => void err.push(text),
    columns: setup.columns,
    isTerminal: { stdout: setup.columns !== undefined, stderr: false },
    env: { NO_COLOR: "1", ...setup.env },
    fileSystem: fileSystemFor(setup),
    writeFile: async (path, text) => {
      if (setup.onWrite === undefined) throw new Error(`EROFS: read-only file system, open '${path}'`);
      setup.onWrite(path, text);
    },
    workingDirectory: setup.workingDirectory ?? process.cwd(),
    git: async () => nodeGit,
    now: () => 0,
    version: () => "1.2.3",
    bakery: async () => "examples/bakery",
    program: setup.program ?? "prevail",
    // A server does not end, so tests in this process do not start one.
    xds: async () => ({
      ...xdsTools,
      serve: async () => 0,
      status: async (port) => (port === 18_001 ? [] : xdsTools.status(port)),
    }),
    askAdmin,
    untilEnded: () => setup.signal ?? AbortSignal.abort(),
    controller:
      async () =>
      async (settings, { write }) => {
        write(`${JSON.stringify(settings)}\n`);
        return 0;
      },
    serve: async (settings, { write }) => {
      write(`${JSON.stringify({ ...settings, portMap: [...settings.portMap] })}\n`);
      return 0;
    },
  };
  const code = await execute(argv, io);
  return { code, stdout: out.join(""), stderr: err.join("") };
}

function fileSystemFor({ files, stdin = "" }: CliSetup): FileSystem {
  const readStdin = async (): Promise<Uint8Array> => new TextEncoder().encode(stdin);
  if (files === undefined) return { ...nodeFileSystem(noInput()), readStdin };
  return { ...memoryFiles(files), readStdin };
}

async function* noInput(): AsyncIterable<Uint8Array> {}

/** A file system in memory. */
export function memoryFiles(files: Readonly<Record<string, string | Uint8Array>>): Omit<FileSystem, "readStdin"> {
  const paths = Object.keys(files);
  const missing = (path: string): Error => Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
  const bytesOf = (path: string): Uint8Array => {
    const content = files[path];
    if (content === undefined) throw missing(path);
    return typeof content === "string" ? new TextEncoder().encode(content) : content;
  };
  return {
    stat: async (path) => {
      const folder = `${path.replace(/\/$/, "")}/`;
      if (paths.some((file) => file.startsWith(folder))) return { type: "directory", sizeBytes: 0, realPath: path };
      return { type: "file", sizeBytes: bytesOf(path).length, realPath: path };
    },
    readDirectory: async (path) => {
      const folder = `${path.replace(/\/$/, "")}/`;
      const below = paths.filter((file) => file.startsWith(folder));
      return [...new Set(below.map((file) => file.slice(folder.length).split("/")[0] ?? ""))];
    },
    readFile: async (path) => bytesOf(path),
  };
}
