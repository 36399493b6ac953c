/** Findings about effective retry and timeout settings that contradict each other, from whichever policies they come. */

import type { EffectivePolicy } from "../../effective/fold/effective-policy.ts";
import { effectivePolicyAt } from "../../effective/fold/effective-policy-at.ts";
import { fieldOfPointer } from "../../effective/fold/field-of-pointer.ts";
import { foldPath } from "../../effective/fold/fold-path.ts";
import { hasPolicies } from "../../effective/paths/end-objects.ts";
import { formatTarget } from "../../effective/paths/format-path.ts";
import { nodesOf, type Path } from "../../effective/paths/path.ts";
import { PathFinder } from "../../effective/paths/path-finder.ts";
import type { CompiledKind } from "../../effective/world/compiled-kind.ts";
import { foreignGateways } from "../../effective/world/gateway-controllers.ts";
import type { World } from "../../effective/world/world.ts";
import { sourcePointer, type ValuePointer } from "../../explain/value-pointer.ts";
import type { EffectiveSpec } from "../../merge/effective-spec.ts";
import type { Source } from "../../merge/provenance.ts";
import { remember } from "../../model/collections/remember.ts";
import type { FindingCode } from "../../model/finding-code.ts";
import { findingCodes } from "../../model/finding-codes.ts";
import { isJsonList, isJsonObject, type Json, ownValue } from "../../model/json.ts";
import { GATEWAY_API, RETRY_POLICY } from "../../model/kinds.ts";
import { formatDurationMs } from "../../model/parse/parse-duration.ts";
import { formatRef, kindId, parseObjectId } from "../../model/refs.ts";
import { sumWaitsMs } from "../../retry/backoff.ts";
import { type RetrySettings, retrySettings } from "../../retry/retry-settings.ts";
import { retriesWithin } from "../../retry/retry-timeline.ts";
import { type CheckFinding, findingAt, type RelatedField } from "../check-finding.ts";

const HTTP_ROUTE = kindId({ group: GATEWAY_API, kind: "HTTPRoute" });

/** A contradiction and the settings it is about. The finding is at the first setting, the others are related. */
export interface RetryProblem {
  readonly code: FindingCode;
  readonly message: string;
  readonly fix: string;
  readonly settings: readonly string[];
}

type Problems = readonly RetryProblem[];

interface Occurrence {
  readonly problem: RetryProblem;
  readonly effective: EffectivePolicy;
  paths: number;
}

export const checkRetries = (world: World): readonly CheckFinding[] => checkRetrySettings(world, problemsOf);

/** Findings about the effective settings of each path, reported at the objects that set them. `hasSession`: whether requests of a path belong to sessions, if that matters. */
export function checkRetrySettings(
  world: World,
  problemsOf: (settings: RetrySettings, hasSession: boolean) => readonly RetryProblem[],
  hasSession: (path: Path) => boolean = () => false,
): readonly CheckFinding[] {
  const kind = world.rulebook.byPolicyKind.get(RETRY_POLICY);
  if (kind === undefined || !isAnythingSet(world, kind)) return [];
  const occurrences = new Map<string, Occurrence>();
  const known = { with: new Map<EffectiveSpec, Problems>(), without: new Map<EffectiveSpec, Problems>() };
  forEachPathOrRoute(world, kind, (path, core) => {
    const isInSession = hasSession(path);
    const problems = remember(known[isInSession ? "with" : "without"], core, () =>
      problemsOf(retrySettings(core.spec), isInSession),
    );
    if (problems.length > 0) note(world, occurrences, problems, path, kind);
  });
  return [...occurrences.values()].map((occurrence) => describe(world, occurrence));
}

function isAnythingSet(world: World, kind: CompiledKind): boolean {
  let isSet = hasPolicies(world, kind);
  world.objects.ofKind(HTTP_ROUTE).forEach(({ raw }) => {
    const spec = ownValue(raw, "spec");
    const rules = isJsonObject(spec) ? ownValue(spec, "rules") : undefined;
    isSet ||= isJsonList(rules) && rules.some(hasOwnSettings);
  });
  return isSet;
}

const hasOwnSettings = (rule: Json): boolean =>
  isJsonObject(rule) && (Object.hasOwn(rule, "retry") || Object.hasOwn(rule, "timeouts"));

/**
 * Visits every path, also those without a policy: routes have retries and timeouts of their own. Behind Gateways whose
 * controllers do not carry the kind out, these are all there is.
 */
function forEachPathOrRoute(
  world: World,
  kind: CompiledKind,
  visit: (path: Path, effective: EffectiveSpec) => void,
): void {
  const finder = new PathFinder(world, kind, { everyGateway: true });
  const foreign = foreignGateways(world, kind.definition);
  const isForeign = (path: Path): boolean => foreign.size > 0 && nodesOf(path).some(({ id }) => foreign.has(id));
  for (const end of kind.ends.keys()) {
    world.objects.ofKind(end).forEach((object) => {
      finder.forEachPathTo(object, (found) => {
        const path = isForeign(found) ? { ...found, stack: kind.stacks.empty } : found;
        visit(path, foldPath(path, kind));
      });
    });
  }
}

function problemsOf(settings: RetrySettings): readonly RetryProblem[] {
  return [
    ...waitProblems(settings),
    ...attemptProblems(settings),
    ...backoffProblems(settings),
    ...codeProblems(settings),
  ];
}

const ms = formatDurationMs;

