/** Waits for a control plane. The limits are for a busy machine; a wait ends as soon as the condition is true. */
import { setTimeout as sleep } from "node:timers/promises";

const LIMIT_MS = 150_000;

/** A limit for tests that wait with `until`: a failure of `until` says more than that of the test runner. */
export const CLUSTER_TEST = { timeout: 300_000 } as const;

/** A limit for starting a control plane with everything that a file needs. */
export const CLUSTER_START = 600_000;

/** Waits for something to become true. A step that throws or rejects has not become true yet. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  describe: () => string = () => "",
  pauseMs = 20,
): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  let last = "";
  while (Date.now() < deadline) {
    try {
      if (await isTrue()) return;
      last = "";
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await sleep(pauseMs);
  }
  throw new Error(`it did not happen within ${LIMIT_MS / 1000} s: ${describe()}${last}`);
}

type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** Resolves when the kinds of all CRDs can be used: the API server lists a kind in discovery only after its CRD is Established. */
export async function untilEstablished(kubectl: Kubectl): Promise<void> {
  await kubectl(["wait", "--for=condition=Established", "--timeout=100s", "crd", "--all"]);
  const wanted = (await kubectl(["get", "crd", "-o", "name"])).trim().split("\n");
  const names = wanted.map((line) => line.slice(line.indexOf("/") + 1));
  let missing: readonly string[] = names;
  await until(
    async () => {
      const listed = new Set((await kubectl(["api-resources", "-o", "name"])).split("\n"));
      missing = names.filter((name) => !listed.has(name));
      return missing.length === 0;
    },
    () => `not in discovery: ${missing.join(", ")}`,
  );
}
