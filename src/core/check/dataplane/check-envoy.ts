/** Findings about what Envoy refuses or does differently, each at the object and field that configure it. */
import { type DirectPolicies, directPolicies } from "../../dataplane/compile/compile-backend.ts";
import type { BackendConfig, DataplaneConfig, RouteConfig, RuleConfig } from "../../dataplane/gateway-config.ts";
import { nodesOf, type Path } from "../../effective/paths/path.ts";
import type { World } from "../../effective/world/world.ts";
import { type EnvoyLimit, type RuleLimit, retryLimits, ruleLimits } from "../../envoy/envoy-limits.ts";
import { faultOfMatch, faultOfRule } from "../../envoy/find-faults.ts";
import type { FindingCode } from "../../model/finding-code.ts";
import { findingCodes } from "../../model/finding-codes.ts";
import { isJsonObject, ownValue } from "../../model/json.ts";
import { type ObjectRef, objectId } from "../../model/refs.ts";
import type { MatchRegex } from "../../model/regex.ts";
import type { RetrySettings } from "../../retry/retry-settings.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";
import { checkRetrySettings, type RetryProblem } from "./check-retries.ts";
import { fieldOfRule } from "./field-of-rule.ts";

export function checkEnvoy(world: World, config: DataplaneConfig, matchRegex: MatchRegex): readonly CheckFinding[] {
  const findings = new Map<string, CheckFinding>();
  const report = (code: FindingCode, object: ObjectRef, field: string, message: string): void => {
    const id = objectId(object);
    const { severity } = findingCodes[code];
    const finding = findingAt(world.objects.get(id), { code, severity, object: id, field, message });
    findings.set([id, code, field, message].join("\n"), finding);
  };
  const { trafficOf } = directPolicies(world);
  const trafficPolicyOf = ({ object, port }: BackendConfig): ObjectRef | undefined => {
    const service = world.objects.get(objectId(object));
    return service === undefined ? undefined : trafficOf(service, port)?.policy;
  };
  const seen = new Set<object>();
  forEachRoute(config, (route) => {
    if (seen.has(route)) return;
    seen.add(route);
    const { rule, match } = route;
    const field = fieldOfRule(world, rule);
    const noMatch = faultOfMatch(match, matchRegex);
    if (noMatch !== undefined) {
      report("EnvoyRefusesMatch", rule.route, `${field}.matches[${match.index}]`, `${noMatch}; it matches nothing`);
    }
    if (seen.has(rule)) return;
    seen.add(rule);
    const noAction = faultOfRule(route);
    if (noAction !== undefined)
      report("EnvoyRefusesRule", rule.route, field, `${noAction}; requests get a 500 response`);
    for (const limit of ruleLimits(rule)) reportLimit(limit, rule, field, { report, trafficPolicyOf });
  });
  const hasSession = (path: Path): boolean => isInSession(path, trafficOf, world);
  return [...checkRetrySettings(world, problemsOf, hasSession), ...findings.values()];
}

function forEachRoute({ gateways }: DataplaneConfig, visit: (route: RouteConfig) => void): void {
  for (const { ports } of gateways)
    for (const { listeners } of ports)
      for (const { virtualHosts } of listeners)
        for (const { routes } of virtualHosts) for (const route of routes) visit(route);
}

interface Reporting {
  readonly report: (code: FindingCode, object: ObjectRef, field: string, message: string) => void;
  readonly trafficPolicyOf: (backend: BackendConfig) => ObjectRef | undefined;
}

/** Limits that come from a Service's own policy. Limits that come from a RetryPolicy are reported at that policy. */
function reportLimit(
  { code, message, setting, backend }: RuleLimit,
  rule: RuleConfig,
  field: string,
  { report, trafficPolicyOf }: Reporting,
): void {
  if (backend === undefined) return report(code, rule.route, `${field}.${setting}`, message);
  if (setting === "retry" && (backend.budget === undefined || code === "EnvoyCapsAttempts")) return;
  const policy = trafficPolicyOf(backend);
  const own = setting === "retry" ? "retryConstraint" : setting;
  if (policy !== undefined) report(code, policy, `spec.${own}`, message);
}

/** The settings that a limit is about: the finding is at the first one that is set, the others are related. */
const SETTINGS: Readonly<Record<EnvoyLimit["code"], readonly string[]>> = {
  EnvoyDropsBudget: [
    "/retry/budget/percent",
    "/retry/budget/interval",
    "/retry/budget/minRetryRate/count",
    "/retry/budget",
    "/retry/backoff",
  ],
  EnvoyCountsBudgetOtherwise: [
    "/retry/budget/minRetryRate/count",
    "/retry/budget/minRetryRate/interval",
    "/retry/budget/percent",
    "/retry/budget/interval",
    "/retry/budget",
  ],
  EnvoyCapsAttempts: ["/retry/attempts"],
  EnvoyRewritesOnce: [],
  EnvoySplitsSessions: [],
  EnvoyKeepsSessions: [],
  EnvoyKeepsCookies: [],
  EnvoyShortensBackoff: [],
};

/** True if a path leads through a rule with session persistence, or to a backend whose XBackendTrafficPolicy has it. */
function isInSession(path: Path, trafficOf: DirectPolicies["trafficOf"], { objects }: World): boolean {
  return nodesOf(path).some(({ id, section }) => {
    if (section?.section === "Rule") return isJsonObject(ownValue(section.raw, "sessionPersistence"));
    const port = section?.section === "Port" ? section.raw["port"] : undefined;
    const service = typeof port === "number" ? objects.get(id) : undefined;
    const traffic = service === undefined || typeof port !== "number" ? undefined : trafficOf(service, port);
    return isJsonObject(traffic?.spec["sessionPersistence"]);
  });
}

const problemsOf = ({ plan, budget }: RetrySettings, hasSession: boolean): readonly RetryProblem[] =>
  plan === undefined
    ? []
    : retryLimits(plan, { hasBudget: budget !== undefined, hasSession }).map(({ code, message }) => ({
        code,
        message,
        fix: findingCodes[code].fix ?? "",
        settings: SETTINGS[code],
      }));
