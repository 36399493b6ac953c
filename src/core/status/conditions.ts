/** Conditions of policies, and the words in them. */
import type { Enforcement, Tally } from "../effective/verdicts/verdict.ts";
import { isJsonObject, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import {
  displayRef,
  type ObjectId,
  type PolicyId,
  parseObjectId,
  parseTargetId,
  type TargetId,
} from "../model/refs.ts";
import { clipText } from "../model/words/clip-text.ts";
import type { Parts } from "./parts-finder.ts";
import type { Condition } from "./status-report.ts";

/** metav1.Condition: the longest message that an API server takes. */
const MAX_MESSAGE = 32_768;

export function condition(
  object: KubeObject,
  { message, ...rest }: Pick<Condition, "type" | "status" | "reason" | "message">,
): Condition {
  const metadata = ownValue(object.raw, "metadata");
  const generation = isJsonObject(metadata) ? ownValue(metadata, "generation") : undefined;
  return {
    ...rest,
    message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message,
    ...(typeof generation === "number" ? { observedGeneration: generation } : {}),
  };
}

/** `missed`: what is to be said of targets that it is not attached to, if anything. */
export const accepted = (policy: KubeObject, missed = ""): Condition =>
  condition(policy, {
    type: "Accepted",
    status: "True",
    reason: "Accepted",
    message: missed === "" ? "the policy is attached" : `the policy is attached, but not to every target: ${missed}`,
  });

export const notAccepted = (policy: KubeObject, reason: string, message: string): Condition =>
  condition(policy, { type: "Accepted", status: "False", reason, message });

/** GEP-713 since 2026 says Programmed; its standard text of before, Enforced. */
export type Vocabulary = "Enforced" | "Programmed";

/** `parts`: of a policy that prevails in part, what became of them on one path. */
export function enforcement(
  policy: KubeObject,
  type: Vocabulary,
  state: Enforcement,
  tally: Tally,
  parts?: Parts,
): Condition {
  switch (state) {
    case "Enforced":
      return condition(policy, { type, status: "True", reason: type, message: prevails(tally) });
    case "PartiallyEnforced":
      return condition(policy, { type, status: "True", reason: `Partially${type}`, message: inPart(tally, parts) });
    case "Overridden":
      return condition(policy, { type, status: "False", reason: "Overridden", message: overridden(tally) });
    case "NoPath":
      return condition(policy, {
        type,
        status: "False",
        reason: "NoPath",
        message: "nothing that the policy could act on lies below its target",
      });
  }
}

export const reconciling = (policy: KubeObject, type: Vocabulary, ancestor: ObjectId): Condition =>
  condition(policy, {
    type,
    status: "False",
    reason: "Reconciling",
    message: `the data plane of ${displayRef(parseObjectId(ancestor))} has not acknowledged the configuration yet`,
  });

const count = (number: number): string => (number === 1 ? "1 path" : `${number} paths`);
const everywhere = (paths: number): string => (paths === 1 ? "its only path" : `all of its ${paths} paths`);

function prevails(tally: Tally): string {
  const { paths, met } = tally;
  if (met === paths) return `constraint met: on ${count(paths)} the condition of the policy does not ask it to act`;
  return met === 0 ? `prevails on ${everywhere(paths)}` : fates(tally);
}

/** GEP-713, "Meta resource status": which parts, with references to the other policies. */
function overridden(tally: Tally): string {
  const { overriddenBy, overriddenByTotal, overriddenAt, overriddenAtTotal } = tally;
  const winners = namesOf(overriddenBy.map(({ policy }) => policy));
  const places = overriddenAt.map(({ target }) => displayTarget(target));
  const by = winners.length === 0 ? "by the objects' own values" : `by ${list(winners, overriddenByTotal)}`;
  return `${fates(tally)}; overridden ${by}, at ${list(places, overriddenAtTotal)}`;
}

/** The same, and which parts on one path. */
function inPart(tally: Tally, parts: Parts | undefined): string {
  const message = overridden(tally);
  return parts === undefined ? message : `${message}. On ${parts.path}: ${partWords(parts)}`;
}

/** Settings that are named, of those that prevail and of those that do not; `reach` tells all. */
const MAX_SETTINGS = 5;
const MAX_SETTING = 100;

function partWords({ inEffect, superseded }: Parts): string {
  const named = superseded.slice(0, MAX_SETTINGS);
  const byWinners = new Map<string, string[]>();
  for (const { setting, by } of named) {
    const winners = by.length === 0 ? "the object's own value" : list(namesOf(by.slice(0, MAX_SETTINGS)), by.length);
    const settings = byWinners.get(winners) ?? [];
    byWinners.set(winners, settings);
    settings.push(shownSetting(setting));
  }
  const kept = inEffect.slice(0, MAX_SETTINGS).map(shownSetting);
  const left = superseded.length - named.length;
  return [
    ...(kept.length === 0 ? [] : [`${list(kept, inEffect.length)} ${inEffect.length === 1 ? "prevails" : "prevail"}`]),
    ...[...byWinners].map(
      ([winners, settings]) =>
        `${settings.join(", ")} ${settings.length === 1 ? "is" : "are"} superseded by ${winners}`,
    ),
    ...(left === 0 ? [] : [`${left} more ${left === 1 ? "is" : "are"} superseded`]),
  ].join("; ");
}

const shownSetting = (setting: string): string => clipText(setting, MAX_SETTING);
const namesOf = (policies: readonly PolicyId[]): readonly string[] =>
  policies.map((policy) => displayRef(parseObjectId(policy)));

function fates({ paths, full, partial, none, met }: Tally): string {
  if (none === paths) return `is overridden on ${everywhere(paths)}`;
  if (partial === paths) return `prevails in part on ${everywhere(paths)}`;
  const parts = [
    ...(full === 0 ? [] : [`prevails on ${full}`]),
    ...(partial === 0 ? [] : [`prevails in part on ${partial}`]),
    ...(none === 0 ? [] : [`is overridden on ${none}`]),
    ...(met === 0 ? [] : [`has its constraint met on ${met}`]),
  ];
  return `of its ${paths} paths, ${parts.join(", ")}`;
}

const list = (names: readonly string[], total: number): string =>
  `${names.join(", ")}${total > names.length ? ` and ${total - names.length} more` : ""}`;

function displayTarget(target: TargetId): string {
  const { object, sectionName } = parseTargetId(target);
  return displayRef(parseObjectId(object), sectionName);
}
