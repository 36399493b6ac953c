/** The conditions of a policy at one ancestor, and their messages. */
import { joinMessages } from "../effective/verdicts/join-messages.ts";
import type { Enforcement, Tally } from "../effective/verdicts/verdict.ts";
import type { PolicyRecord } from "../effective/world/world.ts";
import { isJsonObject, ownValue } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { formatRef, type ObjectId, type PolicyId, parseObjectId, parseTargetId, type TargetId } from "../model/refs.ts";
import { clipText } from "../model/words/clip-text.ts";
import type { PartialEnforcement } from "./partial-enforcement-finder.ts";
import type { Condition } from "./status-report.ts";

/** The longest message that an API server accepts in a condition. */
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

/** `missed`: the reasons for targets that the policy is not attached to; empty if there are none. */
export const accepted = (policy: KubeObject, missed = ""): Condition =>
  condition(policy, {
    type: "Accepted",
    status: "True",
    reason: "Accepted",
    message: missed === "" ? "the policy is attached" : `the policy is attached, but not to every target: ${missed}`,
  });

export const notAccepted = (policy: KubeObject, reason: string, message: string): Condition =>
  condition(policy, { type: "Accepted", status: "False", reason, message });

/** The target is not in the input, and may exist elsewhere; or it is not defined which policy on the target takes effect. */
export const acceptanceUnknown = (policy: KubeObject, reason: string, message: string): Condition =>
  condition(policy, { type: "Accepted", status: "Unknown", reason, message });

export const INCOMPLETE = "Incomplete";
export const UNDEFINED = "Undefined";

/** The type of the second condition: `Programmed` in GEP-713 since 2026, `Enforced` before. */
export type Vocabulary = "Enforced" | "Programmed";

/**
 * Enforced, PartiallyEnforced, Overridden
 *
 * The condition is True with reason Enforced if all settings of the policy take effect on all its complete paths, True with reason
 * PartiallyEnforced if some do, and False with reason Overridden if none does. The message names the overriding policies. Without a
 * complete path it is Unknown with reason Incomplete: an object above is not in the input.
 * GEP-713, "Meta resource status"
 */
export function enforcement(
  policy: KubeObject,
  type: Vocabulary,
  state: Enforcement,
  { incomplete, ...counts }: Tally,
  parts?: PartialEnforcement,
  notKnown: string = NOT_IN_INPUT,
): Condition {
  // The counters other than these two are about complete paths.
  const tally = { ...counts, paths: counts.paths - incomplete };
  const { message, ...rest } = enforcementOf(type, state, tally, parts, notKnown);
  const others = incomplete === 0 || state === "Incomplete" ? "" : `; ${formatIncomplete(incomplete, notKnown)}`;
  return condition(policy, { ...rest, message: `${message}${others}` });
}

type CompletePaths = Omit<Tally, "incomplete">;

const formatIncomplete = (paths: number, notKnown: string): string =>
  `${count(paths)} ${paths === 1 ? "is" : "are"} incomplete: ${notKnown}`;

const NOT_IN_INPUT =
  "an object above, such as a Gateway or its GatewayClass, is not in the input, so it is not known what takes effect there";

/** Why paths of a kind are incomplete in which it may not be defined which policy takes effect. */
export const NOT_DEFINED =
  "an object above is not in the input, or it is not defined which policy on a target takes effect, so it is not known what takes effect there";

function enforcementOf(
  type: Vocabulary,
  state: Enforcement,
  tally: CompletePaths,
  parts: PartialEnforcement | undefined,
  notKnown: string,
): Pick<Condition, "type" | "status" | "reason" | "message"> {
  switch (state) {
    case "Enforced":
      return { type, status: "True", reason: type, message: everywhereInEffect(tally) };
    case "PartiallyEnforced":
      return { type, status: "True", reason: `Partially${type}`, message: formatPartial(tally, parts) };
    case "Overridden":
      return { type, status: "False", reason: "Overridden", message: formatOverridden(tally) };
    case "NoPath":
      return { type, status: "False", reason: "NoPath", message: NO_PATH };
    case "Incomplete":
      return {
        type,
        status: "Unknown",
        reason: INCOMPLETE,
        message: `every path of the policy is incomplete: ${notKnown}`,
      };
  }
}

const NO_PATH = "no path below the target of the policy ends at an effective target";

/** `reasons`: why the target is not linked to its parents. */
export const noPath = (policy: KubeObject, type: Vocabulary, reasons: readonly string[]): Condition =>
  condition(policy, {
    type,
    status: "False",
    reason: "NoPath",
    message: reasons.length === 0 ? NO_PATH : `the target is not attached to a parent: ${reasons.join("; ")}`,
  });

/** No path is in the input, and routes elsewhere may use the target. */
export const pathsUnknown = (policy: KubeObject, type: Vocabulary): Condition =>
  condition(policy, {
    type,
    status: "Unknown",
    reason: INCOMPLETE,
    message:
      "no path below the target of the policy is in the input; routes that are not in the input may use the target",
  });

