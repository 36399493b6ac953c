import type { WeightedBackendConfig } from "../../core/dataplane/gateway-config.ts";

/**
 * Backends by weight
 *
 * A backendRef gets the part of the requests that its weight is of the sum of all weights of the rule. An invalid backendRef keeps its
 * part, and those requests get a 500.
 * Gateway API, "HTTPBackendRef"
 */
export function pickBackend(backends: readonly WeightedBackendConfig[], random: number): WeightedBackendConfig {
  const [only] = backends;
  if (only === undefined) throw new Error("a rule that forwards has no backend");
  if (backends.length === 1) return only;
  let left = random * backends.reduce((sum, { weight }) => sum + weight, 0);
  for (const one of backends) {
    left -= one.weight;
    if (left < 0) return one;
  }
  return only;
}
