import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { testTerminals, testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { runCli } from "../../../test/support/cli/run-cli.ts";
import { schemaViolations } from "../../../test/support/cli/validate-schema.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { valueAtKeys } from "../../core/model/json-pointer.ts";

const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

describe("the bakery", () => {
  testTerminals([
    ["how-forbidden", "how httproute/baker#order retry.attempts=0 -f examples/bakery"],
    ["how-own-namespace", "how httproute/baker timeouts.backendRequest=3s -f examples/bakery"],
  ]);
  testTranscripts([
    ["how-all", "how httproute/baker#order retry.attempts=0 --all -f examples/bakery"],
    ["how-two-steps", "how httproute/baker#rule-2 retry.attempts=3 --limit 1 -f examples/bakery"],
    ["how-rule", "how httproute/counter limits.per-client.requests=50 --limit 2 -f examples/bakery"],
    ["how-unset", "how httproute/baker timeouts.request- --limit 1 -f examples/bakery"],
    ["how-already", "how grpcroute/oven timeouts.backendRequest=4s -f examples/bakery"],
    ["how-yaml", "how httproute/counter retry.codes=[503] -o yaml -f examples/bakery"],
    ["how-json", "how grpcroute/oven retry.attempts=2 --limit 1 -o json -f examples/bakery"],
    ["how-redacted", "how httproute/baker#order retry.attempts=0 -n bakery --redact -f examples/bakery"],
    ["how-nothing", "how service/baker validation.hostname=baker.example -f examples/bakery"],
    [
      "how-incomplete",
      "how httproute/baker timeouts.request=1s --limit 1 -f examples/bakery/bakery.yaml -f examples/bakery/team-policies.yaml",
    ],
    ["how-unknown-setting", "how httproute/baker retry.atempts=0 -f examples/bakery"],
    ["how-bad-value", "how httproute/baker retry.attempts=often -f examples/bakery"],
    ["how-no-path", "how httproute/stocktaking retry.attempts=1 -f examples/bakery"],
    ["how-no-setting", "how httproute/baker -f examples/bakery"],
    ["how-no-value", "how httproute/baker retry.attempts= -f examples/bakery"],
    ["how-policy", "how retrypolicy/friday-fix retry.attempts=1 -f examples/bakery"],
    ["how-unknown-kind", "how httproute/baker retry.attempts=1 --policy retrypolcy -f examples/bakery"],
  ]);
});

describe("arguments", () => {
  for (const [line, message] of [
    ["how -f examples/bakery", "no target given: name one as KIND/NAME, and a setting as PATH=VALUE"],
    ["how httproute/baker retry.attempts=0 --limit 0 -f examples/bakery", "--limit is '0'"],
    ["how httproute/baker retry..attempts=0 -f examples/bakery", "'retry..attempts' is not the path of a setting"],
    ["how httproute/baker retry.codes=[502 -f examples/bakery", "the value of retry.codes is not YAML on one line"],
    ["how httproute/baker retry.attempts=0 retry.attempts=1 -f examples/bakery", "retry.attempts is wanted twice"],
    [
      "how httproute/baker retry.attempts=0 retry- -f examples/bakery",
      "retry.attempts and retry cannot both be as wanted",
    ],
    ["how httproute/baker spec.retry.attempts=0 -f examples/bakery", "did you mean 'retry.attempts'?"],
    ["how httproute/baker overrides.retry.attempts=0 -f examples/bakery", "did you mean 'retry.attempts'?"],
    ["how httproute/baker limits.x.requests=1 --policy retrypolicy -f examples/bakery", "RetryPolicy has no setting"],
    ["how httproute/baker validation.hostname=x -f examples/bakery", "Service bakery/baker"],
    ["how httproute/bakr retry.attempts=0 -f examples/bakery", "did you mean 'baker'"],
  ] as const) {
    test(line, async () => {
      const { code, stderr, stdout } = await runCli(line);
      expect(flat(stderr)).toContain(message);
      expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    });
  }

  test("a pointer, KIND NAME and a map with two settings mean the same as dotted paths", async () => {
    const dotted = await runCli(
      "how httproute/counter retry.attempts=1 retry.backoff=1s -o yaml -f examples/bakery".split(" "),
    );
    for (const line of [
      ["how", "httproute", "counter", "/retry/attempts=1", "/retry/backoff=1s"],
      ["how", "httproute/counter", "retry={attempts: 1, backoff: 1s}"],
    ])
      expect(await runCli([...line, "-o", "yaml", "-f", "examples/bakery"])).toEqual(dotted);
  });
});

describe("what -o json prints is what docs/schemas/how.json says", () => {
  for (const line of [
    "httproute/baker#order retry.attempts=0 --all",
    "httproute/baker timeouts.request- --all",
    "grpcroute/oven timeouts.backendRequest=4s",
    "service/baker validation.hostname=baker.example",
    "httproute/baker#order retry.attempts=0 -n bakery --redact",
    "httproute/counter limits.per-client.requests=50",
  ]) {
    test(line, async () => {
      const { stdout } = await runCli(`how ${line} -o json -f examples/bakery`);
      expect(schemaViolations("how.json", JSON.parse(stdout))).toEqual([]);
    });
  }
});

test("redacted, no name, value or line of a policy in another namespace appears", async () => {
  for (const output of ["", "-o json", "-o yaml"]) {
    const { stdout, stderr } = await runCli(
      `how httproute/baker#order retry.attempts=0 -n bakery --redact ${output} -f examples/bakery`,
    );
    for (const secret of ["friday-fix", "house-rules", "platform-policies", "chihiro"])
      expect(stdout + stderr).not.toContain(secret);
  }
});

describe("the first manifest, applied to the files, has the wanted value", () => {
  const folder = fileURLToPath(new URL("../../../examples/bakery/", import.meta.url));
  const bakery = Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => [`bakery/${name}`, readFileSync(`${folder}${name}`, "utf8")]),
  );
  for (const [target, setting, kind, keys, value] of [
    ["httproute/baker#order", "retry.attempts=0", "RetryPolicy", ["retry", "attempts"], 0],
    ["httproute/baker#rule-2", "retry.attempts=3", "RetryPolicy", ["retry", "attempts"], 3],
    ["httproute/baker", "timeouts.backendRequest=3s", "RetryPolicy", ["timeouts", "backendRequest"], "3s"],
    ["httproute/counter", "limits.per-client.requests=50", "RateLimitPolicy", ["limits", "per-client", "requests"], 50],
    ["service/till", "retry.codes=[504]", "RetryPolicy", ["retry", "codes"], [504]],
    ["grpcroute/oven", "retry-", "RetryPolicy", ["retry"], undefined],
  ] as const) {
    test(`${target} ${setting}`, async () => {
      const setup = { files: bakery };
      const { stdout: manifest } = await runCli(["how", target, setting, "-o", "yaml", "-f", "bakery"], setup);
      // As kubectl apply does: the new version of an object replaces the old one.
      const files = { ...withoutObjects(bakery, manifest), "bakery/applied.yaml": manifest };
      expect(await explained(target, kind, keys, files)).toEqual([value]);
      expect(await explained(target, kind, keys, bakery)).not.toEqual([value]);
      const again = await runCli(["how", target, setting, "-f", "bakery"], { files });
      expect(flat(again.stdout)).toContain("it is so already");
    });
  }
});