/** The condition of a policy whose references are not known to be valid. */
export const undecided = ({ object, references }: PolicyRecord, type: Vocabulary): Condition =>
  condition(object, {
    type,
    status: "Unknown",
    reason: INCOMPLETE,
    message: `whether the references of the policy are valid is not known: ${formatUnknown(references.unknown)}`,
  });

const formatUnknown = (unknown: PolicyRecord["references"]["unknown"]): string =>
  joinMessages(unknown.map(({ field, ref }) => `${field}: ${formatRef(ref)} is not in the input`));

export const reconciling = (policy: KubeObject, type: Vocabulary, ancestor: ObjectId): Condition =>
  condition(policy, {
    type,
    status: "False",
    reason: "Reconciling",
    message: `the data plane of ${formatRef(parseObjectId(ancestor))} has not acknowledged the configuration yet`,
  });

/**
 * ResolvedRefs
 *
 * True if every reference in the spec resolves, False with the reason of the first one that does not, and Unknown if an object is not
 * in the input. Kinds without references have no such condition.
 * Gateway API, "BackendTLSPolicyConditionResolvedRefs"
 */
export function resolvedRefs({ object, kind, references }: PolicyRecord): readonly Condition[] {
  const { problems, unknown } = references;
  const [problem] = problems;
  const [missing] = unknown;
  const type = "ResolvedRefs";
  if (kind.definition.references === undefined) return [];
  if (problem !== undefined) {
    const message = joinMessages(problems.map(({ field, message: why }) => `${field}: ${why}`));
    return [condition(object, { type, status: "False", reason: problem.reason, message })];
  }
  if (missing === undefined)
    return [condition(object, { type, status: "True", reason: type, message: "all references resolve" })];
  return [condition(object, { type, status: "Unknown", reason: "Incomplete", message: formatUnknown(unknown) })];
}

const count = (number: number): string => (number === 1 ? "1 path" : `${number} paths`);
const everywhere = (paths: number): string => (paths === 1 ? "its only path" : `all of its ${paths} paths`);

function everywhereInEffect(tally: CompletePaths): string {
  const { paths, full, met, idle } = tally;
  if (full === paths) return `takes effect on ${everywhere(paths)}`;
  if (met === paths) return `constraint met: on ${count(paths)} the condition of the policy is false`;
  if (idle === paths) return `nothing to set or to remove on ${everywhere(paths)}`;
  return formatEffects(tally);
}

/** The paths on which the policy takes effect or not, the overriding policies and the targets. */
function formatOverridden(tally: CompletePaths): string {
  const { overriddenBy, overriddenByTotal, overriddenAt, overriddenAtTotal } = tally;
  const winners = namesOf(overriddenBy.map(({ policy }) => policy));
  const targets = overriddenAt.map(({ target }) => formatTargetId(target));
  const by = winners.length === 0 ? "by the objects' own values" : `by ${list(winners, overriddenByTotal)}`;
  return `${formatEffects(tally)}; overridden ${by}, at ${list(targets, overriddenAtTotal)}`;
}

/** The message of PartiallyEnforced: formatOverridden, and the settings on one path. */
function formatPartial(tally: CompletePaths, parts: PartialEnforcement | undefined): string {
  const message = formatOverridden(tally);
  return parts === undefined ? message : `${message}. On ${parts.path}: ${formatSettings(parts)}`;
}

/** The number of settings that a message names, of those that take effect and of the others; `reach` lists all. */
const MAX_SETTINGS = 5;
const MAX_SETTING = 100;

function formatSettings({ inEffect, superseded }: PartialEnforcement): string {
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
    ...(kept.length === 0
      ? []
      : [`${list(kept, inEffect.length)} ${inEffect.length === 1 ? "takes effect" : "take effect"}`]),
    ...[...byWinners].map(
      ([winners, settings]) =>
        `${settings.join(", ")} ${settings.length === 1 ? "is" : "are"} overridden by ${winners}`,
    ),
    ...(left === 0 ? [] : [`${left} more ${left === 1 ? "is" : "are"} overridden`]),
  ].join("; ");
}

const shownSetting = (setting: string): string => clipText(setting, MAX_SETTING);
const namesOf = (policies: readonly PolicyId[]): readonly string[] =>
  policies.map((policy) => formatRef(parseObjectId(policy)));

function formatEffects({ paths, full, partial, none, met, idle }: CompletePaths): string {
  if (none === paths) return `is overridden on ${everywhere(paths)}`;
  if (partial === paths) return `takes effect in part on ${everywhere(paths)}`;
  const parts = [
    ...(full === 0 ? [] : [`takes effect on ${full}`]),
    ...(partial === 0 ? [] : [`takes effect in part on ${partial}`]),
    ...(none === 0 ? [] : [`is overridden on ${none}`]),
    ...(met === 0 ? [] : [`has its constraint met on ${met}`]),
    ...(idle === 0 ? [] : [`has nothing to remove on ${idle}`]),
  ];
  return `of its ${paths} paths, ${parts.join(", ")}`;
}

const list = (names: readonly string[], total: number): string =>
  `${names.join(", ")}${total > names.length ? ` and ${total - names.length} more` : ""}`;

function formatTargetId(target: TargetId): string {
  const { object, sectionName } = parseTargetId(target);
  return formatRef(parseObjectId(object), sectionName);
}
