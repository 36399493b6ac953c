import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { type CodeCache, codeCachePath, readCodeCache, writeCodeCache } from "./code-cache.ts";

/** What a launcher (`scripts/build.mjs` writes one for each program) says of itself. */
interface Launch {
  /** The folder of the bundle: files that require each other as `./name`. */
  readonly folder: string;
  readonly entry: string;
  /** For Node's own modules; the bundle needs no others. */
  readonly require: (id: string) => unknown;
}

interface Module {
  readonly exports: object;
}

/** Runs a bundled program like Node's `require`, with what V8 has compiled of it before. */
export function loadCompiled({ folder, entry, require }: Launch): void {
  const command = process.argv[2] ?? "help";
  const path = codeCachePath(command, process.env, process.platform);
  const known: CodeCache = path === undefined ? new Map() : readCodeCache(path);
  const fresh = new Map<string, Script>();
  const modules = new Map<string, Module>();
  const load = (name: string): object => {
    const loaded = modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const module: Module = { exports: {} };
    modules.set(name, module);
    const { script, isFresh } = compile(join(folder, name), known.get(name));
    if (isFresh) fresh.set(name, script);
    const run: unknown = script.runInThisContext();
    const requireHere = (id: string): unknown => (id.startsWith("./") ? load(id.slice(2)) : require(id));
    const given = [module.exports, requireHere, module, join(folder, name), folder];
    if (typeof run === "function") Reflect.apply(run, undefined, given);
    return module.exports;
  };
  load(entry);
  if (path !== undefined) process.once("exit", () => keep(path, { folder, command, known, fresh }));
}

function compile(filename: string, known: Buffer | undefined): { readonly script: Script; readonly isFresh: boolean } {
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, "utf8")}\n})`;
  const script = new Script(source, { filename, ...(known === undefined ? {} : { cachedData: known }) });
  return { script, isFresh: known === undefined || script.cachedDataRejected === true };
}

interface Outcome {
  readonly folder: string;
  readonly command: string;
  readonly known: CodeCache;
  readonly fresh: ReadonlyMap<string, Script>;
}

/** At the end, so that it holds the functions that really ran. A misspelt command has no file in the bundle, and needs none in the cache. */
function keep(path: string, { folder, command, known, fresh }: Outcome): void {
  if (fresh.size === 0) return;
  const files = readdirSync(folder);
  if (!files.some((name) => name.startsWith(`${command}-`))) return;
  const still = [...known].filter(([name]) => files.includes(name));
  const made = [...fresh].map(([name, script]) => [name, script.createCachedData()] as const);
  writeCodeCache(path, new Map([...still, ...made]));
}
