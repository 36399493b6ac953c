import type { Reporter, TestModule, TestSpecification } from "vitest/node";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of a finished test module that is counted. */
export type FinishedModule = Pick<TestModule, "errors"> & {
  readonly children: {
    allTests(): Iterable<{ result(): { readonly state: "passed" | "failed" | "skipped" | "pending" } }>;
    allSuites(): Iterable<{ errors(): readonly unknown[] }>;
  };
};

/**
 * Counts tests. Failures include a file that does not load, a suite whose hook threw, an error outside of any test, and a
 * test that did not finish.
 */
export function countResults(modules: Iterable<FinishedModule>, unhandledErrors: readonly unknown[]): Counts {
  let passed = 0;
  let failed = unhandledErrors.length;
  let skipped = 0;
  for (const module of modules) {
    if (module.errors().length > 0) failed++;
    for (const suite of module.children.allSuites()) if (suite.errors().length > 0) failed++;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") passed++;
      else if (state === "skipped") skipped++;
      else failed++;
    }
  }
  return { passed, failed, skipped };
}

export function summaryLine({ passed, failed, skipped }: Counts): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}

/** A run that ends badly without a counted failure (no tests found, a crash) still reports one. */
export function countsAtExit(counts: Counts, exitCode: number): Counts {
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** More files than this are taken for a run of the whole suite. */
const WHOLE_RUN_FILES = 150;

/** Prints how long a run of the whole suite takes, and `N passed, N failed[, N skipped]` as the last line of every run. */
export class SummaryReporter implements Reporter {
  #counts: Counts = { passed: 0, failed: 0, skipped: 0 };

  onInit(): void {
    process.once("exit", (exitCode) => {
      process.stdout.write(`${summaryLine(countsAtExit(this.#counts, exitCode))}\n`);
    });
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    if (specifications.length > WHOLE_RUN_FILES)
      process.stdout.write(
        "All tests: about 17 minutes on 2 cores, with PREVAIL_SKIP=cluster about 7. `npm test -- merge` runs the files with merge in their path.\n",
      );
  }

  onTestRunEnd(testModules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.#counts = countResults(testModules, unhandledErrors);
  }
}
