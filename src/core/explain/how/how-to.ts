/** Finds the changes that make wanted settings take effect on a target. */
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { refusalsOf } from "../../effective/world/link-indexes.ts";
import type { World } from "../../effective/world/world.ts";
import { addsUp } from "../../merge/accumulated-pointer.ts";
import { isBlockName } from "../../model/block-names.ts";
import { formatLevel } from "../../model/levels.ts";
import { formatRef, type GroupKind, kindId, parseObjectId } from "../../model/refs.ts";
import { joinWords } from "../../model/words/count-kinds.ts";
import { didYouMean } from "../../model/words/did-you-mean.ts";
import { formatKeys } from "../../model/words/format-keys.ts";
import type { ObjectOrSection } from "../paths-through.ts";
import { answerKind } from "./answer-kind.ts";
import { knowledgeOf, settingNames, valueProblem } from "./known-settings.ts";
import type { How, HowProblem, KindAnswer, WantedSetting } from "./result.ts";
import { findContradiction, parseWish, settingsOf, type Wish } from "./settings.ts";
import type { TryChanges } from "./trials.ts";

export interface HowInput {
  readonly target: ObjectOrSection;
  readonly wanted: readonly WantedSetting[];
  /** Only policies of this kind. */
  readonly policyKind?: GroupKind | undefined;
}

export function howTo(world: World, input: HowInput, tryChanges: TryChanges): How {
  const { group, kind, namespace, name } = parseObjectId(input.target.id);
  const { sectionName } = input.target;
  const answered = answer(world, input, tryChanges);
  return {
    target: { group, kind, namespace, name, ...(sectionName === undefined ? {} : { sectionName }) },
    wanted: input.wanted,
    ...("reason" in answered ? { kinds: [], problem: answered } : { kinds: answered }),
  };
}

function answer(world: World, input: HowInput, tryChanges: TryChanges): readonly KindAnswer[] | HowProblem {
  const { target, wanted, policyKind } = input;
  const wishes: Wish[] = [];
  for (const one of wanted) {
    const wish = parseWish(one);
    if (wish === undefined) return invalidPath(one.path);
    wishes.push(wish);
  }
  const asked = world.rulebook.kinds.filter(({ definition }) =>
    definition.policies.some((own) => policyKind === undefined || kindId(own) === kindId(policyKind)),
  );
  if (asked.length === 0 || wishes.length === 0) return noKind(world, policyKind);
  const candidates = asked.filter(({ definition }) => !wishes.some(({ keys }) => addsUp(definition, keys)));
  const [only] = asked;
  if (candidates.length === 0 && only !== undefined) return allTakeEffect(only);
  const named = policyKind !== undefined;
  const having = candidates.filter((kind) =>
    wishes.every(({ keys }) => {
      const knowledge = knowledgeOf(world, kind, keys);
      return knowledge === "Known" || (named && knowledge === "Open");
    }),
  );
  if (having.length === 0) return unknownSetting(world, candidates, wishes);
  const accepting = having.filter((kind) => wishes.every((wish) => valueProblem(world, kind, wish) === undefined));
  const [kind] = having;
  if (accepting.length === 0 && kind !== undefined) return invalidValue(world, kind, wishes);
  const answers: KindAnswer[] = [];
  for (const one of accepting) {
    const settings = settingsOf(wishes, one.tools.unitRules);
    const clash = findContradiction(settings);
    if (clash !== undefined) return contradiction(clash);
    const found = answerKind(world, one, target, settings, tryChanges);
    if (found !== undefined) answers.push(found);
  }
  return answers.length > 0 ? answers : noPath(world, target, accepting);
}

const invalidPath = (path: string): HowProblem => ({
  reason: "InvalidPath",
  message: `'${path}' is not the path of a setting`,
  hints: ['A path is written retry.attempts, limits["a.b"].requests or /retry/attempts.'],
});

function noKind({ rulebook }: World, kind: GroupKind | undefined): HowProblem {
  const names = rulebook.kinds.flatMap(({ definition }) => definition.policies.map((own) => own.kind));
  const what =
    kind === undefined ? "there is no policy kind, or no setting is wanted" : `${kind.kind} is not a policy kind`;
  return {
    reason: "UnknownKind",
    message: `${what}${kind === undefined ? "" : didYouMean(kind.kind, names)}`,
    hints: names.length === 0 ? [] : [`Policy kinds are: ${names.join(", ")}`],
  };
}

