import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFileSystem } from "../../adapters/files/node-file-system.ts";
import type { CliIo } from "../../cli/cli-io.ts";
import { exitCodes } from "../../cli/exit-codes.ts";
import { untilSignal } from "../until-signal.ts";
import { allocateYoung } from "./allocate-young.ts";
import { createWriter } from "./create-writer.ts";
import { terminalColumns } from "./terminal-columns.ts";

export interface ProgramFacts {
  /** The name that users call the program by. */
  readonly program: string;
  /** `import.meta.url` of the entry point. `src/bin` and `dist/bin` are equally deep, so both find the package. */
  readonly entry: string;
}

/** Implements the interface of the command line for this process. */
export function processIo({ program, entry }: ProgramFacts): CliIo {
  const packageRoot = new URL("../../", entry);
  const filesWorker = new URL("./files-worker.js", entry);
  const { stdout, stderr, env } = process;
  const closed = new AbortController();
  const write = createWriter(reportFailure, () => closed.abort());
  return {
    stdout: (text) => write(stdout, text),
    stderr: (text) => write(stderr, text),
    columns: stdout.isTTY ? terminalColumns(stdout.columns, env) : undefined,
    isTerminal: { stdout: stdout.isTTY === true, stderr: stderr.isTTY === true },
    env,
    fileSystem: nodeFileSystem(stdin),
    writeFile: async (path, text) => (await import("node:fs/promises")).writeFile(path, text),
    workingDirectory: process.cwd(),
    git: async () => (await import("../../adapters/git/node-git.ts")).nodeGit,
    now: Date.now,
    version: () => version(packageRoot),
    bakery: async () => bakery(packageRoot),
    program,
    xds: async () => ({
      ...(await import("../xds/xds-tools.ts")).xdsTools,
      serve: async (settings, output) => {
        allocateYoung();
        return (await import("../xds/serve-xds.ts")).serveXds(settings, output, filesWorker);
      },
    }),
    askAdmin: async (address, page) => (await import("./ask-admin.ts")).askAdmin(address, page),
    untilEnded: () => AbortSignal.any([untilSignal().signal, closed.signal]),
    controller: async () => {
      allocateYoung();
      return (await import("../controller/serve-controller.ts")).serveController(version(packageRoot));
    },
    serve: async (settings, output) => {
      allocateYoung();
      return settings.dataplane === "envoy"
        ? (await import("../run-envoy/serve-envoy.ts")).serveEnvoy(settings, output, filesWorker)
        : (await import("../run/serve-gateway.ts")).serveGateway(settings, output, filesWorker);
    },
  };
}

/** Opened on first use: most commands do not read standard input. */
const stdin: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator]() };

/** Output was lost, so the process fails, whatever the exit code of the command is. */
function reportFailure(stream: NodeJS.WritableStream, { message }: Error): void {
  process.once("exit", () => {
    process.exitCode = exitCodes.output;
  });
  if (stream !== process.stderr) process.stderr.write(`error: standard output cannot be written: ${message}\n`);
}

function version(packageRoot: URL): string {
  const facts: unknown = JSON.parse(readFileSync(new URL("package.json", packageRoot), "utf8"));
  if (typeof facts === "object" && facts !== null && "version" in facts) return String(facts.version);
  return "unknown";
}

function bakery(packageRoot: URL): string {
  if (existsSync("examples/bakery")) return "examples/bakery";
  const installed = fileURLToPath(new URL("examples/bakery", packageRoot));
  const near = relative(process.cwd(), installed);
  return near.startsWith("../..") || near === "" ? installed : near;
}
