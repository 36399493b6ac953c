import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import type { Rulebook } from "../../effective/world/rulebook.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../model/json.ts";
import type { BlockName } from "../../model/policy.ts";
import { flag, text } from "../../model/schema/read-fields.ts";
import { pathTo } from "../../model/schema/schema-problems.ts";
import { didYouMean } from "../../model/words/did-you-mean.ts";
import { knowledgeOf, settingNames, valueProblem } from "../how/known-settings.ts";
import { parsePath, pointerOf } from "../how/settings.ts";
import type { ExpectedSetting } from "./policy-test.ts";
import type { TestReading } from "./test-reading.ts";

/** Reads `settings`: for each policy kind, what is expected of its settings. */
export function readSettings(settings: JsonObject, field: string, reading: TestReading): readonly ExpectedSetting[] {
  return Object.entries(settings).flatMap(([word, own]) => {
    const at = pathTo(field, word);
    const kind = findPolicyKind(word, at, reading);
    if (kind === undefined || !isJsonObject(own)) return [];
    return Object.entries(own).flatMap(([name, expected]) =>
      isJsonObject(expected) ? readSetting({ kind, name, expected, field: pathTo(at, name) }, reading) : [],
    );
  });
}

/** `RetryPolicy` or `RetryPolicy.prevail.dev`; case does not count. */
function findPolicyKind(word: string, field: string, { world, report }: TestReading): CompiledKind | undefined {
  const found = policyKindsNamed(world.rulebook, word);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  const names = world.rulebook.kinds.flatMap(({ definition }) => definition.policies.map(({ kind }) => kind));
  report(
    field,
    first === undefined
      ? `${field}: no PolicyDefinition describes '${word}'; known policy kinds: ${names.join(", ")}${didYouMean(word, names)}`
      : `${field}: several groups have that kind; write ${found.map(({ policyKind: { kind, group } }) => `${kind}.${group}`).join(" or ")}`,
  );
  return undefined;
}

function policyKindsNamed({ kinds }: Rulebook, word: string): readonly CompiledKind[] {
  const wanted = word.toLowerCase();
  return kinds.filter(({ definition }) =>
    definition.policies.some(({ kind, group }) =>
      [kind, `${kind}.${group}`].some((name) => name.toLowerCase() === wanted),
    ),
  );
}

interface SettingText {
  readonly kind: CompiledKind;
  readonly name: string;
  readonly expected: JsonObject;
  readonly field: string;
}

const BLOCKS: readonly BlockName[] = ["defaults", "overrides", "bare"];

function readSetting({ kind, name, expected, field }: SettingText, reading: TestReading): readonly ExpectedSetting[] {
  const { world, report } = reading;
  const keys = parsePath(name);
  if (keys === undefined) {
    report(field, `'${name}' is not a setting: write it as explain prints it, such as retry.attempts or limits["a.b"]`);
    return [];
  }
  const knowledge = knowledgeOf(world, kind, keys);
  if (knowledge === "Unknown") {
    const names = settingNames(world, kind);
    report(field, `${kind.policyKind.kind} has no setting '${name}'${didYouMean(name, names)}`);
    return [];
  }
  const value = ownValue(expected, "value");
  const isAbsent = flag(expected, "absent", { byDefault: false });
  const besides = ["value", "from", "block"].filter((key) => ownValue(expected, key) !== undefined);
  if (isAbsent && besides.length > 0)
    report(`${field}.absent`, `${field}.absent is true, so there is no ${besides[0] ?? ""}; keep one of them`);
  if (!isAbsent && besides.length === 0) report(field, `${field} expects nothing: give value, from, block or absent`);
  const wrong = value === undefined ? undefined : valueProblem(world, kind, { keys, value });
  if (wrong !== undefined) report(`${field}.value`, `no ${kind.policyKind.kind} can have this value: ${wrong}`);
  const from = text(expected, "from", "");
  const backend = text(expected, "backend", "");
  return [
    {
      field,
      policyKind: kind.policyKind,
      name,
      pointer: pointerOf(keys),
      isKnown: knowledge === "Known",
      value: isAbsent ? { is: "Absent" } : value === undefined ? { is: "Any" } : { is: "Equal", value },
      from: from === "" ? undefined : reading.readName(from, `${field}.from`),
      block: BLOCKS.find((block) => block === expected["block"]),
      backend: backend === "" ? undefined : backend,
    },
  ];
}
