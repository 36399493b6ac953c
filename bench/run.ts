import { readdirSync } from "node:fs";
import type { Bench, BenchContext } from "./bench-context.ts";
import { type Options, parseOptions, usage } from "./options.ts";
import { formatJson, formatTable, isMissed, type Result, resultOf } from "./results.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const parsed = parseOptions(args);
  if (parsed.state === "invalid") return refuse(parsed.message);
  const { options } = parsed;
  const names = benchNames();
  if (options.name === undefined) {
    console.log(`${usage}\n\n${names.length === 0 ? "There are no benches." : names.join("\n")}`);
    return 0;
  }
  if (!names.includes(options.name)) {
    return refuse(`unknown bench "${options.name}"; benches are ${names.join(", ") || "not built"}`);
  }
  return run(options.name, options);
}

async function run(name: string, options: Options): Promise<number> {
  const results: Result[] = [];
  const { bench, parts = [] } = await loadBench(name);
  const unknown = options.parts?.filter((part) => !parts.includes(part)) ?? [];
  if (unknown.length > 0)
    return refuse(`${name} has no part "${unknown.join('", "')}"; its parts are ${parts.join(", ") || "not named"}`);
  console.error(`bench: running ${name}; this can take minutes …`);
  await bench(
    contextFor({ ...options, parts: options.parts ?? parts }, (measurement) => {
      const result = resultOf(name, measurement);
      results.push(result);
      if (options.json) console.log(formatJson(result));
      else if (process.stderr.isTTY) process.stderr.write(`bench: ${results.length} figures measured\r`);
    }),
  );
  if (!options.json) console.log(formatTable(results));
  const missed = results.filter(isMissed);
  if (missed.length > 0) console.error(`bench: ${missed.length} of ${results.length} figures miss their bar`);
  return options.strict && missed.length > 0 ? 1 : 0;
}

function contextFor({ sizes, parts = [] }: Options, report: BenchContext["report"]): BenchContext {
  return { sizes: (own) => sizes ?? own, parts, report, collectGarbage: () => globalThis.gc?.(), emptyNursery };
}

/** Objects that survive two minor collections are no longer young. */
function emptyNursery(): void {
  for (let i = 0; i < 2; i++) globalThis.gc?.({ type: "minor" });
}

function benchNames(): readonly string[] {
  return readdirSync(new URL(".", import.meta.url))
    .flatMap((file) => /^(.+)\.bench\.js$/.exec(file)?.[1] ?? [])
    .sort();
}

interface BenchModule {
  readonly bench: Bench;
  readonly parts?: readonly string[];
}

async function loadBench(name: string): Promise<BenchModule> {
  const module: unknown = await import(new URL(`./${name}.bench.js`, import.meta.url).href);
  if (isBenchModule(module)) return module;
  throw new Error(`bench/${name}.bench.ts must export a function named bench`);
}

function isBenchModule(module: unknown): module is BenchModule {
  return typeof module === "object" && module !== null && "bench" in module && typeof module.bench === "function";
}

function refuse(message: string): number {
  console.error(`bench: ${message}\n${usage}`);
  return 2;
}
