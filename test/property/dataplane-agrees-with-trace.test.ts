import fc from "fast-check";
import { expect, test } from "vitest";
import { createRegex } from "../../src/adapters/regex/create-regex.ts";
import { compileDataplane } from "../../src/core/dataplane/compile-dataplane.ts";
import type { GatewayConfig, RouteConfig } from "../../src/core/dataplane/gateway-config.ts";
import { worldOf } from "../../src/core/evaluation.ts";
import type { GatewayTrace, TraceRequest } from "../../src/core/explain/trace/result.ts";
import { traceRequest } from "../../src/core/explain/trace/trace-request.ts";
import { formatRef } from "../../src/core/model/refs.ts";
import { matchesHost } from "../../src/core/routing/hostname-match.ts";
import { findMismatches } from "../../src/core/routing/match-request.ts";
import { evaluateDocuments } from "./evaluate-cluster.ts";
import { assertProperty, PROPERTY_TIMEOUT_MS, seed } from "./property-run.ts";
import { clusterWithMatches, randomRequest } from "./random/random-requests.ts";

const matchRegex = createRegex();

/** The rule that a gateway selects from its configuration alone. */
function served({ ports }: GatewayConfig, request: TraceRequest): string {
  const port = ports.find((one) => one.port === request.port);
  const protocol = request.scheme === "http" ? "HTTP" : "TLS";
  if (port?.protocol !== protocol) return "no listener";
  const listener = port.listeners.find(({ hostname }) => matchesHost(hostname, request.host));
  if (listener === undefined || listener.protocol === "TLS") return "no listener";
  const at = `${formatRef(listener.owner)}#${listener.name}`;
  for (const { hostname, routes } of listener.virtualHosts) {
    if (!matchesHost(hostname, request.host)) continue;
    const route = routes.find(({ match }: RouteConfig) => findMismatches(match, request, matchRegex).length === 0);
    if (route !== undefined) return `${at} ${formatRef(route.rule.route)}#${route.rule.rule} ${route.match.index}`;
  }
  return `${at} no match`;
}

function traced(trace: GatewayTrace): string {
  const { listener, outcome } = trace;
  if (listener === undefined || listener.protocol === "TLS") return "no listener";
  const at = `${formatRef(listener.owner)}#${listener.name}`;
  if (outcome !== "Routed") return `${at} no match`;
  return `${at} ${formatRef(trace.winner.route)}#${trace.winner.rule} ${trace.winner.matchIndex}`;
}

test(`a request takes the rule that trace says (seed ${seed})`, { timeout: PROPERTY_TIMEOUT_MS }, () => {
  const seen = new Set<string>();
  const property = fc.property(
    clusterWithMatches,
    fc.array(randomRequest, { minLength: 5, maxLength: 15 }),
    (cluster, requests) => {
      const world = worldOf(evaluateDocuments([...cluster.objects, ...cluster.malformed], cluster.definitions));
      const { gateways } = compileDataplane(world, { endpointAnnotations: "Used" });
      for (const request of requests) {
        const traces = traceRequest(world, request, matchRegex);
        expect(gateways.map(({ gateway }) => formatRef(gateway)).sort()).toEqual(
          traces.map(({ gateway }) => formatRef(gateway)).sort(),
        );
        for (const trace of traces) {
          const gateway = gateways.find((one) => formatRef(one.gateway) === formatRef(trace.gateway));
          expect(gateway && served(gateway, request), JSON.stringify(request)).toBe(traced(trace));
          seen.add(trace.outcome === "Routed" && trace.losers.length > 0 ? "RoutedBefore" : trace.outcome);
        }
      }
    },
  );
  assertProperty(property, { numRuns: 400, stream: 61 });
  expect([...seen].sort(), "every outcome occurs").toEqual(["NoListener", "NoMatch", "Routed", "RoutedBefore"]);
});
