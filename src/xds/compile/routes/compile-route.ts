/** Compiles one match of one rule to Envoy routes: one per backend and class of methods, because their settings may differ. */
import type {
  AuthConfig,
  BackendConfig,
  BackendTarget,
  ConfigProblem,
  RouteConfig,
  RuleConfig,
  SessionConfig,
  UsableTarget,
  WeightedBackendConfig,
} from "../../../core/dataplane/gateway-config.ts";
import { WAITED_HEADER } from "../../../core/dataplane/own-headers.ts";
import { unavailableStatus } from "../../../core/dataplane/unavailable-status.ts";
import { type RuleLimit, ruleLimits } from "../../../core/envoy/envoy-limits.ts";
import { waitsOf } from "../../../core/envoy/envoy-waits.ts";
import { faultOfMatch, faultOfRule } from "../../../core/envoy/find-faults.ts";
import { remember } from "../../../core/model/collections/remember.ts";
import { formatRef } from "../../../core/model/refs.ts";
import type { MatchRegex } from "../../../core/model/regex.ts";
import {
  type Route,
  type RouteAction,
  RouteActionSchema,
  type RouteMatch,
  RouteMatchSchema,
  RouteSchema,
} from "../../gen/envoy/config/route/v3/route_components_pb.ts";
import { FractionalPercent_DenominatorType } from "../../gen/envoy/type/v3/percent_pb.ts";
import { type Any, create, duration, type Init } from "../../protobuf.ts";
import { AUTH, compileAuth } from "../http-filters/compile-auth.ts";
import { GUARDED } from "../http-filters/compile-host-filters.ts";
import { compileSession, hasCookie, SESSIONS, sessionOfBackend } from "../http-filters/compile-sessions.ts";
import { type ClusterName, type ClusterSettings, clusterName, waitingClusterName } from "../resource-names.ts";
import { attemptMsOf, UPGRADE, untimedUpgrade } from "./attempt-timeouts.ts";
import { compileFilters, type EnvoyFilters, NO_CHANGES } from "./compile-filters.ts";
import { compileMatch, EVERYTHING, headerLike, isCatchAll, type MatchInit } from "./compile-match.ts";
import { compileRedirects, type PortFacts } from "./compile-redirects.ts";
import {
  compileRetryPolicy,
  IDEMPOTENT_METHODS,
  type MethodClass,
  methodClasses,
  type RetryPolicies,
} from "./compile-retries.ts";

type RouteInit = Init<typeof RouteSchema>;

export interface RouteOptions {
  /** How much too early a timer may fire. It is added to waits. */
  readonly slackMs: number;
  readonly matchRegex: MatchRegex;
}

type ByRetry<T> = WeakMap<object, Map<string, T>>;

/** The parts that many routes of one gateway have in common. Each is made once. */
export interface RouteParts {
  readonly uses: WeakMap<BackendConfig, ByRetry<ClusterUse>>;
  readonly actions: WeakMap<ClusterUse, ByRetry<RouteAction>>;
  readonly retryPolicies: RetryPolicies;
}

export const createRouteParts = (): RouteParts => ({
  uses: new WeakMap(),
  actions: new WeakMap(),
  retryPolicies: new WeakMap(),
});

interface RouteContext extends RouteOptions {
  readonly facts: PortFacts;
  readonly parts: RouteParts;
}

/** A cluster that a route needs. */
export interface ClusterUse {
  readonly name: ClusterName;
  readonly backend: BackendConfig;
  readonly settings: ClusterSettings;
  /** The waits between attempts. Undefined: none. */
  readonly waitsMs: readonly number[] | undefined;
}

export interface EnvoyRoute {
  /** In the order of precedence. */
  readonly routes: readonly Route[];
  readonly uses: readonly ClusterUse[];
  /** The settings that are not carried out exactly. */
  readonly problems: readonly ConfigProblem[];
}

/** Compiles the routes of one port, each once. */
export function createRouteCompiler(
  facts: PortFacts,
  { slackMs, matchRegex }: RouteOptions,
  parts: RouteParts,
): (route: RouteConfig) => EnvoyRoute {
  const context: RouteContext = { facts, slackMs, matchRegex, parts };
  const known = new WeakMap<RouteConfig, EnvoyRoute>();
  return (route) => {
    const compiled = known.get(route) ?? compileSound(route, context);
    known.set(route, compiled);
    return compiled;
  };
}

