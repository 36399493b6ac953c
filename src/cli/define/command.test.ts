import { describe, expect, test } from "vitest";
import { testTranscripts } from "../../../test/support/cli/cli-transcript.ts";
import { type CliResult, runCli } from "../../../test/support/cli/run-cli.ts";
import { annotatedCrd, type VendorCrd, vendorCrd, vendorCrds } from "../../../test/support/crd/vendor-crds.ts";
import { expectGolden } from "../../../test/support/golden.ts";
import { parseDocuments } from "../../adapters/files/parse-documents.ts";

const fileOf = (crd: VendorCrd): string => JSON.stringify(vendorCrd(crd));
const files = Object.fromEntries([...vendorCrds, annotatedCrd].map((crd) => [`crds/${crd.kind}.json`, fileOf(crd)]));
const define = (words: string): Promise<CliResult> => runCli(`define ${words}`, { files });

describe("a definition for each shape of a CRD", () => {
  for (const { kind } of vendorCrds) {
    test(kind, async () => {
      const { code, stdout, stderr } = await define(`${kind} -f crds`);
      expect([code, stderr]).toEqual([0, ""]);
      expectGolden(new URL(`testdata/${kind}.yaml`, import.meta.url).pathname, stdout);
    });

    test(`${kind} can be read back, and is used instead of an inferred one`, async () => {
      const { stdout } = await define(`${kind} -f crds`);
      const both = { ...files, "definition.yaml": stdout };
      const { items } = JSON.parse(
        (await runCli("get definitions -o json -f crds -f definition.yaml", { files: both })).stdout,
      ) as {
        items: readonly {
          metadata: { annotations: Record<string, string> };
          spec: { policies: readonly { kind: string }[] };
        }[];
      };
      const own = items.filter(({ spec }) => spec.policies[0]?.kind === kind);
      expect(own.map(({ metadata }) => metadata.annotations["prevail.dev/origin"])).toEqual([
        expect.stringMatching(/^definition\.yaml:\d+$/),
      ]);
      const findings = await runCli("check --severity error -o json -f definition.yaml -f crds", { files: both });
      expect(JSON.parse(findings.stdout)).toMatchObject({ items: [] });
    });
  }
});

