import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { provisionKubernetes } from "../support/kubernetes/find-kubernetes.ts";

/** A machine without Go, and with nothing in its cache. */
const cache = mkdtempSync(join(tmpdir(), "prevail-no-go-"));
const withoutGo = { PATH: cache, PREVAIL_CACHE: cache };
afterAll(() => rmSync(cache, { recursive: true, force: true }));

describe("where kube-apiserver cannot be built", () => {
  test("the tests are left out", async () => {
    expect(await provisionKubernetes(withoutGo)).toBeUndefined();
  });

  test("in CI that is a failure, with the reason", async () => {
    await expect(provisionKubernetes({ ...withoutGo, CI: "true" })).rejects.toThrow(
      "Kubernetes is needed in CI: kubernetes: not built: Go is missing",
    );
  });

  test("they can be left out on purpose, also in CI", async () => {
    expect(await provisionKubernetes({ ...withoutGo, CI: "true", PREVAIL_SKIP: "cluster" })).toBeUndefined();
  });
});