function compileSound(route: RouteConfig, context: RouteContext): EnvoyRoute {
  const problem = (message: string): ConfigProblem => ({
    object: route.rule.route,
    field: "spec.rules",
    message: `${route.rule.rule}: ${message}`,
  });
  const noMatch = faultOfMatch(route.match, context.matchRegex);
  if (noMatch !== undefined) return { routes: [], uses: [], problems: [problem(`${noMatch}; it matches nothing`)] };
  const noAction = faultOfRule(route);
  if (noAction !== undefined) {
    const rule: RuleConfig = { ...route.rule, filters: [], action: { type: "Respond", status: 500, reason: noAction } };
    const compiled = compileRoute({ ...route, rule }, context);
    return { ...compiled, problems: [problem(`${noAction}; requests get a 500`)] };
  }
  const compiled = compileRoute(route, context);
  const limits = ruleLimits(route.rule);
  if (limits.length === 0) return compiled;
  const format = ({ message, backend }: RuleLimit): string =>
    backend === undefined ? message : `${message} (${formatRef(backend.object)})`;
  return { ...compiled, problems: limits.map((limit) => problem(format(limit))) };
}

function compileRoute({ match, rule }: RouteConfig, context: RouteContext): EnvoyRoute {
  const { action } = rule;
  const common = { name: formatRef(rule.route, rule.rule) };
  switch (action.type) {
    case "Respond":
      return alone({ ...common, match: compileMatch(match), ...respond(unavailableStatus(rule)) });
    case "Redirect": {
      const { response, auth } = compileFilters(rule.filters);
      const changes = {
        ...changesOf({ request: NO_CHANGES, response }),
        ...guarded(auth),
        typedPerFilterConfig: perFilter({ auth }),
      };
      const routes = compileRedirects(compileMatch(match), action.redirect, context.facts);
      return {
        routes: routes.map((one) => create(RouteSchema, { ...common, ...one, ...changes })),
        uses: authUses(auth),
        problems: [],
      };
    }
    case "Forward": {
      const [only, ...others] = action.backends;
      if (only !== undefined && others.length === 0)
        return forward({ target: only.target, upTo: undefined, pinned: undefined }, { match, rule }, context);
      const parts = shares(action.backends).map((share) => forward(share, { match, rule }, context));
      return { routes: parts.flatMap(({ routes }) => routes), uses: parts.flatMap(({ uses }) => uses), problems: [] };
    }
  }
}

const alone = (init: RouteInit): EnvoyRoute => ({ routes: [create(RouteSchema, init)], uses: [], problems: [] });

const respond = (status: number): Pick<RouteInit, "action"> => ({
  action: { case: "directResponse", value: { status } },
});

const changesOf = ({ request, response }: Pick<EnvoyFilters, "request" | "response">): RouteInit => ({
  requestHeadersToRemove: request.remove,
  requestHeadersToAdd: request.add,
  responseHeadersToRemove: response.remove,
  responseHeadersToAdd: response.add,
});

interface Share {
  readonly target: BackendTarget;
  /** The cumulative part per million of the requests, including the entries before it. Undefined: all that are left. */
  readonly upTo: number | undefined;
  /** Only requests with this session. Undefined: all. */
  readonly pinned: SessionConfig | undefined;
}

const MILLION = 1_000_000;

/** First the requests with a session, then the others by weight. Envoy uses the same random number for every route, so the shares are cumulative. */
function shares(backends: readonly WeightedBackendConfig[]): readonly Share[] {
  const targets = backends.map(({ target }) => withOwnSession(target));
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const weighted = backends.map(({ weight }, index): Share[] => {
    const target = targets[index];
    sum += weight;
    const upTo = index === backends.length - 1 ? undefined : Math.round((sum / total) * MILLION);
    return target === undefined ? [] : [{ target, upTo, pinned: undefined }];
  });
  return [...targets.flatMap(pinnedShare), ...weighted.flat()];
}

const withOwnSession = (target: BackendTarget): BackendTarget =>
  target.type === "Backend" && target.session !== undefined
    ? { ...target, session: sessionOfBackend(target.session, target.backend) }
    : target;

const pinnedShare = (target: BackendTarget): readonly Share[] =>
  target.type === "Backend" && target.session?.type === "Cookie"
    ? [{ target, upTo: undefined, pinned: target.session }]
    : [];

