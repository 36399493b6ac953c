import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFileSystem } from "../adapters/files/node-file-system.ts";
import { exitCodes } from "../cli/exit-codes.ts";
import type { CliIo } from "../cli/io.ts";
import { createWriter } from "./create-writer.ts";
import { terminalColumns } from "./terminal-columns.ts";

/** The command line's view of this process. */
export function processIo(program: string): CliIo {
  const { stdout, stderr, env } = process;
  const write = createWriter(reportFailure);
  return {
    stdout: (text) => write(stdout, text),
    stderr: (text) => write(stderr, text),
    columns: stdout.isTTY ? terminalColumns(stdout.columns, env) : undefined,
    isTerminal: { stdout: stdout.isTTY === true, stderr: stderr.isTTY === true },
    env,
    fileSystem: nodeFileSystem(stdin),
    now: Date.now,
    version,
    bakery: async () => bakery(),
    program,
    xds: async () => (await import("./xds-tools.ts")).xdsTools,
    serve: async (settings, speech) =>
      settings.dataplane === "envoy"
        ? (await import("./serve-envoy.ts")).serveEnvoy(settings, speech)
        : (await import("./serve.ts")).serve(settings, speech),
  };
}

/** Opening standard input takes time, and most commands do not read it. */
const stdin: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator]() };

/** Nobody has the whole answer, so the exit code says so, whatever the command thought of it. */
function reportFailure(stream: NodeJS.WritableStream, { message }: Error): void {
  process.once("exit", () => {
    process.exitCode = exitCodes.failed;
  });
  if (stream !== process.stderr) process.stderr.write(`error: standard output cannot be written: ${message}\n`);
}

/** `dist/bin` and `src/bin` are equally deep, so both find the package. */
const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

function version(): string {
  const facts: unknown = JSON.parse(readFileSync(packageFile("package.json"), "utf8"));
  if (typeof facts === "object" && facts !== null && "version" in facts) return String(facts.version);
  return "unknown";
}

function bakery(): string {
  if (existsSync("examples/bakery")) return "examples/bakery";
  const installed = packageFile("examples/bakery");
  const near = relative(process.cwd(), installed);
  return near.startsWith("../..") || near === "" ? installed : near;
}