function* waitProblems({ plan, timeouts }: RetrySettings): Generator<RetryProblem> {
  const { requestMs, backendRequestMs } = timeouts;
  if (plan === undefined || requestMs === undefined || plan.attempts === 0) return;
  const { attempts, backoffMs } = plan;
  const retries = attempts === 1 ? "1 retry" : `${attempts} retries`;
  const waits = sumWaitsMs(plan, attempts, "least");
  const slowest = waits + (attempts + 1) * (backendRequestMs ?? 0);
  if (backoffMs !== undefined && waits >= requestMs) {
    const inTime = retriesWithin(plan, requestMs);
    const effect = inTime === 0 ? "none of them can start" : `at most ${inTime} of them can start`;
    yield {
      code: "RetriesExceedTimeout",
      message: `${retries}, the first at least ${ms(backoffMs)} after the failure and each later one after a longer wait, wait ${ms(waits)} in total, but the request times out after ${ms(requestMs)}: ${effect}`,
      fix: "Lower retry.backoff or retry.attempts, or raise timeouts.request.",
      settings: ["/retry/attempts", "/retry/backoff", "/timeouts/request"],
    };
  } else if (slowest > requestMs) {
    const attemptsAndWaits =
      backendRequestMs === undefined
        ? "with waits that double from attempt to attempt"
        : `with attempts of up to ${ms(backendRequestMs)} and waits that double from attempt to attempt`;
    yield {
      code: "RetriesMayNotFit",
      message: `${retries} may need ${ms(slowest)} ${attemptsAndWaits}, but the request times out after ${ms(requestMs)}`,
      fix: "Raise timeouts.request if all retries must fit; none needed if the timeout matters more.",
      settings: ["/retry/attempts", "/retry/backoff", "/timeouts/request", "/timeouts/backendRequest"],
    };
  }
}

function* attemptProblems({ timeouts: { requestMs, backendRequestMs } }: RetrySettings): Generator<RetryProblem> {
  if (requestMs === undefined || backendRequestMs === undefined || backendRequestMs <= requestMs) return;
  yield {
    code: "AttemptOutlivesRequest",
    message: `one attempt may take ${ms(backendRequestMs)}, but the whole request times out after ${ms(requestMs)}: the timeout of the attempt has no effect`,
    fix: "Set timeouts.backendRequest lower than timeouts.request.",
    settings: ["/timeouts/backendRequest", "/timeouts/request"],
  };
}

function* backoffProblems({ plan }: RetrySettings): Generator<RetryProblem> {
  if (plan === undefined || plan.attempts === 0) return;
  const { backoffMs, maxBackoffMs } = plan;
  if (backoffMs === undefined || maxBackoffMs === undefined || backoffMs <= maxBackoffMs) return;
  yield {
    code: "BackoffAboveMaximum",
    message: `the wait before a retry is ${ms(backoffMs)}, but the longest wait is ${ms(maxBackoffMs)}: ${ms(backoffMs)} is used as the longest wait`,
    fix: "Raise maxBackoff, or lower backoff.",
    settings: ["/retry/maxBackoff", "/retry/backoff"],
  };
}

function* codeProblems({ plan }: RetrySettings): Generator<RetryProblem> {
  const useless =
    plan === undefined || plan.attempts === 0 ? [] : plan.codes.filter((code) => code < 400 || code > 599);
  if (useless.length === 0) return;
  yield {
    code: "CodeNotRetried",
    message: `status ${useless.length === 1 ? "code" : "codes"} ${useless.slice(0, 10).join(", ")} cannot be retried: only responses from 400 to 599 are failures`,
    fix: "List codes from 400 to 599.",
    settings: ["/retry/codes"],
  };
}

/** Equal settings from the same fields are one finding, with the number of paths. */
function note(
  world: World,
  occurrences: Map<string, Occurrence>,
  problems: readonly RetryProblem[],
  path: Path,
  kind: CompiledKind,
): void {
  const effective = effectivePolicyAt(path, kind);
  for (const problem of problems) {
    const locations = problem.settings.map((pointer) => locationOf(world, effective, pointer));
    const key = [
      problem.code,
      problem.message,
      ...locations.map((location) => `${location?.object}${location?.pointer}`),
    ].join("\n");
    const known = occurrences.get(key);
    if (known === undefined) occurrences.set(key, { problem, effective, paths: 1 });
    else known.paths++;
  }
}

const sourceOf = ({ sources }: EffectivePolicy, pointer: string): Source | undefined =>
  sources.find((source) => source.pointer === pointer);

function locationOf(world: World, effective: EffectivePolicy, pointer: string): ValuePointer | undefined {
  const source = sourceOf(effective, pointer);
  return source === undefined ? undefined : sourcePointer(world, effective.policyKind, source, effective.path);
}

function describe(world: World, { problem, effective, paths }: Occurrence): CheckFinding {
  const { code, message, fix, settings } = problem;
  const related = settings.flatMap((pointer): readonly RelatedField[] => {
    const location = locationOf(world, effective, pointer);
    if (location === undefined) return [];
    const owner = formatRef(parseObjectId(location.object));
    return [
      {
        object: location.object,
        field: fieldOfPointer(location.pointer),
        message: `${fieldOfPointer(pointer)} is set by ${owner}`,
      },
    ];
  });
  const [first, ...rest] = related;
  const object = first === undefined ? undefined : world.objects.get(first.object);
  const where = paths === 1 ? "" : `, and on ${paths - 1} more ${paths === 2 ? "path" : "paths"}`;
  return findingAt(object, {
    code,
    severity: findingCodes[code].severity,
    ...(first?.field === undefined ? {} : { field: first.field }),
    message: `${message}. This is so at ${formatTarget(effective.path)}${where}`,
    fix,
    ...(rest.length === 0 ? {} : { related: rest }),
  });
}
