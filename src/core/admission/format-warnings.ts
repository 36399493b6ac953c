/** The plan of a request, as warnings. They name objects and count values; they contain no value of another policy, which the user may not be allowed to read. */
import { type BrokenCoverage, brokenCoverage } from "../check/coverage/coverage-changes.ts";
import { listNames } from "../check/list-names.ts";
import type { Verdict } from "../effective/verdicts/verdict.ts";
import { verdictOf } from "../effective/verdicts/verdict-of.ts";
import type { World } from "../effective/world/world.ts";
import { trafficOnPaths, worthByBackend } from "../explain/worth/traffic-changed.ts";
import type { Finding } from "../model/finding.ts";
import type { PolicyId } from "../model/refs.ts";
import { countKind, countKinds } from "../model/words/count-kinds.ts";
import { formatRetryCounts, formatWindow } from "../retry/format-share.ts";
import type { RetryKnowledge } from "../retry/retry-counts.ts";
import { countEffect, type EffectCount } from "./count-effect.ts";
import { formatWarning } from "./format-line.ts";
import type { OtherNames } from "./other-names.ts";
import type {
  ChangeEffect,
  DefinitionEffect,
  EffectSettings,
  FarPolicyEffect,
  FarRemovalEffect,
  ReachedKind,
  RequestEffect,
} from "./request-effect.ts";

/** Further warnings are left out; the last one says so. */
const MAX_WARNINGS = 5;

/** Findings about resources that could not be read, so that more may change than is known. */
export interface WarningSettings extends EffectSettings {
  readonly unread: readonly Finding[];
  /** The counts of data planes. Undefined: nothing is known. */
  readonly retries?: RetryKnowledge | undefined;
}

export function formatWarnings(
  effect: RequestEffect,
  { unread, retries }: Pick<WarningSettings, "unread" | "retries">,
): readonly string[] {
  const warnings = warningsOf(effect, retries);
  const all = [...warnings, ...(warnings.length === 0 ? [] : caveats(unread))].map(formatWarning);
  if (all.length <= MAX_WARNINGS) return all;
  const left = all.length - MAX_WARNINGS + 1;
  return [...all.slice(0, MAX_WARNINGS - 1), formatWarning(`${left} more; see kubectl prevail plan`)];
}

function warningsOf(effect: RequestEffect, retries: RetryKnowledge | undefined): readonly string[] {
  switch (effect.state) {
    case "Definition":
      return definitionWarnings(effect);
    case "FarPolicy":
      return farPolicyWarnings(effect);
    case "FarRemoval":
      return farRemovalWarnings(effect);
    case "Change":
      return changeWarnings(effect, retries);
  }
}

const COUNTED = "(counted, not compared); for the values see kubectl prevail plan";

const farPolicyWarnings = ({
  ref,
  paths,
  ancestors,
  request,
  names,
  findBroken,
}: FarPolicyEffect): readonly string[] => [
  `${doing(request.operation)} ${names.own(ref)} ends the effect of its settings on ${countKind(paths, "path")} below ${countKind(ancestors, "object")} ${COUNTED}`,
  ...findBroken().map((broken) => formatBrokenCoverage(broken, names)),
];

function farRemovalWarnings({ ref, deleted, below, ended, request, names }: FarRemovalEffect): readonly string[] {
  const list = (counts: readonly ReachedKind[]): string => countKinds(counts.slice(0, SHOWN_KINDS), names.kind);
  const what = [
    ...(deleted.length === 0 ? [] : [`deletes ${list(deleted)}`]),
    ...(below.length === 0
      ? []
      : [`removes the paths through ${deleted.length === 0 ? "it" : "them"} to ${list(below)}`]),
  ];
  return [
    `${doing(request.operation)} ${names.own(ref)} ${what.join(" and ")} ${COUNTED}`,
    ...(ended.length === 0 ? [] : [`${names.policies(ended)} will have no effect any more`]),
  ];
}

/** The kinds with the most objects. */
const SHOWN_KINDS = 3;

function definitionWarnings({ ref, errors, policies, request, names }: DefinitionEffect): readonly string[] {
  const name = names.own(ref);
  const [error] = errors.after;
  const affects = `${doing(request.operation)} ${name} affects ${countKind(policies, "policy")} of its kinds`;
  return [
    ...(error === undefined ? [] : [`${name} has an error and is not used: ${error.message}`]),
    ...(policies === 0 ? [] : [`${affects}; see kubectl prevail plan`]),
  ];
}

function changeWarnings(effect: ChangeEffect, retries: RetryKnowledge | undefined): readonly string[] {
  const count = countEffect(effect);
  return [
    ...summary(effect, count),
    ...retryWorth(effect, count, retries),
    ...ownVerdict(effect),
    ...otherVerdicts(effect),
    ...brokenCoverage(effect, effect.id).map((broken) => formatBrokenCoverage(broken, effect.names)),
    ...(count.policies.length === 0
      ? []
      : [`values on the new paths come from ${effect.names.policies(count.policies)}`]),
  ];
}

const doing = (operation: ChangeEffect["request"]["operation"]): string =>
  ({ CREATE: "creating", UPDATE: "changing", DELETE: "deleting" })[operation];

