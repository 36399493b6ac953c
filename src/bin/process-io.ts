import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFileSystem } from "../adapters/files/node-file-system.ts";
import type { CliIo } from "../cli/io.ts";

/** The command line's view of this process. */
export function processIo(program: string): CliIo {
  const { stdout, stderr, stdin, env } = process;
  return {
    stdout: writer(stdout),
    stderr: writer(stderr),
    columns: stdout.isTTY ? stdout.columns : undefined,
    isTerminal: { stdout: stdout.isTTY === true, stderr: stderr.isTTY === true },
    env,
    fileSystem: nodeFileSystem(stdin),
    now: Date.now,
    version,
    bakery: async () => bakery(),
    program,
  };
}

/** A reader that has seen enough (`| head`) closes the pipe: what is left to say is then of no interest, and no error. */
function writer(stream: NodeJS.WriteStream): (text: string) => void {
  let isClosed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    isClosed = true;
  });
  return (text) => {
    if (!isClosed) stream.write(text);
  };
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