function forward({ target, upTo, pinned }: Share, { match, rule }: RouteConfig, context: RouteContext): EnvoyRoute {
  const name = formatRef(rule.route, rule.rule);
  if (target.type === "Unavailable") {
    return alone({ name, match: withShare(compileMatch(match), upTo), ...respond(unavailableStatus(rule)) });
  }
  const filters = compileFilters([...rule.filters, ...target.filters]);
  const { request, response, cors, auth } = filters;
  const routeTo = (use: ClusterUse, methods: MethodClass, only: MatchInit | RouteMatch): Route =>
    create(RouteSchema, {
      name,
      match: only,
      action: { case: "route", value: routeAction({ rule, target, use, filters, methods }, context.parts) },
      requestHeadersToRemove: request.remove,
      requestHeadersToAdd: request.add,
      responseHeadersToRemove: use.waitsMs === undefined ? response.remove : unmarked(response.remove),
      responseHeadersToAdd: response.add,
      ...guarded(auth),
      typedPerFilterConfig: perFilter({ cors, auth, session: target.session }),
      requestBodyBufferLimit: target.retry === undefined ? undefined : BigInt(Math.floor(target.retry.maxBodyBytes)),
    });
  const matchFor = (methods: MethodClass): MatchInit | RouteMatch =>
    pinned === undefined ? forwardMatch(match, upTo, methods) : pinnedMatch(match, pinned, methods);
  const use = clusterUse(target, context);
  const routes = methodClasses(target.retry, match.method).map((methods) => routeTo(use, methods, matchFor(methods)));
  const untimed = untimedUpgrade(target, match);
  const upgradeUses = untimed === undefined ? [] : [clusterUse(untimed, context)];
  const upgrades = upgradeUses.map((of) => {
    const methods: MethodClass = target.retry?.plan.afterSend === "Idempotent" ? "Idempotent" : "All";
    const own = pinned === undefined ? withShare(compileMatch(match), upTo) : pinnedMatch(match, pinned, "All");
    return routeTo(of, methods, { ...own, headers: [...(own.headers ?? []), ...UPGRADE] });
  });
  const mirrored = filters.mirrors.map(({ backend }) => plainUse(backend));
  const uses = [...upgradeUses, use, ...mirrored, ...authUses(auth)];
  return { routes: [...upgrades, ...routes], uses, problems: [] };
}

const CORS = "envoy.filters.http.cors";

interface FilterSettings {
  readonly cors?: Any | undefined;
  readonly auth: AuthConfig | undefined;
  readonly session?: SessionConfig | undefined;
}

const guarded = (auth: AuthConfig | undefined): Pick<RouteInit, "metadata"> =>
  auth === undefined ? {} : { metadata: { filterMetadata: { ...GUARDED } } };

const authUses = (auth: AuthConfig | undefined): readonly ClusterUse[] =>
  auth === undefined ? [] : [plainUse(auth.backend)];

const perFilter = ({ cors, auth, session }: FilterSettings): Record<string, Any> => ({
  ...(cors === undefined ? {} : { [CORS]: cors }),
  ...(auth === undefined ? {} : { [AUTH]: compileAuth(auth, plainUse(auth.backend).name) }),
  ...(session === undefined ? {} : { [SESSIONS]: compileSession(session) }),
});

const ONLY_MARK = [WAITED_HEADER];

/** Removes the header that marks a wait. */
const unmarked = (removed: string[]): string[] => (removed.length === 0 ? ONLY_MARK : [...removed, WAITED_HEADER]);

function withShare(match: MatchInit, upTo: number | undefined): MatchInit {
  if (upTo === undefined) return match;
  const defaultValue = { numerator: upTo, denominator: FractionalPercent_DenominatorType.MILLION };
  return { ...match, runtimeFraction: { defaultValue } };
}

const IDEMPOTENT = headerLike(":method", IDEMPOTENT_METHODS);

/** Routes for other methods come after those for idempotent methods, so they need no method match. */
const withMethods = (match: MatchInit, methods: MethodClass): MatchInit =>
  methods === "Idempotent" ? { ...match, headers: [...(match.headers ?? []), IDEMPOTENT] } : match;

/** Cached matches of routes that match every request of their methods. */
const EVERY_REQUEST: Readonly<Record<MethodClass, RouteMatch>> = {
  All: create(RouteMatchSchema, EVERYTHING),
  Idempotent: create(RouteMatchSchema, withMethods(EVERYTHING, "Idempotent")),
  Others: create(RouteMatchSchema, EVERYTHING),
};

const forwardMatch = (
  match: RouteConfig["match"],
  upTo: number | undefined,
  methods: MethodClass,
): RouteMatch | MatchInit =>
  upTo === undefined && isCatchAll(match)
    ? EVERY_REQUEST[methods]
    : withMethods(withShare(compileMatch(match), upTo), methods);