function summary({ ref, request, names }: ChangeEffect, count: EffectCount): readonly string[] {
  const { changed, added, removed, namespaces } = count;
  const parts = [
    ...(changed.paths === 0
      ? []
      : [`changes ${countKind(changed.values, "value")} on ${countKind(changed.paths, "path")}`]),
    ...(removed.paths === 0
      ? []
      : [`removes ${countKind(removed.paths, "path")} with ${countKind(removed.values, "value")}`]),
    ...(added.paths === 0 ? [] : [`adds ${countKind(added.paths, "path")} with ${countKind(added.values, "value")}`]),
  ];
  if (parts.length === 0) return [];
  const where = namespaces.length === 0 ? "" : ` in ${names.namespaces(namespaces)}`;
  return [`${doing(request.operation)} ${names.own(ref)} ${listNames(parts)}${where}; see kubectl prevail plan`];
}

/** The worth of retries on the paths where they change: the backend that owes them most. Absent counters are no zero: without them there is no warning. */
function retryWorth({ names }: ChangeEffect, { retryPaths }: EffectCount, retries?: RetryKnowledge): readonly string[] {
  if (retries === undefined || retryPaths.length === 0) return [];
  const { report } = retries;
  const [first, ...others] = worthByBackend(trafficOnPaths(retryPaths, report.counts));
  if (first === undefined) return [];
  const needing = others.filter(({ succeededByRetry }) => succeededByRetry > 0).length;
  const more = needing === 0 ? "" : `; ${countKind(needing, "more backend")} also`;
  return [
    `${formatWindow(report.windowMs)} ${formatRetryCounts(first, names.backend(first.backend, first.port))}${more}`,
  ];
}

/** The verdict of the policy that is created or changed, if it is not simply Enforced. */
function ownVerdict({ id, ref, before, after, names }: ChangeEffect): readonly string[] {
  const is = verdictIn(after, id as PolicyId);
  if (is === undefined || stateOf(is) === stateOf(verdictIn(before, id as PolicyId))) return [];
  const name = names.own(ref);
  if (is.state === "NotAccepted") {
    // The invalid field is in the object of the request itself.
    const why = is.reason === "Invalid" ? `: ${names.message(is.message, ref)}` : names.because(is.message, ref);
    return [`${name} will not be accepted (${is.reason})${why}`];
  }
  if (is.state === "Unknown") return [`whether ${name} will be accepted is not known${names.because(is.message, ref)}`];
  const { overriddenBy, overriddenByTotal, paths, none, partial } = is.total;
  const by = names.policies(
    overriddenBy.map(({ policy }) => policy),
    overriddenByTotal,
  );
  switch (is.enforcement) {
    case "Enforced":
      return [];
    case "PartiallyEnforced":
      return [`settings of ${name} will be overridden on ${none + partial} of ${countKind(paths, "path")} by ${by}`];
    case "Overridden":
      return [`${name} will have no effect: all its settings are overridden by ${by}`];
    case "NoPath":
      return [`${name} will have no effect: no path below its target ends at an effective target`];
    case "Incomplete":
      return [`where ${name} takes effect is not known: an object above its target could not be read`];
  }
}

function verdictIn(world: World, id: PolicyId): Verdict | undefined {
  const record = world.policies.get(id);
  return record === undefined ? undefined : verdictOf(world, record);
}

const stateOf = (verdict: Verdict | undefined): string | undefined =>
  verdict?.state === "Accepted" ? verdict.enforcement : verdict?.reason;

/** Policies that begin or cease to have an effect because of the request. */
function otherVerdicts({ id, delta, names }: ChangeEffect): readonly string[] {
  const others = delta.verdicts.filter(
    ({ policy, before, after }) => policy !== id && before !== undefined && after !== undefined,
  );
  const lost = others.filter(({ before, after }) => hasEffect(before) && !hasEffect(after));
  const gained = others.filter(({ before, after }) => !hasEffect(before) && hasEffect(after));
  const list = (changes: typeof others): string => names.policies(changes.map(({ policy }) => policy));
  return [
    ...(lost.length === 0 ? [] : [`${list(lost)} will have no effect any more`]),
    ...(gained.length === 0 ? [] : [`${list(gained)} will take effect`]),
  ];
}

const hasEffect = (verdict: Verdict | undefined): boolean =>
  verdict?.state === "Accepted" && (verdict.enforcement === "Enforced" || verdict.enforcement === "PartiallyEnforced");

/** `Limit everything: no LimitPolicy takes effect on HTTPRoute a/r`. The values are left out. */
export function formatBrokenCoverage({ rule, targets, isPart = false }: BrokenCoverage, names: OtherNames): string {
  const name = names.own(rule.object.ref);
  const demand = rule.message === "" ? "" : ` (${rule.message.replace(/[.\s]+$/, "")})`;
  return `${name}${demand} would not be met at ${names.targets(targets)}${isPart ? " or more" : ""}`;
}

const caveats = (unread: readonly Finding[]): readonly string[] =>
  unread.length === 0 ? [] : [`not everything could be read, so more may change: ${unread[0]?.message ?? ""}`];
