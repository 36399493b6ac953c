/** Policy attachment reference, "Targeting External Services": commands know virtual objects by the policies that target them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../../test/support/cli/run-cli.ts";

const files = {
  "a.yaml": `${readFileSync(new URL("../../../test/testdata/definitions/external-retry-policy.yaml", import.meta.url), "utf8")}---
apiVersion: networking.example.net/v1alpha1
kind: RetryPolicy
metadata: {name: foo, namespace: shop}
spec:
  maxRetries: 5
  targetRef: {group: networking.example.net, kind: ExternalService, name: foo.com}
`,
};
const run = (line: string) => runCli(`${line} -f a.yaml`, { files });

test("explain finds a virtual object by its kind and name", async () => {
  const { stdout, code } = await run("explain externalservice/foo.com");
  expect(code).toBe(0);
  expect(stdout).toContain("ExternalService shop/foo.com");
  expect(stdout).toMatch(/maxRetries: 5\n\s+from RetryPolicy shop\/foo/);
});

test("get targets lists it, with the policies", async () => {
  const { stdout } = await run("get targets");
  expect(stdout).toMatch(/shop\s+ExternalService\s+foo\.com\s+.*RetryPolicy\/foo/);
  expect((await run("get targets -n other")).stdout).not.toContain("foo.com");
  expect((await run("get targets externalservices -o name")).stdout).toBe(
    "externalservice.networking.example.net/foo.com\n",
  );
});

test("reach and plan name it", async () => {
  expect((await run("reach retrypolicies.networking.example.net/foo")).stdout).toContain(
    "ExternalService shop/foo.com",
  );
  const { stdout } = await run("plan --delete retrypolicies.networking.example.net/foo");
  expect(stdout).toMatch(/maxRetries/);
  expect(stdout).toContain("foo.com");
});

test("completion offers its kind and its name", async () => {
  const words = async (word: string) =>
    (await runCli(["completion", "words", "--", "explain", "-f", "a.yaml", word], { files })).stdout.split("\n")[0];
  expect(await words("ext")).toMatch(/^externalservice\//);
  expect(await words("externalservice/")).toMatch(/^externalservice\/foo\.com/);
});

test("a name that no policy targets is suggested from those that are", async () => {
  const { stderr } = await run("explain externalservice/fo.com");
  expect(stderr).toContain(
    "there is no ExternalService 'fo.com'; did you mean 'foo.com' (ExternalService shop/foo.com)?",
  );
});
