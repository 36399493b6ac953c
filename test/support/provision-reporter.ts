import { type ChildProcess, spawn } from "node:child_process";
import type { Reporter, TestSpecification } from "vitest/node";
import { needsCluster } from "./cluster-last.ts";
import { isClusterLeftOut } from "./kubernetes/find-kubernetes.ts";

/** Starts to build the parts of Kubernetes as soon as it is known that a test needs them. The tests wait for the same build. */
export class ProvisionReporter implements Reporter {
  #building: ChildProcess | undefined;

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    if (isClusterLeftOut(process.env) || !specifications.some(needsCluster)) return;
    // A failure is reported by the tests that need them.
    this.#building = spawn(process.execPath, ["scripts/provision-kubernetes.mjs"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#building.on("error", () => undefined);
  }

  onTestRunEnd(): void {
    this.#building?.kill();
  }
}