/** The distinct values of a setting that `explain` shows on the paths of a target. */
async function explained(
  target: string,
  kind: string,
  keys: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<readonly unknown[]> {
  const { stdout } = await runCli(["explain", target, "-o", "json", "-f", "bakery"], { files });
  const { policyKinds } = JSON.parse(stdout) as {
    policyKinds: { policyKind: { kind: string }; outcomes: { spec: JsonObject }[] }[];
  };
  const specs = policyKinds
    .filter(({ policyKind }) => policyKind.kind === kind)
    .flatMap(({ outcomes }) => outcomes.map(({ spec }) => spec));
  const values = specs.map((spec) => JSON.stringify(valueAtKeys(spec, keys)));
  return [...new Set(values)].map((text) => (text === undefined ? undefined : (JSON.parse(text) as unknown)));
}

/** The files without the documents that the manifest has a version of. */
function withoutObjects(files: Readonly<Record<string, string>>, manifest: string): Readonly<Record<string, string>> {
  const nameOf = (document: string): string => {
    const field = (pattern: RegExp): string => pattern.exec(document)?.[1] ?? "";
    return [/^kind: (.*)$/m, /^ {2}name: (.*)$/m, /^ {2}namespace: (.*)$/m].map(field).join("/");
  };
  const replaced = new Set(manifest.split(/^---$/m).map(nameOf));
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      text
        .split(/^---$/m)
        .filter((document) => !replaced.has(nameOf(document)))
        .join("---"),
    ]),
  );
}
