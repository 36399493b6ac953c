import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../../src/adapters/files/parse-documents.ts";
import { isJsonObject, ownValue } from "../../src/core/model/json.ts";
import { buildSnapshot, effectivePolicies, evaluate, verdicts } from "../../src/index.ts";
import { formatEvaluation } from "../support/cluster/format-evaluation.ts";
import { expectGolden } from "../support/golden.ts";

const folder = fileURLToPath(new URL("../../examples/bakery/", import.meta.url));
const golden = fileURLToPath(new URL("testdata/bakery.txt", import.meta.url));

const parsed = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .sort()
  .map((name) => parseDocuments(readFileSync(join(folder, name), "utf8"), `examples/bakery/${name}`));
const documents = parsed.flatMap((file) =>
  file.documents.map(({ value, file: name, line, column }) => ({ value, source: { file: name, line, column } })),
);
const evaluateBakery = (wanted: (name: string) => boolean) => {
  const chosen = documents.filter(({ value }) => wanted(nameOf(value)));
  return evaluate(
    buildSnapshot(
      chosen.map(({ value }) => value),
      { positions: chosen.map(({ source }) => source) },
    ),
  );
};

function nameOf(value: unknown): string {
  const metadata = isJsonObject(value) ? ownValue(value, "metadata") : undefined;
  const name = isJsonObject(metadata) ? ownValue(metadata, "name") : undefined;
  return typeof name === "string" ? name : "";
}

/** `baker#order > baker#web` → attempts and codes of the retries that a gateway would make there. */
function retries(evaluation: ReturnType<typeof evaluate>): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { policyKind, path, spec } of effectivePolicies(evaluation)) {
    if (policyKind.kind !== "RetryPolicy") continue;
    const retry = ownValue(spec, "retry");
    const [rule, port] = [path.at(-3), path.at(-1)].map((node) => `${node?.name ?? ""}#${node?.sectionName ?? ""}`);
    if (isJsonObject(retry)) {
      const { attempts, codes } = retry;
      found[`${rule ?? ""} > ${port ?? ""}`] = `${JSON.stringify(attempts)} on ${JSON.stringify(codes)}`;
    }
  }
  return found;
}

test("every file is read without a finding", () => {
  expect(parsed.flatMap(({ findings }) => findings)).toEqual([]);
});

test("all that the engine says about it", () => {
  expectGolden(golden, formatEvaluation(evaluateBakery(() => true)));
});

describe("the story", () => {
  const now = evaluateBakery(() => true);
  const without = evaluateBakery((name) => name !== "friday-fix");

  test("the forgotten override takes effect on every route behind the gateway", () => {
    expect(retries(now)).toEqual({
      "baker#order > baker#web": "5 on [500,502,503]",
      "baker#rule-2 > baker#web": "5 on [500,502,503]",
      "baker#menu > baker#web": "5 on [500,502,503]",
      "baker#menu > baker-next#web": "5 on [500,502,503]",
      "oven#bake > oven#grpc": "5 on [500,502,503]",
      "counter#rule-1 > till#web": "5 on [500,502,503]",
      "counter#bread > baker#web": "5 on [500,502,503]",
      "party#rule-1 > till#web": "5 on [500,502,503]",
    });
  });

  test("without it every route gets its own settings, and a 500 is not retried any more", () => {
    expect(retries(without)).toEqual({
      "baker#order > baker#web": "0 on [502,503]",
      "baker#rule-2 > baker#web": "1 on [502,503]",
      "baker#menu > baker#web": "1 on [502,503]",
      "baker#menu > baker-next#web": "1 on [502,503]",
      "oven#bake > oven#grpc": "1 on [502,503]",
      "counter#rule-1 > till#web": "2 on [502,503]",
      "counter#bread > baker#web": "2 on [502,503]",
      "party#rule-1 > till#web": "1 on [502,503]",
    });
  });

  test("a policy in every state", () => {
    const states = [...verdicts(now)].map(({ verdict }) =>
      verdict.state === "Accepted" ? verdict.enforcement : verdict.reason,
    );
    for (const state of [
      "Enforced",
      "PartiallyEnforced",
      "Overridden",
      "NoPath",
      "Conflicted",
      "TargetNotFound",
    ] as const) {
      expect(states).toContain(state);
    }
  });
});
