/** Compares conditions in the words of a vendor with the verdict of a policy. */
import { verdictOf } from "../../effective/verdicts/verdict-of.ts";
import type { PolicyRecord, World } from "../../effective/world/world.ts";
import {
  type StatusState,
  type StatusWord,
  type StatusWords,
  statusStates,
} from "../../model/definition/status-rules.ts";
import { isJsonObject } from "../../model/json.ts";
import type { Unit } from "../../model/policy.ts";
import type { ObjectId } from "../../model/refs.ts";
import { enforcement } from "../../status/conditions.ts";

/** The states that Prevail computes for a policy, at one ancestor or as a whole. */
export interface ComputedStates {
  readonly states: ReadonlySet<StatusState>;
  readonly message: string;
}

interface ComputedFor {
  /** Undefined: the policy as a whole. */
  readonly ancestor: ObjectId | undefined;
  /** False: only whether the policy is accepted is compared. */
  readonly withEffect: boolean;
}

/** Undefined: whether the policy is accepted is not known. */
export function computedStates(
  world: World,
  record: PolicyRecord,
  { ancestor, withEffect }: ComputedFor,
): ComputedStates | undefined {
  const verdict = verdictOf(world, record);
  if (verdict.state === "Unknown") return undefined;
  if (verdict.state === "NotAccepted") {
    const state = statusStates.find((one) => one === verdict.reason);
    return state === undefined ? undefined : { states: new Set([state]), message: verdict.message };
  }
  const [above] = ancestor === undefined ? [] : (world.links.get(ancestor)?.up ?? []);
  const at =
    verdict.ancestors.find((one) => one.ancestor === ancestor) ??
    verdict.ancestors.find((one) => above !== undefined && one.ancestor === above.parent);
  const state = at?.enforcement ?? verdict.enforcement;
  const states = new Set<StatusState>(["Accepted"]);
  // Vendors differ in what they call a policy that sets nothing.
  const setsNothing = record.policy?.blocks.every(({ units }) => units.every(isEmptyMap)) === true;
  if (state === "Incomplete" || setsNothing || !withEffect) return { states, message: "" };
  states.add(state);
  // A policy with several targets can be refused at one of them.
  if (record.targets.rejections.length > 0) states.add("TargetNotFound");
  const { message } = enforcement(record.object, "Enforced", state, at?.tally ?? verdict.total);
  return { states, message };
}

const isEmptyMap = ({ value }: Unit): boolean => isJsonObject(value) && Object.keys(value).length === 0;

/** A condition of a status. */
interface ClaimedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/**
 * Claimed and real
 *
 * A condition is compared by the states for which the definition lists it. It differs if it is listed, and the policy is in none of these states. A
 * controller validates more than Prevail does: that it calls a policy invalid is no difference. Where it is not known whether a policy takes
 * effect, only its acceptance is compared.
 * GEP-713, "Meta resource status"
 */
export function differsInWords(claim: ClaimedCondition, words: StatusWords, { states }: ComputedStates): boolean {
  const reported = statusStates.filter((state) => reportsState(claim, words, state));
  if (reported.length === 0 || reported.includes("Invalid") || reported.some((state) => states.has(state)))
    return false;
  const isAboutEffect = reported.every((state) => EFFECTS.has(state));
  return !(isAboutEffect && ![...states].some((state) => EFFECTS.has(state)) && states.has("Accepted"));
}

const EFFECTS: ReadonlySet<StatusState> = new Set(["Enforced", "PartiallyEnforced", "Overridden", "NoPath"]);

/** True if the condition is one of those for the state. */
export const reportsState = (claim: ClaimedCondition, words: StatusWords, state: StatusState): boolean =>
  words[state]?.some((word) => isWritten(claim, word)) ?? false;

const isWritten = ({ type, status, reason }: ClaimedCondition, word: StatusWord): boolean =>
  type === word.type && status === word.status && (word.reason === undefined || word.reason === reason);

/** `Conflicted (Accepted=False/Conflicted)`: the computed states, with the conditions for them. */
export const formatStates = ({ states }: ComputedStates, words: StatusWords): string =>
  [...states]
    .map((state) => {
      const [word] = words[state] ?? [];
      if (word === undefined) return state;
      return `${state} (${word.type}=${word.status}${word.reason === undefined ? "" : `/${word.reason}`})`;
    })
    .join(" and ");
