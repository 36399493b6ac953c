import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadAll } from "js-yaml";
import { parseDocuments } from "../src/adapters/files/parse-documents.ts";
import type { CliIo } from "../src/cli/cli-io.ts";
import { execute } from "../src/cli/execute.ts";
import type { BenchContext } from "./bench-context.ts";
import { clusterYaml, smallDocuments } from "./cluster-yaml.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const MB = 1024 * 1024;
/**
 * The bars of `explain` against `node -e 0`. Node 22 and newer start in a third of the time of Node 20: 2.4 × leaves about 33 ms for all that `explain` does,
 * and is shown as missed; 7.5 × shows whether the program starts more slowly than before (docs/decisions/0017-bars.md).
 */
const EXPLAIN_BARS = Number(process.versions.node.split(".")[0]) >= 22 ? [2.4, 7.5] : [3.2];

/** The command line: how fast it starts, and whether reading YAML, which is unavoidable, is most of the rest. */
export async function bench(context: BenchContext): Promise<void> {
  benchStart(context);
  for (const routes of context.sizes([1000])) await benchShare(context, routes);
  benchParsing(context);
}

function benchStart(context: BenchContext): void {
  const built = spawnSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { cwd: root, stdio: "inherit" });
  if (built.status !== 0) throw new Error("the program does not build");
  const cache = mkdtempSync(join(tmpdir(), "prevail-bench-"));
  try {
    benchProgram(context, cache);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** The median of runs taken in turns. Where Node keeps compiled code, the first run of all fills its cache. */
function benchProgram(context: BenchContext, cache: string): void {
  const explain = ["dist/bin/prevail.js", "explain", "httproute/baker", "-f", "examples/bakery"];
  const cached = { NODE_COMPILE_CACHE: cache };
  const first = elapsed(() => start(explain, cached));
  const median = medians(25, {
    node: () => start(["-e", "0"], cached),
    version: () => start(["dist/bin/prevail.js", "version"], cached),
    explain: () => start(explain, cached),
    uncached: () => start(explain, { NODE_DISABLE_COMPILE_CACHE: "1" }),
    bareNode: () => start(["-e", "0"], { ...cached, ...NO_EXTRA_CERTIFICATES }),
    bareExplain: () => start(explain, { ...cached, ...NO_EXTRA_CERTIFICATES }),
  });
  const report = (metric: string, value: number): void =>
    context.report({ case: "bakery, real program", metric, value, unit: "ms" });
  report("node -e 0", median.node);
  report("version", median.version);
  report("explain", median.explain);
  report("explain, first run", first);
  report("explain, no compile cache", median.uncached);
  const ratio = { case: "bakery, real program", unit: "x" };
  for (const bar of EXPLAIN_BARS)
    context.report({ ...ratio, metric: "explain / node -e 0", value: median.explain / median.node, bar });
  context.report({ ...ratio, metric: "no compile cache / node -e 0", value: median.uncached / median.node });
  report("node -e 0, no extra certificates", median.bareNode);
  report("explain, no extra certificates", median.bareExplain);
  const metric = "explain / node -e 0, no extra certificates";
  context.report({ ...ratio, metric, value: median.bareExplain / median.bareNode });
}

/** Node 20 reads the certificates of NODE_EXTRA_CA_CERTS at each start, which may take as long as all the rest of `node -e 0`. */
const NO_EXTRA_CERTIFICATES = { NODE_EXTRA_CA_CERTS: undefined };

function start(args: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`node ${args.join(" ")} exited with ${status}`);
}

/** Times of `explain` in this process, without start-up: the engine's part alone. */
async function benchShare(context: BenchContext, routes: number): Promise<void> {
  const text = clusterYaml(routes);
  const bytes = new TextEncoder().encode(text);
  const times: { readonly whole: number[]; readonly yaml: number[] } = { whole: [], yaml: [] };
  for (let round = 0; round < 7; round++) {
    context.collectGarbage();
    times.yaml.push(elapsed(() => parseDocuments(new TextDecoder().decode(bytes), "cluster.yaml")));
    context.collectGarbage();
    const before = performance.now();
    const code = await execute(["explain", `httproute/route-${routes / 2}`, "-f", "-"], silentIo(bytes));
    times.whole.push(performance.now() - before);
    if (code !== 0) throw new Error(`explain exited with ${code}`);
  }
  const [whole, yaml] = [Math.min(...times.whole), Math.min(...times.yaml)];
  const name = `${routes.toLocaleString("en")} routes, ${(bytes.length / MB).toFixed(1)} MB`;
  context.report({ case: name, metric: "explain", value: whole, unit: "ms" });
  context.report({ case: name, metric: "reading YAML", value: yaml, unit: "ms" });
  context.report({ case: name, metric: "engine's share", value: (100 * (whole - yaml)) / whole, unit: "%", bar: 25 });
}

function benchParsing(context: BenchContext): void {
  const count = 15_000;
  const text = smallDocuments(count);
  const best = fastest(
    7,
    {
      raw: () => void loadAll(text),
      ours: () => {
        const { documents, findings } = parseDocuments(text, "documents.yaml");
        if (documents.length !== count || findings.length > 0) throw new Error("the documents are not as expected");
      },
    },
    () => context.collectGarbage(),
  );
  const name = `${count.toLocaleString("en")} documents, ${(text.length / MB).toFixed(1)} MB`;
  context.report({ case: name, metric: "js-yaml", value: best.raw, unit: "ms" });
  context.report({ case: name, metric: "ours, with positions", value: best.ours, unit: "ms" });
  const speed = best.raw / best.ours;
  context.report({
    case: name,
    metric: "speed of ours / js-yaml",
    value: speed,
    unit: "x",
    bar: 0.8,
    ok: speed >= 0.8,
  });
}

/** The median of each task. Tasks take turns, so that a busy moment affects all of them. */
function medians<Name extends string>(rounds: number, tasks: Readonly<Record<Name, () => void>>): Record<Name, number> {
  const median: Record<string, number> = {};
  const times = Object.entries<() => void>(tasks).map(([name, task]) => ({ name, task, all: [] as number[] }));
  for (let round = 0; round < rounds; round++) for (const { task, all } of times) all.push(elapsed(task));
  for (const { name, all } of times) median[name] = all.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  return median;
}

/** The shortest of some rounds, taken in turns: what a busy machine adds is never negative. */
function fastest<Name extends string>(
  rounds: number,
  tasks: Readonly<Record<Name, () => void>>,
  before: () => void = () => {},
): Record<Name, number> {
  const best: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, task] of Object.entries<() => void>(tasks)) {
      before();
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, elapsed(task));
    }
  }
  return best;
}

function elapsed(task: () => void): number {
  const before = performance.now();
  task();
  return performance.now() - before;
}

function silentIo(stdin: Uint8Array): CliIo {
  const refuse = async (): Promise<never> => {
    throw new Error("there are no files here");
  };
  return {
    stdout: () => {},
    stderr: () => {},
    columns: undefined,
    isTerminal: { stdout: false, stderr: false },
    env: {},
    fileSystem: { stat: refuse, readDirectory: refuse, readFile: refuse, readStdin: async () => stdin },
    writeFile: refuse,
    workingDirectory: "/",
    git: refuse,
    now: () => 0,
    version: () => "bench",
    bakery: async () => "examples/bakery",
    program: "prevail",
    xds: refuse,
    askAdmin: refuse,
    untilEnded: () => AbortSignal.abort(),
    controller: async () => async () => 1,
    serve: async () => 1,
  };
}