/** Where all policies take effect, a setting has a value for each policy: there is no one value to reach. */
const allTakeEffect = ({ policyKind: { kind } }: CompiledKind): HowProblem => ({
  reason: "AllTakeEffect",
  message: `all policies of the kind ${kind} take effect, so a setting has a value for each of them and not one value`,
  hints: ["A new policy on the target adds its settings. explain lists the policies that take effect there."],
});

const SHOWN = 20;

function unknownSetting(world: World, kinds: readonly CompiledKind[], wishes: readonly Wish[]): HowProblem {
  const missing =
    wishes.find(({ keys }) => kinds.every((kind) => knowledgeOf(world, kind, keys) !== "Known")) ?? wishes[0];
  const keys = missing?.keys ?? [];
  const path = formatKeys(keys);
  const names = kinds.map((kind) => ({ kind, settings: settingNames(world, kind) }));
  const all = [...new Set(names.flatMap(({ settings }) => settings))];
  const inner = keys[0] === "spec" || isBlockName(keys[0] ?? "") ? formatKeys(keys.slice(1)) : "";
  const near = inner !== "" && all.includes(inner) ? `; did you mean '${inner}'?` : didYouMean(path, all);
  const what =
    kinds.length === 1 ? `${kinds[0]?.policyKind.kind ?? ""} has no setting` : "no policy kind has a setting";
  const lists = names.map(({ kind, settings }) => {
    const more = settings.length > SHOWN ? ` and ${settings.length - SHOWN} more` : "";
    return settings.length === 0
      ? `The settings of ${kind.policyKind.kind} are not known: its CRD is not in the input, and no policy sets any.`
      : `${kind.policyKind.kind} has: ${settings.slice(0, SHOWN).join(", ")}${more}`;
  });
  const isOpen = kinds.some((kind) => knowledgeOf(world, kind, keys) === "Open");
  const hint = isOpen && kinds.length > 1 ? ["If a kind without a schema has it, name the kind (--policy KIND)."] : [];
  return {
    reason: "UnknownSetting",
    message: `${what} '${path}'${near}`,
    hints: near === "" ? [...lists, ...hint] : [],
  };
}

function invalidValue(world: World, kind: CompiledKind, wishes: readonly Wish[]): HowProblem {
  const message = wishes.map((wish) => valueProblem(world, kind, wish)).find((one) => one !== undefined) ?? "";
  return { reason: "InvalidValue", message: `${kind.policyKind.kind}: ${message}`, hints: [] };
}

const contradiction = ([a, b]: NonNullable<ReturnType<typeof findContradiction>>): HowProblem => ({
  reason: "Contradiction",
  message:
    a.pointer === b.pointer
      ? `${formatKeys(a.keys)} is wanted twice, with different values`
      : `${formatKeys(a.keys)} and ${formatKeys(b.keys)} cannot both be as wanted`,
  hints: [],
});

function noPath(world: World, { id, sectionName }: ObjectOrSection, kinds: readonly CompiledKind[]): HowProblem {
  const name = formatRef(parseObjectId(id), sectionName);
  const [refusal] = refusalsOf(world, id);
  const ends = (kind: CompiledKind): string =>
    `${kind.policyKind.kind} takes effect on: ${kind.definition.hierarchy.effectiveTargets.map(formatLevel).join(", ")}`;
  const below = refusal === undefined ? kinds.flatMap((kind) => objectsBelow(world, id, kind)) : [];
  return {
    reason: "NoPath",
    message:
      `no path of ${joinWords(kinds.map(({ policyKind }) => policyKind.kind))} leads through ${name}` +
      (refusal === undefined ? "" : `: ${refusal.reason}`),
    hints: [
      ...(refusal === undefined ? kinds.map(ends) : []),
      ...(below.length === 0 ? [] : [`Ask about what is below it: ${[...new Set(below)].slice(0, SHOWN).join(", ")}`]),
    ],
  };
}

/** Children of the object where policies of the kind take effect. */
const objectsBelow = (world: World, id: ObjectOrSection["id"], { ends }: CompiledKind): readonly string[] =>
  (world.childLinksOf(id)?.down ?? [])
    .map(({ child }) => parseObjectId(child))
    .filter((ref) => ends.has(kindId(ref)))
    .map((ref) => formatRef(ref));
