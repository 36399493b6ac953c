/** Compiles one route at all its listeners: its hosts, its rules and the backends that it uses. */
import { hostnamesOf } from "../../effective/world/gateway-listeners.ts";
import type { World } from "../../effective/world/world.ts";
import { remember } from "../../model/collections/remember.ts";
import type { JsonObject } from "../../model/json.ts";
import { SERVICE } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { createdAt } from "../../model/parse/created-at.ts";
import {
  formatRef,
  kindId,
  type ObjectId,
  type ObjectRef,
  objectId,
  parseObjectId,
  type TargetId,
  targetId,
} from "../../model/refs.ts";
import { routeHosts } from "../../routing/hostname-match.ts";
import type { RankedMatch } from "../../routing/match-precedence.ts";
import type { UpLink } from "../../topology/links.ts";
import { type Listener, listenersOf } from "../../topology/listeners-of.ts";
import { isReferencePermitted } from "../../topology/reference-grants.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import type { BackendConfig, ConfigProblem, RouteConfig, RuleConfig } from "../gateway-config.ts";
import { type BackendUser, type CompiledBackend, compileBackend, directPolicies } from "./compile-backend.ts";
import { planRule, planStreamRule, type RuleContext, type RulePlan, ruleConfig, settingsFor } from "./compile-rule.ts";
import { isDeepEqual } from "./deep-equal.ts";
import { ignoredOfRoute } from "./ignored-settings.ts";
import { NO_SETTINGS, type PathSettings, type SettingsReader } from "./path-settings.ts";
import { compileSession } from "./session-persistence.ts";

/** A match of a rule, with the data that its precedence within a host depends on. */
export interface RankedRoute extends RankedMatch {
  readonly config: RouteConfig;
}

export interface RouteAtHost {
  readonly hostname: string;
  readonly routes: readonly RankedRoute[];
}

export interface RouteAtListener {
  readonly listener: TargetId;
  readonly hosts: readonly RouteAtHost[];
}

export interface CompiledRoute {
  readonly atListeners: readonly RouteAtListener[];
  /** The backends that it uses, each once. */
  readonly backends: readonly BackendConfig[];
  /** The Services that it references and that are not usable. The route must be recompiled if one of them changes. */
  readonly missingServices: readonly ObjectId[];
  /** The namespaces whose ReferenceGrants its mirrors depend on. */
  readonly grantsOf: readonly string[];
  readonly problems: readonly ConfigProblem[];
}

export interface RouteCompiler {
  readonly world: World;
  readonly settings: SettingsReader;
  readonly backendOf: (service: KubeObject, port: number, user: BackendUser) => CompiledBackend;
}

/** The kinds that are served. */
type RouteKind = "HTTPRoute" | "GRPCRoute" | "TLSRoute" | "TCPRoute" | "UDPRoute";

const ROUTE_KINDS: readonly RouteKind[] = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"];

const findRouteKind = ({ ref }: KubeObject): RouteKind | undefined => ROUTE_KINDS.find((kind) => kind === ref.kind);

/** Undefined: the route is not attached to any listener, and there is nothing to report. */
export function compileRoute(route: KubeObject, compiler: RouteCompiler): CompiledRoute | undefined {
  const links = (compiler.world.links.get(route.id)?.up ?? []).filter(
    ({ section, frontend }) => section !== undefined && frontend !== true,
  );
  const ignored = ignoredOfRoute(route);
  if (links.length === 0) return ignored.length === 0 ? undefined : { ...NOTHING, problems: ignored };
  const kind = findRouteKind(route);
  if (kind === undefined) return notServed(route);
  const draft = new RouteDraft(route, compiler);
  const paths = compiler.settings.pathsTo(route);
  const planned = new Map<BackendUser, PlannedRules>();
  const atListeners = links.map((link): RouteAtListener => {
    const found = findListener(compiler.world, link);
    const user = userAt(kind, found);
    const { plans, known } = remember(planned, user, () => {
      const made = draft.plans(user);
      return { plans: made, known: made.map((): KnownRule[] => []) };
    });
    const listener = targetId(link.parent, link.section);
    const path = paths.get(listener);
    const configs = plans.map((plan, at) => {
      const settings = settingsFor(plan, isHttp(user) ? compiler.settings.ofRule(path, plan.section) : NO_SETTINGS);
      return routeConfigs(route, plan, settings, known[at] ?? []);
    });
    return { listener, hosts: hostsAt(route, found?.hostname, plans, configs) };
  });
  const compiled = draft.compiled(atListeners);
  return ignored.length === 0 ? compiled : { ...compiled, problems: [...ignored, ...compiled.problems] };
}

const NOTHING: Omit<CompiledRoute, "problems"> = { atListeners: [], backends: [], missingServices: [], grantsOf: [] };

/** The rules of a route for one use of its backends. */
interface PlannedRules {
  readonly plans: readonly RulePlan[];
  /** For each plan. */
  readonly known: readonly KnownRule[][];
}