/** The comments above a field. */
function remarksOn(yaml: string, field: string): string {
  const lines = yaml.split("\n");
  const at = lines.findIndex((line) => line.trimStart().startsWith(`${field}:`));
  const above = lines.slice(0, at).toReversed();
  const count = above.findIndex((line) => !line.trimStart().startsWith("#"));
  return above
    .slice(0, count)
    .toReversed()
    .map((line) => line.replace(/^ *# */, ""))
    .join(" ");
}

describe("what is guessed is marked, and what the CRD says is not", () => {
  for (const [kind, field, remark] of [
    ["LimitPolicy", "class", 'The label of the CRD is "inherited".'],
    ["LimitPolicy", "kinds", "Validation rules of the schema allow HTTPRoute, Gateway."],
    ["LimitPolicy", "blocks", "A validation rule allows defaults or overrides, not both."],
    ["LimitPolicy", "rules", "guess: The outermost maps of the schema. Each entry of such a map is a named rule."],
    ["TrafficPolicy", "class", "guess: Inherited, because the schema has defaults, overrides or a merge strategy."],
    ["TrafficPolicy", "kinds", "Validation rules of the schema allow Gateway, ListenerSet, HTTPRoute."],
    [
      "TrafficPolicy",
      "decidedBy",
      "guess: 'mergeType' is beside the settings, so the more specific policy says how it is merged into the one above.",
    ],
    ["ProxyPolicy", "kinds", "Validation rules of the schema allow Gateway, GRPCRoute."],
    ["BackendSettings", "kinds", "guess: The name of the policy kind hints at Service; the schema allows every kind."],
    ["GroupConfiguration", "fields", "The fields of the schema that name targets."],
    [
      "SecretPolicy",
      "kinds",
      "The schema allows ModelBackend, Service. guess: ModelBackend: not a built-in kind. To have it as a target, declare it in hierarchy.kinds and list it here.",
    ],
    [
      "ClientPolicy",
      "class",
      "guess: Inherited, because a policy may target a Gateway or a Namespace and also what is below it.",
    ],
    ["EdgePolicy", "kinds", "guess: Descriptions in the schema name Gateway; the schema allows every kind."],
    ["OpenPolicy", "kinds", "guess: The schema does not say which kinds may be targeted. Delete those that may not."],
    [
      "ClusterDefaults",
      "values",
      "guess: The values are those of the schema, their meaning is guessed. guess: The meaning of shallow is not known: Atomic, Merge, Patch or Field.",
    ],
  ] as const) {
    test(`${kind}, ${field}`, async () => {
      expect(remarksOn((await define(`${kind} -f crds`)).stdout, field)).toBe(remark);
    });
  }
});

describe("which CRDs", () => {
  const namesIn = ({ stdout }: CliResult): readonly string[] =>
    parseDocuments(stdout, "x").documents.map(({ value }) => (value as { metadata: { name: string } }).metadata.name);

  test("without a name: all that are of policies, and those that cannot be defined are named", async () => {
    const result = await define("-f crds");
    expect(namesIn(result)).toHaveLength(vendorCrds.length);
    expect(result.stderr.replaceAll(/\s+/g, " ")).toContain(
      "error: pluginpolicies.vendor.example.com: no field of spec names a target, such as targetRef or targetRefs.",
    );
    expect(result.code).toBe(65);
  });

  for (const word of [
    "limitpolicies.vendor.example.com",
    "LimitPolicy",
    "limitpolicies",
    "limitpolicy.vendor.example.com",
  ])
    test(`by name: ${word}`, async () => {
      expect(namesIn(await define(`${word} -f crds`))).toEqual(["limitpolicies.vendor.example.com"]);
    });

  test("a file, and standard input", async () => {
    expect(namesIn(await define("crds/LimitPolicy.json"))).toEqual(["limitpolicies.vendor.example.com"]);
    const { stdout } = await runCli("define -f -", { stdin: files["crds/LimitPolicy.json"] ?? "" });
    expect(stdout).toContain("name: limitpolicies.vendor.example.com");
  });

  test("a kind that is defined already", async () => {
    const { stderr, code } = await runCli("define retrypolicies.prevail.dev -f deploy/crds");
    expect([code, stderr]).toEqual([
      0,
      "note: RetryPolicy has a PolicyDefinition already: retrypolicies.prevail.dev\n",
    ]);
  });

  testTranscripts([
    ["define-unknown", "define retrypolicys -f deploy/crds"],
    ["define-no-crd", "define -f examples/bakery/shop.yaml"],
    ["define-no-policy", "define coveragerules -f deploy/crds"],
    ["define-no-file", "define nowhere/crd.yaml"],
  ]);
});

test("hostile names in a CRD stay inside comments and quotes", async () => {
  const text = 'x\nspec: {class: Direct}\n# "';
  const hostile = {
    ...vendorCrd({
      kind: "LimitPolicy",
      spec: {
        type: "object",
        properties: {
          targetRef: {
            type: "object",
            properties: { kind: { type: "string", enum: [text, "Gateway"] }, name: { type: "string" } },
          },
          strategy: { type: "string", enum: [text, "atomic"] },
        },
      },
    }),
  };
  const { stdout } = await runCli("define -f -", { stdin: JSON.stringify(hostile) });
  const { documents, findings } = parseDocuments(stdout, "x");
  expect(findings).toEqual([]);
  expect(documents.map(({ value }) => value)).toMatchObject([
    { kind: "PolicyDefinition", spec: { class: "Inherited" } },
  ]);
});
