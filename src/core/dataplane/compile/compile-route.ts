/** Compiles one route at all its listeners: its hosts, its rules and the backends that it uses. */
import { hostnamesOf } from "../../effective/world/gateway-listeners.ts";
import type { World } from "../../effective/world/world.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
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
import { listenersOf } from "../../topology/listeners-of.ts";
import { isReferencePermitted } from "../../topology/reference-grants.ts";
import { sectionsOf } from "../../topology/sections-of.ts";
import type { BackendConfig, ConfigProblem, RouteConfig, RuleConfig } from "../gateway-config.ts";
import { type BackendUser, type CompiledBackend, compileBackend, directPolicies } from "./compile-backend.ts";
import { planRule, type RuleContext, type RulePlan, ruleConfig, settingsFor } from "./compile-rule.ts";
import { isDeepEqual } from "./deep-equal.ts";
import type { PathSettings, SettingsReader } from "./path-settings.ts";

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

const SERVICE = kindId({ group: "", kind: "Service" });

/** Undefined: the route is not attached to any listener. */
export function compileRoute(route: KubeObject, compiler: RouteCompiler): CompiledRoute | undefined {
  const { kind } = route.ref;
  const listeners = (compiler.world.links.get(route.id)?.up ?? []).filter(
    ({ section, frontend }) => section !== undefined && frontend !== true,
  );
  if (listeners.length === 0) return undefined;
  if (kind !== "HTTPRoute" && kind !== "GRPCRoute") return notServed(route);
  const draft = new RouteDraft(route, kind, compiler);
  const plans = draft.plans();
  const paths = compiler.settings.pathsTo(route);
  const knownRules = plans.map((): KnownRule[] => []);
  const atListeners = listeners.map((link): RouteAtListener => {
    const listener = targetId(link.parent, link.section);
    const path = paths.get(listener);
    const configs = plans.map((plan, at) => {
      const settings = settingsFor(plan, compiler.settings.ofRule(path, plan.section));
      return routeConfigs(route, plan, settings, knownRules[at] ?? []);
    });
    return { listener, hosts: hostsAt(route, hostnameOf(compiler.world, link), plans, configs) };
  });
  return draft.compiled(atListeners);
}

function notServed(route: KubeObject): CompiledRoute {
  const message = `${route.ref.kind}s are not supported, only HTTPRoutes and GRPCRoutes`;
  const problems = [{ object: route.ref, field: "kind", message }];
  return { atListeners: [], backends: [], missingServices: [], grantsOf: [], problems };
}

function hostnameOf({ objects, rulebook }: World, { parent, section }: UpLink): string | undefined {
  const owner = objects.get(parent);
  const facts = owner === undefined ? undefined : rulebook.factsOf(kindId(owner.ref));
  if (owner === undefined || facts === undefined) return undefined;
  return listenersOf(owner, facts, "Listener").find(({ name }) => name === section)?.hostname;
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

const REFUSED: Readonly<Record<RuleRefusal["of"], string>> = {
  Rule: "requests of the rule get a 500",
  Share: "its share of the requests gets a 500",
};

/** The refusals of all rules of a route, independent of listeners and policies. */
export function refusalsOf(world: World, route: KubeObject): readonly RuleRefusal[] {
  const { kind } = route.ref;
  if (kind !== "HTTPRoute" && kind !== "GRPCRoute") return [];
  const policies = directPolicies(world);
  const backendOf: RouteCompiler["backendOf"] = (service, port, user) => compileBackend(service, port, user, policies);
  const draft = new RouteDraft(route, kind, { world, backendOf });
  draft.plans();
  return draft.refusals;
}

/** Resolves the references of a route and collects the problems. */
class RouteDraft {
  readonly refusals: RuleRefusal[] = [];
  readonly #route: KubeObject;
  readonly #kind: BackendUser;
  readonly #compiler: Pick<RouteCompiler, "world" | "backendOf">;
  readonly #backends: Set<BackendConfig> = new Set();
  readonly #missingServices: Set<ObjectId> = new Set();
  readonly #grantsOf: Set<string> = new Set();
  readonly #problems: ConfigProblem[] = [];

  constructor(route: KubeObject, kind: BackendUser, compiler: Pick<RouteCompiler, "world" | "backendOf">) {
    this.#route = route;
    this.#kind = kind;
    this.#compiler = compiler;
  }

  plans(): readonly RulePlan[] {
    const facts = this.#compiler.world.rulebook.factsOf(kindId(this.#route.ref));
    const context: RuleContext = {
      kind: this.#kind,
      route: this.#route,
      backendOf: (ref, field, position) => this.#followBackend(ref, field, position),
      mirrorTo: (ref, field) => this.#followMirror(ref, field),
      refuse: (of, field, reason) => {
        this.refusals.push({ of, field, reason });
        this.#note(field, `${reason}: ${REFUSED[of]}`);
      },
    };
    const sections = facts === undefined ? [] : sectionsOf(this.#route, facts);
    for (const { raw, index } of sections) {
      if (isJsonObject(raw["sessionPersistence"])) {
        this.#note(
          `spec.rules[${index}].sessionPersistence`,
          "session persistence is not supported: each request may go to another endpoint",
        );
      }
    }
    return sections.map((section, position) => planRule(section, position, context));
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
  #followBackend(ref: JsonObject, field: string, position: number): ReturnType<RuleContext["backendOf"]> {
    const links = this.#compiler.world.linkChildren().get(this.#route.id);
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
    const found = this.#backendOf(child, port);
    return typeof found === "string" ? found : { object: child, backend: found };
  }

  /** Mirrors are not part of the topology, so policies do not take effect on them. */
  #followMirror(ref: JsonObject, field: string): BackendConfig | undefined {
    const found = this.#mirrored(ref);
    if (typeof found !== "string") return found;
    this.#note(field, `${found}: nothing is mirrored`);
    return undefined;
  }

  #mirrored({ group = "", kind = "Service", name, namespace, port }: JsonObject): BackendConfig | string {
    const from = this.#route.ref;
    if (group !== "" || kind !== "Service" || typeof name !== "string") return "only Services can be mirror backends";
    const home = typeof namespace === "string" && namespace !== "" ? namespace : from.namespace;
    const to: ObjectRef = { group, kind, namespace: home, name };
    if (home !== from.namespace) {
      this.#grantsOf.add(home);
      if (!isReferencePermitted(from, to, (own) => this.#compiler.world.grants.get(own) ?? [])) {
        return `no ReferenceGrant in namespace '${home}' allows a reference to ${formatRef(to)} from ${from.kind} in namespace '${from.namespace}'`;
      }
    }
    return this.#backendOf(objectId(to), port);
  }

  #backendOf(id: ObjectId, port: JsonObject[string] | undefined): BackendConfig | string {
    const ref = parseObjectId(id);
    if (kindId(ref) !== SERVICE) return `backends of kind ${ref.kind} are not supported`;
    if (typeof port !== "number") return `the reference to ${formatRef(ref)} has no port`;
    const service = this.#compiler.world.objects.get(id);
    const found: CompiledBackend =
      service === undefined
        ? { state: "unavailable", reason: `no Service '${ref.name}' in namespace '${ref.namespace}'` }
        : this.#compiler.backendOf(service, port, this.#kind);
    if (found.state === "unavailable") {
      this.#missingServices.add(id);
      return found.reason;
    }
    this.#backends.add(found.backend);
    return found.backend;
  }
}