const isHttp = (user: BackendUser): user is "HTTPRoute" | "GRPCRoute" => user === "HTTPRoute" || user === "GRPCRoute";

/** How a route of that kind uses its backends at a listener. */
function userAt(kind: RouteKind, listener: Listener | undefined): BackendUser {
  switch (kind) {
    case "HTTPRoute":
    case "GRPCRoute":
      return kind;
    case "TLSRoute":
    case "TCPRoute":
      return listener?.isPassthrough === true ? "Passthrough" : "TCP";
    case "UDPRoute":
      return "UDP";
  }
}

function notServed(route: KubeObject): CompiledRoute {
  const message = `${route.ref.kind}s are not supported, only ${ROUTE_KINDS.map((kind) => `${kind}s`).join(", ")}`;
  const problems = [{ object: route.ref, field: "kind", message }];
  return { ...NOTHING, problems };
}

function findListener({ objects, rulebook }: World, { parent, section }: UpLink): Listener | undefined {
  const owner = objects.get(parent);
  const facts = owner === undefined ? undefined : rulebook.factsOf(kindId(owner.ref));
  if (owner === undefined || facts === undefined) return undefined;
  return listenersOf(owner, facts, "Listener").find(({ name }) => name === section);
}

interface KnownRule {
  readonly settings: readonly PathSettings[];
  readonly rule: RuleConfig;
  readonly routes: readonly RouteConfig[];
}

/** Listeners with the same settings share the same objects. */
function routeConfigs(
  route: KubeObject,
  plan: RulePlan,
  settings: readonly PathSettings[],
  known: KnownRule[],
): readonly RouteConfig[] {
  const same = known.find((one) => one.settings.every((setting, at) => setting === settings[at]));
  if (same !== undefined) return same.routes;
  const rule = ruleConfig(route, plan, settings);
  // Different settings objects may have equal contents.
  const twin = known.find((one) => isDeepEqual(one.rule, rule));
  const routes = twin?.routes ?? plan.matches.map((match): RouteConfig => ({ match, rule }));
  known.push({ settings, rule: twin?.rule ?? rule, routes });
  return routes;
}

function hostsAt(
  route: KubeObject,
  listener: string | undefined,
  plans: readonly RulePlan[],
  configs: readonly (readonly RouteConfig[])[],
): readonly RouteAtHost[] {
  const seconds = createdAt(route);
  const name = `${route.ref.namespace}/${route.ref.name}`;
  return routeHosts(hostnamesOf(route), listener).map(({ hostname, ranksAs }) => ({
    hostname,
    routes: configs.flatMap((rule, at) =>
      rule.map((config): RankedRoute => {
        const ruleIndex = plans[at]?.section.index ?? 0;
        return { match: config.match, hostname: ranksAs, createdAt: seconds, route: name, ruleIndex, config };
      }),
    ),
  }));
}

/** Why the requests of a rule, or the share of one of its backends, get a 500. */
export interface RuleRefusal {
  readonly of: "Rule" | "Share";
  readonly field: string;
  readonly reason: string;
}

const CLOSED: Readonly<Record<RuleRefusal["of"], string>> = {
  Rule: "connections of the rule are closed",
  Share: "its share of the connections is closed",
};

const REFUSED: Readonly<Record<BackendUser, Readonly<Record<RuleRefusal["of"], string>>>> = {
  HTTPRoute: { Rule: "requests of the rule get a 500", Share: "its share of the requests gets a 500" },
  GRPCRoute: {
    Rule: "requests of the rule get the status UNAVAILABLE",
    Share: "its share of the requests gets the status UNAVAILABLE",
  },
  TCP: CLOSED,
  Passthrough: CLOSED,
  UDP: { Rule: "datagrams of the rule are dropped", Share: "its share of the datagrams is dropped" },
};

/** The refusals of all rules of a route, independent of listeners and policies. */
export function refusalsOf(world: World, route: KubeObject): readonly RuleRefusal[] {
  const { kind } = route.ref;
  if (kind !== "HTTPRoute" && kind !== "GRPCRoute") return [];
  const policies = directPolicies(world);
  const backendOf: RouteCompiler["backendOf"] = (service, port, user) => compileBackend(service, port, user, policies);
  const draft = new RouteDraft(route, { world, backendOf });
  draft.plans(kind);
  return draft.refusals;
}

/** Resolves the references of a route and collects the problems. */
class RouteDraft {
  readonly refusals: RuleRefusal[] = [];
  readonly #route: KubeObject;
  readonly #compiler: Pick<RouteCompiler, "world" | "backendOf">;
  readonly #backends: Set<BackendConfig> = new Set();
  readonly #missingServices: Set<ObjectId> = new Set();
  readonly #grantsOf: Set<string> = new Set();
  readonly #problems: ConfigProblem[] = [];

