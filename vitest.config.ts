import { defineConfig } from "vitest/config";
import { ClusterLast } from "./test/support/cluster-last.ts";
import { ProvisionReporter } from "./test/support/provision-reporter.ts";
import { SummaryReporter } from "./test/support/summary-reporter.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts"],
    setupFiles: ["test/support/known-seed.ts"],
    // The code under test is pure, so test files may share a module graph: about nine times faster than isolating each.
    isolate: false,
    // No test is about speed, and a busy machine is slow at loading: a test that hangs still ends.
    testTimeout: 30_000,
    pool: "threads",
    sequence: { sequencer: ClusterLast },
    reporters: ["default", new ProvisionReporter(), new SummaryReporter()],
  },
});
