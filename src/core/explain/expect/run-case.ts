import type { World } from "../../effective/world/world.ts";
import { GATEWAY, SERVICE } from "../../model/kinds.ts";
import { objectId } from "../../model/refs.ts";
import type { MatchRegex } from "../../model/regex.ts";
import { didYouMean } from "../../model/words/did-you-mean.ts";
import type { GatewayTrace, MeshTrace } from "../trace/result.ts";
import { findService, traceMesh } from "../trace/trace-mesh.ts";
import { traceRequest } from "../trace/trace-request.ts";
import { checkResponse } from "./check-response.ts";
import { checkRouting } from "./check-routing.ts";
import { checkSettings } from "./check-settings.ts";
import { type CaseResult, isNamed, type TestCase, type WayResult } from "./policy-test.ts";

/** Traces the request of a case, and compares what happens with what is expected, at every Gateway that listens for it. */
export function runCase(world: World, testCase: TestCase, matchRegex: MatchRegex): CaseResult {
  const traces = tracesOf(world, testCase, matchRegex);
  if (typeof traces === "string") return { testCase, problem: traces, ways: [], notes: [], asked: [] };
  const notes = new Set<string>();
  const ways = traces.map((trace): WayResult => {
    const response = checkResponse(world, trace, testCase);
    for (const note of response.notes) notes.add(note);
    return { trace, checks: [...checkRouting(trace, testCase), ...response.checks, ...checkSettings(trace, testCase)] };
  });
  for (const { value, isKnown, name, policyKind } of testCase.expected.settings)
    if (value.is === "Absent" && !isKnown)
      notes.add(`${policyKind.kind} ${name}: no schema and no policy has this setting, so it may be misspelt`);
  return { testCase, problem: undefined, ways, notes: [...notes], asked: ways.map(({ trace }) => askedObject(trace)) };
}

/** The route that a request takes; if it takes none the Gateway or the Service, because another route could take it. */
function askedObject(trace: GatewayTrace | MeshTrace): CaseResult["asked"][number] {
  if (trace.outcome === "Routed") return objectId(trace.winner.route);
  return objectId("gateway" in trace ? trace.gateway : trace.service);
}

function tracesOf(
  world: World,
  { request, gateway, from }: TestCase,
  matchRegex: MatchRegex,
): readonly (GatewayTrace | MeshTrace)[] | string {
  if (from !== undefined) {
    const service = findService(world, request.host, from);
    if (service !== undefined) return [traceMesh(world, request, { service, from }, matchRegex)];
    const names = world.objects.ofKind(SERVICE).map(({ ref }) => `${ref.name}.${ref.namespace}`);
    return `no Service has the host '${request.host}'${didYouMean(request.host, names)}`;
  }
  const gateways = world.objects.ofKind(GATEWAY);
  const meant = gateway === undefined ? gateways : gateways.filter(({ ref }) => isNamed(gateway, ref));
  if (gateway !== undefined && meant.length === 0)
    return `no Gateway is named '${gateway.text}'${didYouMean(
      gateway.name,
      gateways.map(({ ref }) => ref.name),
    )}`;
  if (meant.length === 0) return "there is no Gateway in the input";
  const traces = meant.flatMap(({ id }) => traceRequest(world, request, matchRegex, id));
  const taking = traces.filter(({ outcome }) => outcome !== "NoListener");
  if (taking.length > 0) return taking;
  // No Gateway takes it: one that listens on the port says most about why.
  const near = traces.find(({ refusals }) => refusals.some(({ listener }) => listener.port === request.port));
  return [near ?? traces[0]].filter((trace) => trace !== undefined);
}
