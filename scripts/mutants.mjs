// Proves that tests notice mistakes: each of scripts/mutant-table.mjs is made in a copy of the tree, and the tests that its row
// names must fail there: specification tests, or the tests beside the code where no test in test/spec is about the rule.
//   npm run mutants [-- WORD…] [--list] [--jobs=N]     only mistakes whose name or file contains one of the words
// Exit code: 0 all were noticed, 1 one was not, 2 the table or the tree is invalid.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { mutants } from "./mutant-table.mjs";
import { readRules, ruleBrokenBy } from "./read-rules.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache", "mutants");
const COPIED = ["src", "test", "examples", "package.json", "tsconfig.json", "tsconfig.base.json", "vitest.config.ts"];
const SPEC = "test/spec/";
/** Far longer than all of test/spec takes on a busy machine: a mistake with which a test never ends is not noticed. */
const TIMEOUT_MS = 600_000;

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg.startsWith("-") && arg !== "--list" && !arg.startsWith("--jobs="));
if (unknown !== undefined) {
  console.error(`mutants: unknown option ${unknown}; known are --list and --jobs=N`);
  process.exit(2);
}
const words = args.filter((arg) => !arg.startsWith("-"));
const jobs = Number(args.find((arg) => arg.startsWith("--jobs="))?.slice("--jobs=".length) ?? 2);
const chosen = mutants.filter(
  ({ name, file }) => words.length === 0 || words.some((word) => name.includes(word) || file.includes(word)),
);

const broken = [...findRepeatedNames(), ...chosen.flatMap(findMismatch)];
if (broken.length > 0 || chosen.length === 0 || !(jobs >= 1)) {
  for (const problem of broken) console.error(`mutants: ${problem}`);
  if (chosen.length === 0) console.error(`mutants: no mistake is called ${words.join(" or ")}`);
  if (!(jobs >= 1)) console.error("mutants: --jobs must be a number from 1");
  process.exit(2);
}
if (args.includes("--list")) {
  const rules = readRules();
  for (const mutant of chosen) console.log(formatMutant(mutant, ruleBrokenBy(mutant, rules)));
} else {
  process.exitCode = await tryAll();
}

function formatMutant({ name, file }, rule) {
  return `${name}  (${file})${rule === undefined ? "" : `  breaks: ${rule.title}`}`;
}

function findRepeatedNames() {
  const names = mutants.map(({ name }) => name);
  return names.filter((name, i) => names.indexOf(name) < i).map((name) => `'${name}' is in the table twice`);
}

/** A mistake that cannot be made any more must not look like one that is noticed. */
function findMismatch({ name, file, text, becomes }) {
  if (text === becomes) return [`'${name}' changes nothing`];
  let source;
  try {
    source = readFileSync(join(root, file), "utf8");
  } catch {
    return [`'${name}': there is no ${file}; fix the table`];
  }
  const count = source.split(text).length - 1;
  return count === 1 ? [] : [`'${name}': its text occurs ${count} times in ${file}, not once; fix the table`];
}

async function tryAll() {
  const started = Date.now();
  rmSync(cache, { recursive: true, force: true });
  const copies = Array.from({ length: Math.min(jobs, chosen.length) }, (_, i) => copyTree(`copy-${i}`));
  console.error(`mutants: the tests as they are …`);
  const asIs = await runTests(copies[0], ...new Set([SPEC, ...chosen.map(({ tests }) => tests)]));
  if (asIs.state !== "passed") {
    console.error(`mutants: the tests must pass before mistakes are made; the run ${describe(asIs)}`);
    return 2;
  }
  console.error(`mutants: ${asIs.tests} tests pass; making ${chosen.length} mistakes, ${copies.length} at a time`);
  const queue = chosen.map((mutant, index) => ({ mutant, index }));
  const outcomes = [];
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const outcome = await tryMutant(copy, next.mutant);
        outcomes[next.index] = outcome;
        const done = outcomes.filter((one) => one !== undefined).length;
        console.error(
          `mutants: ${done}/${chosen.length} ${outcome.state === "failed" ? "noticed" : "NOT NOTICED"}: ${next.mutant.name}`,
        );
      }
    }),
  );
  rmSync(cache, { recursive: true, force: true });
  return report(outcomes, started);
}

function copyTree(name) {
  const copy = join(cache, name);
  mkdirSync(copy, { recursive: true });
  for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** First the tests that should notice; only if they do not, all of test/spec. */
async function tryMutant(copy, { tests, file, text, becomes }) {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(
    path,
    source.replace(text, () => becomes),
  );
  try {
    const first = await runTests(copy, tests);
    if (first.state !== "passed") return first;
    const all = await runTests(copy, SPEC);
    return { ...all, seconds: first.seconds + all.seconds };
  } finally {
    writeFileSync(path, source);
  }
}

/** `failed` only by a test that ran and failed: a mistake that does not even load proves nothing about the tests. */
async function runTests(copy, ...tests) {
  const started = Date.now();
  const output = join(copy, "results.json");
  rmSync(output, { force: true });
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const options = ["--bail=1", "--maxWorkers=1", "--reporter=json", `--outputFile=${output}`];
  const child = spawn(process.execPath, [vitest, "run", ...tests, ...options], {
    cwd: copy,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, CI: "true", NO_COLOR: "1" },
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = `${errors}${chunk}`.slice(-4000);
  });
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGKILL");
  }, TIMEOUT_MS);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  const seconds = (Date.now() - started) / 1000;
  if (timedOut) return { state: "hung", seconds };
  return { ...readResults(copy, output, errors), seconds };
}

function readResults(copy, output, errors) {
  let results;
  try {
    results = JSON.parse(readFileSync(output, "utf8"));
  } catch {
    return { state: "crashed", message: errors.trim() };
  }
  const tests = results.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({
      ...test,
      file: relative(copy, name).slice(0, -".test.ts".length),
    })),
  );
  const failed = tests.find(({ status }) => status === "failed");
  if (failed !== undefined) {
    const { file, ancestorTitles, title } = failed;
    return { state: "failed", test: [file, ...ancestorTitles, title].join(" › ") };
  }
  const unloaded = results.testResults.find(({ status }) => status === "failed");
  if (unloaded !== undefined) return { state: "crashed", message: unloaded.message };
  return { state: "passed", tests: tests.filter(({ status }) => status === "passed").length };
}

function describe(outcome) {
  switch (outcome.state) {
    case "failed":
      return `fails: ${outcome.test}`;
    case "passed":
      return "passes";
    case "hung":
      return `did not end within ${TIMEOUT_MS / 1000} s`;
    case "crashed":
      return `could not be run: ${outcome.message}`;
  }
}

function report(outcomes, started) {
  const width = Math.max(...chosen.map(({ name }) => name.length));
  for (const [i, { name }] of chosen.entries()) {
    const outcome = outcomes[i];
    const verdict = outcome.state === "failed" ? "noticed    " : "NOT NOTICED";
    const by = outcome.state === "failed" ? outcome.test : describe(outcome);
    console.log(`${verdict}  ${name.padEnd(width)}  ${`${outcome.seconds.toFixed(1)} s`.padStart(7)}  ${by}`);
  }
  const missed = outcomes.filter(({ state }) => state !== "failed").length;
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  console.log(`mutants: ${chosen.length - missed} of ${chosen.length} mistakes noticed, in ${seconds} s`);
  return missed === 0 ? 0 : 1;
}