  constructor(route: KubeObject, compiler: Pick<RouteCompiler, "world" | "backendOf">) {
    this.#route = route;
    this.#compiler = compiler;
  }

  plans(user: BackendUser): readonly RulePlan[] {
    const facts = this.#compiler.world.rulebook.factsOf(kindId(this.#route.ref));
    const context: RuleContext = {
      backendOf: (ref, field, position) => this.#followBackend(user, ref, field, position),
      mirrorTo: (ref, field) => this.#followMirror(user, ref, field),
      authBy: (ref, protocol) => this.#referenced(protocol === "GRPC" ? "GRPCRoute" : "HTTPRoute", ref),
      sessionOf: ({ raw, index, name }) => {
        const compiled = compileSession(raw["sessionPersistence"], this.#route.ref, name);
        const { problem, session } = compiled ?? {};
        if (problem !== undefined)
          this.#note(`spec.rules[${index}].sessionPersistence.${problem.field}`, problem.message);
        return session;
      },
      refuse: (of, field, reason) => {
        this.refusals.push({ of, field, reason });
        this.#note(field, `${reason}: ${REFUSED[user][of]}`);
      },
    };
    const sections = facts === undefined ? [] : sectionsOf(this.#route, facts);
    if (!isHttp(user)) return sections.map((section, position) => planStreamRule(section, position, context));
    return sections.map((section, position) => planRule(user, section, position, context));
  }

  compiled(atListeners: readonly RouteAtListener[]): CompiledRoute {
    return {
      atListeners,
      backends: [...this.#backends],
      missingServices: [...this.#missingServices],
      grantsOf: [...this.#grantsOf],
      problems: this.#problems,
    };
  }

  #note(field: string, message: string): void {
    this.#problems.push({ object: this.#route.ref, field, message });
  }

  /** The topology has already decided whether a backendRef is permitted; this finds its link or its refusal. */
  #followBackend(
    user: BackendUser,
    ref: JsonObject,
    field: string,
    position: number,
  ): ReturnType<RuleContext["backendOf"]> {
    const links = this.#compiler.world.childLinksOf(this.#route.id);
    const refusal = links?.refusals.find((one) => one.field === field || one.field.startsWith(`${field}.`));
    if (refusal !== undefined) return refusal.reason;
    const { name, namespace, kind, port } = ref;
    const home = typeof namespace === "string" && namespace !== "" ? namespace : this.#route.ref.namespace;
    const child = links?.down.find((link) => {
      if (!link.uses.some(({ sectionIndex }) => sectionIndex === position)) return false;
      const found = parseObjectId(link.child);
      const isKind = typeof kind !== "string" || kind === found.kind;
      return found.name === name && found.namespace === home && isKind;
    })?.child;
    if (child === undefined) return "the backend does not exist";
    const found = this.#backendOf(user, child, port);
    return typeof found === "string" ? found : { object: child, backend: found };
  }

  /** Mirrors are not part of the topology, so policies do not take effect on them. */
  #followMirror(user: BackendUser, ref: JsonObject, field: string): BackendConfig | undefined {
    const found = this.#referenced(user, ref);
    if (typeof found !== "string") return found;
    this.#note(field, `${found}: nothing is mirrored`);
    return undefined;
  }

  /** The backend of a filter. A text is the reason why it is not usable. */
  #referenced(
    user: BackendUser,
    { group = "", kind = "Service", name, namespace, port }: JsonObject,
  ): BackendConfig | string {
    const from = this.#route.ref;
    if (group !== "" || kind !== "Service" || typeof name !== "string")
      return "only Services are supported as backends of filters";
    const home = typeof namespace === "string" && namespace !== "" ? namespace : from.namespace;
    const to: ObjectRef = { group, kind, namespace: home, name };
    if (home !== from.namespace) {
      this.#grantsOf.add(home);
      if (!isReferencePermitted(from, to, (own) => this.#compiler.world.grants.get(own) ?? [])) {
        return `no ReferenceGrant in namespace '${home}' allows a reference to ${formatRef(to)} from ${from.kind} in namespace '${from.namespace}'`;
      }
    }
    return this.#backendOf(user, objectId(to), port);
  }

  #backendOf(user: BackendUser, id: ObjectId, port: JsonObject[string] | undefined): BackendConfig | string {
    const ref = parseObjectId(id);
    if (kindId(ref) !== SERVICE) return `backends of kind ${ref.kind} are not supported`;
    if (typeof port !== "number") return `the reference to ${formatRef(ref)} has no port`;
    const service = this.#compiler.world.objects.get(id);
    const found: CompiledBackend =
      service === undefined
        ? { state: "unavailable", reason: `no Service '${ref.name}' in namespace '${ref.namespace}'` }
        : this.#compiler.backendOf(service, port, user);
    if (found.state === "unavailable") {
      this.#missingServices.add(id);
      return found.reason;
    }
    this.#backends.add(found.backend);
    return found.backend;
  }
}