function pinnedMatch(match: RouteConfig["match"], session: SessionConfig, methods: MethodClass): MatchInit {
  const own = compileMatch(match);
  return withMethods({ ...own, headers: [...(own.headers ?? []), hasCookie(session)] }, methods);
}

const NO_RETRY = {};

/** Cached, because many routes use a backend in the same way. */
function clusterUse(target: UsableTarget, { slackMs, parts }: RouteContext): ClusterUse {
  const byRetry = remember(parts.uses, target.backend, (): ByRetry<ClusterUse> => new WeakMap());
  const byTimes = remember(byRetry, target.retry ?? NO_RETRY, () => new Map<string, ClusterUse>());
  const hasSession = target.session !== undefined;
  return remember(byTimes, `${target.backendRequestTimeoutMs} ${hasSession}`, () => compileUse(target, slackMs));
}

function compileUse({ backend, retry, session, backendRequestTimeoutMs }: UsableTarget, slackMs: number): ClusterUse {
  // A composite cluster ignores the endpoint of a session.
  const waitsMs = retry === undefined || session !== undefined ? undefined : waitsOf(retry.plan, slackMs);
  // Envoy counts budgets per cluster, and waiting attempts belong to another cluster.
  const budget = retry === undefined || waitsMs !== undefined ? undefined : tighter(retry.budget, backend.budget);
  const settings = { tryTimeoutMs: backendRequestTimeoutMs, budget };
  const real = clusterName(backend, settings);
  return { name: waitsMs === undefined ? real : waitingClusterName(real, waitsMs), backend, settings, waitsMs };
}

const plainUse = (backend: BackendConfig): ClusterUse => {
  const settings = { tryTimeoutMs: undefined, budget: undefined };
  return { name: clusterName(backend, settings), backend, settings, waitsMs: undefined };
};

function tighter(one: ClusterSettings["budget"], other: ClusterSettings["budget"]): ClusterSettings["budget"] {
  if (one === undefined || other === undefined) return one ?? other;
  return one.percent <= other.percent ? one : other;
}

const NO_TIMEOUT = duration(0);

/** The parts of the action of a route. */
interface ActionParts {
  readonly rule: RuleConfig;
  readonly target: UsableTarget;
  readonly use: ClusterUse;
  readonly filters: EnvoyFilters;
  readonly methods: MethodClass;
}

/** The plain actions are shared, because most routes have one. */
function routeAction(action: ActionParts, { actions, retryPolicies }: RouteParts): RouteAction {
  const { rule, target, use, filters, methods } = action;
  const make = (): RouteAction => create(RouteActionSchema, actionInit(action, retryPolicies));
  if (filters.host !== undefined || filters.path !== undefined || filters.mirrors.length > 0) return make();
  const byRetry = remember(actions, use, (): ByRetry<RouteAction> => new WeakMap());
  const byRule = remember(byRetry, target.retry ?? NO_RETRY, () => new Map<string, RouteAction>());
  return remember(byRule, `${methods} ${rule.requestTimeoutMs} ${target.backendRequestTimeoutMs}`, make);
}

function actionInit(
  { rule, target, use, filters, methods }: ActionParts,
  retryPolicies: RetryPolicies,
): Init<typeof RouteActionSchema> {
  const { requestTimeoutMs } = rule;
  const { retry } = target;
  const { host, path, mirrors } = filters;
  const retryUse = { methods, isWaiting: use.waitsMs !== undefined, attemptMs: attemptMsOf(target, use.waitsMs) };
  const retryPolicy = compileRetryPolicy(retry, retryUse, retryPolicies);
  return {
    clusterSpecifier: { case: "cluster", value: use.name },
    // The default would be 15 seconds.
    timeout: requestTimeoutMs === undefined ? NO_TIMEOUT : duration(requestTimeoutMs),
    ...(retryPolicy === undefined ? {} : { retryPolicy }),
    ...(host === undefined ? {} : { hostRewriteSpecifier: { case: "hostRewriteLiteral", value: host } }),
    ...(path === undefined ? {} : { regexRewrite: path }),
    requestMirrorPolicies: mirrors.map(({ backend, perMillion }) => ({
      cluster: plainUse(backend).name,
      runtimeFraction: {
        defaultValue: { numerator: perMillion, denominator: FractionalPercent_DenominatorType.MILLION },
      },
      disableShadowHostSuffixAppend: true,
    })),
  };
}
