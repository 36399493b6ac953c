import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFileSystem } from "../adapters/files/node-file-system.ts";
import type { CliIo } from "../cli/io.ts";

/** The command line's view of this process. */
export function processIo(program: string): CliIo {
  const { stdout, stderr, env } = process;
  const write = createWriter();
  return {
    stdout: (text) => write(stdout, text),
    stderr: (text) => write(stderr, text),
    columns: stdout.isTTY ? stdout.columns : undefined,
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

const ENOUGH = 65_536;

/**
 * Lines are gathered and written together, in the order in which they came on both streams. A reader that has seen enough (`| head`) closes the
 * pipe: what is left to say is then of no interest, and no error.
 */
function createWriter(): (stream: NodeJS.WriteStream, text: string) => void {
  const open = new Map<NodeJS.WriteStream, boolean>();
  let last: NodeJS.WriteStream | undefined;
  let gathered = "";
  const flush = (): void => {
    if (last !== undefined && open.get(last) === true) last.write(gathered);
    gathered = "";
  };
  const watch = (stream: NodeJS.WriteStream): void => {
    open.set(stream, true);
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      open.set(stream, false);
    });
  };
  return (stream, text) => {
    if (!open.has(stream)) watch(stream);
    if (stream !== last || gathered.length > ENOUGH) flush();
    if (gathered === "") queueMicrotask(flush);
    last = stream;
    gathered += text;
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
