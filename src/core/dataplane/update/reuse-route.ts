import type { CompiledRoute, RankedRoute, RouteAtListener } from "../compile/compile-route.ts";
import { isDeepEqual, reuseEqual } from "../compile/deep-equal.ts";
import type { RouteConfig, RuleConfig } from "../gateway-config.ts";

/** A recompiled route. Its rules, matches and listeners that have not changed are the same objects as before. */
export function reuseRoute(old: CompiledRoute, now: CompiledRoute): CompiledRoute {
  const shared = configSharer(old);
  const atListeners = now.atListeners.map((atListener) => {
    const before = old.atListeners.find(({ listener }) => listener === atListener.listener);
    return reuseEqual(before, withConfigs(atListener, shared));
  });
  return reuseEqual(old, { ...now, atListeners });
}

const withConfigs = (
  { listener, hosts }: RouteAtListener,
  shared: (config: RouteConfig) => RouteConfig,
): RouteAtListener => ({
  listener,
  hosts: hosts.map(({ hostname, routes }) => ({
    hostname,
    routes: routes.map((route): RankedRoute => {
      const config = shared(route.config);
      return config === route.config ? route : { ...route, match: config.match, config };
    }),
  })),
});

/** The old object that equals a new one, if there is one. Equal calls give the same object. */
function configSharer(old: CompiledRoute): (config: RouteConfig) => RouteConfig {
  const before = new Set<RouteConfig>();
  for (const { hosts } of old.atListeners)
    for (const { routes } of hosts) for (const { config } of routes) before.add(config);
  const configs = new Map<RouteConfig, RouteConfig>();
  const rules = new Map<RuleConfig, RuleConfig>();
  const sharedRule = (rule: RuleConfig): RuleConfig => {
    for (const { rule: other } of before) if (other.rule === rule.rule && isDeepEqual(other, rule)) return other;
    return rule;
  };
  return (config) => {
    const known = configs.get(config);
    if (known !== undefined) return known;
    const rule = rules.get(config.rule) ?? sharedRule(config.rule);
    rules.set(config.rule, rule);
    const same = [...before].find((other) => other.rule === rule && isDeepEqual(other.match, config.match));
    const found = same ?? (rule === config.rule ? config : { match: config.match, rule });
    configs.set(config, found);
    return found;
  };
}
