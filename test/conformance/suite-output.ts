/** Reads what the conformance suite prints (`-test.v=test2json`): the outcome, the time and the reason of each test. */

export interface SuiteTest {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly seconds: number;
  /** The features that the test relies on. Empty for a test that was skipped. */
  readonly features: readonly string[];
  /** Why it failed or was skipped; empty for a test that passed. */
  readonly reason: string;
}

const OUTCOMES = { PASS: "passed", FAIL: "failed", SKIP: "skipped" } as const;
const ROOT = "TestConformance";
/** Lines that are kept for the reason of a failure. */
const MAX_LINES = 400;

const REASONS: Readonly<Record<SuiteTest["outcome"], (log: readonly string[]) => string>> = {
  passed: () => "",
  failed: (log) => reasonOf(log),
  skipped: (log) => skipReason(log),
};

export class SuiteOutput {
  readonly tests: SuiteTest[] = [];
  readonly #onTest: (test: SuiteTest) => void;
  /** What each test has logged, subtests included. */
  readonly #logs = new Map<string, { features: readonly string[]; readonly lines: string[] }>();
  /** Failures outside of the tests, such as that of the set-up. */
  readonly #outside: string[] = [];
  #current: string | undefined;

  constructor(onTest: (test: SuiteTest) => void = () => undefined) {
    this.#onTest = onTest;
  }

  /** Why the suite failed before any test ran. */
  get setupFailure(): string {
    return reasonOf(this.#outside);
  }

  readLine(line: string): void {
    // The mark of test2json: the line is the test runner's own.
    const text = line.replaceAll("\u0016", "");
    const begun = /^=== (?:RUN|CONT|NAME|PAUSE)\s+(\S+)/.exec(text);
    if (begun !== null) {
      this.#current = testOf(begun[1] ?? "");
      return;
    }
    const ended = /^\s*--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)/.exec(text);
    if (ended === null) return this.#keep(text);
    const [, word = "", path = "", seconds = "0"] = ended;
    const name = testOf(path);
    // A subtest ends before its test; the test is what counts.
    if (name === undefined || path !== `${ROOT}/${name}`) return;
    this.#add({ name, outcome: OUTCOMES[word as keyof typeof OUTCOMES], seconds: Number(seconds) });
  }

  #keep(line: string): void {
    if (this.#current === undefined) {
      this.#outside.push(line);
      return;
    }
    const log = this.#logs.get(this.#current) ?? { features: [], lines: [] };
    this.#logs.set(this.#current, log);
    const relies = / relying on the following features: (.+)$/.exec(line)?.[1];
    // Each feature has its channel behind a dash.
    if (relies !== undefined) log.features = relies.split(", ").map((feature) => feature.replace(/-[^-]+$/, ""));
    log.lines.push(line);
    if (log.lines.length > MAX_LINES) log.lines.shift();
  }

  #add(test: Pick<SuiteTest, "name" | "outcome" | "seconds">): void {
    const { features, lines } = this.#logs.get(test.name) ?? { features: [], lines: [] };
    this.#logs.delete(test.name);
    const ended = { ...test, features, reason: REASONS[test.outcome](lines) };
    this.tests.push(ended);
    this.#onTest(ended);
  }
}

/** The name of the test that a path of the test runner is in. */
const testOf = (path: string): string | undefined => path.split("/")[1];

/** What the last failed assertion says, on one line. */
function reasonOf(log: readonly string[]): string {
  const at = log.findLastIndex((line) => /^\s*Error:\s/.test(line));
  if (at < 0)
    return shorten(log.findLast((line) => /^\s+\S+\.go:\d+: /.test(line))?.replace(/^\s+\S+\.go:\d+: /, "") ?? "");
  const after = log.slice(at);
  const end = after.findIndex((line) => /^\s*(?:Test|Messages):\s/.test(line));
  const error = after.slice(0, end < 0 ? 6 : end).map((line) => line.replace(/^\s*Error:\s+/, "").trim());
  const message = after.find((line) => /^\s*Messages:\s/.test(line))?.replace(/^\s*Messages:\s+/, "") ?? "";
  return shorten([message, ...error].filter((part) => part !== "").join(": "));
}

const skipReason = (log: readonly string[]): string =>
  shorten(log.map((line) => /: Skipping [^:]+: (.+)$/.exec(line)?.[1] ?? "").find((text) => text !== "") ?? "");

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
};
