/**
 * What V8 made of our programs, kept for the next start. Most of the time of a short command is JavaScript being compiled, and Node 20 keeps
 * nothing of it by itself. V8 refuses what another version of it made; everything here that fails, fails in silence and costs only time.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Compiled code by the name of the file it was made of, which has a hash of its content in it. */
export type CodeCache = ReadonlyMap<string, Buffer>;

type Environment = Readonly<Record<string, string | undefined>>;

/** One file for each command: commands share files of code, but run different functions of them. */
export function codeCachePath(command: string, env: Environment, platform: string): string | undefined {
  const isOff = (env["NODE_DISABLE_COMPILE_CACHE"] ?? "") !== "";
  const folder = isOff ? undefined : cacheFolder(env, platform);
  if (folder === undefined || !/^[a-z-]{1,32}$/.test(command)) return undefined;
  return join(folder, "prevail", `${command}-${process.version}-${process.arch}.bin`);
}

function cacheFolder(env: Environment, platform: string): string | undefined {
  const home = env["HOME"] || undefined;
  switch (platform) {
    case "win32":
      return env["LOCALAPPDATA"] || undefined;
    case "darwin":
      return home === undefined ? undefined : join(home, "Library", "Caches");
    default:
      return env["XDG_CACHE_HOME"] || (home === undefined ? undefined : join(home, ".cache"));
  }
}

const MAGIC = "prevail code cache 1";

/** Empty if there is none, if it is not whole, or if somebody else could have written it: this is code that will run. */
export function readCodeCache(path: string): CodeCache {
  try {
    const file = openSync(path, "r");
    try {
      return isOurs(file) ? parseCodeCache(readFileSync(file)) : new Map();
    } finally {
      closeSync(file);
    }
  } catch {
    return new Map();
  }
}

function isOurs(file: number): boolean {
  const { uid, mode } = fstatSync(file);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function parseCodeCache(bytes: Buffer): CodeCache {
  const end = bytes.indexOf("\n");
  const [magic, ...names] = bytes.toString("utf8", 0, end).split("\t");
  const cache = new Map<string, Buffer>();
  if (magic !== MAGIC) return cache;
  let offset = end + 1;
  for (const entry of names) {
    const [name = "", size = ""] = entry.split("=");
    cache.set(name, bytes.subarray(offset, offset + Number(size)));
    offset += Number(size);
  }
  return offset === bytes.length ? cache : new Map();
}

/** Whole or not at all: written aside, then moved into place. */
export function writeCodeCache(path: string, cache: CodeCache): void {
  const aside = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeAside(aside, cache);
    renameSync(aside, path);
  } catch {
    removeQuietly(aside);
  }
}

function writeAside(path: string, cache: CodeCache): void {
  const header = [MAGIC, ...[...cache].map(([name, { length }]) => `${name}=${length}`)].join("\t");
  const file = openSync(path, "wx", 0o600);
  try {
    for (const part of [Buffer.from(`${header}\n`), ...cache.values()]) writeWhole(file, part);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is not there: the folder could not be made.
  }
}

function writeWhole(file: number, part: Buffer): void {
  for (let done = 0; done < part.length; ) done += writeSync(file, part, done);
}
