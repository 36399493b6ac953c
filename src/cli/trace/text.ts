import type { KindExplanation } from "../../core/explain/explain/result.ts";
import type {
  GatewayTrace,
  MeshTrace,
  RoutedTrace,
  TracedBackend,
  TracedListener,
  TracedRule,
  TraceRequest,
} from "../../core/explain/trace/result.ts";
import { trafficOfTrace } from "../../core/explain/worth/traffic-of-trace.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { RETRY_POLICY } from "../../core/model/kinds.ts";
import { formatDurationMs } from "../../core/model/parse/parse-duration.ts";
import { formatRef, kindId, objectId } from "../../core/model/refs.ts";
import { formatLine } from "../../core/model/words/format-position.ts";
import { BACKEND_TRAFFIC_POLICY, backendBudget, type RetryBudget } from "../../core/retry/retry-budget.ts";
import type { RetryReport } from "../../core/retry/retry-counts.ts";
import { retrySettings } from "../../core/retry/retry-settings.ts";
import { retryTimeline } from "../../core/retry/retry-timeline.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import { qualification } from "../caveats/text.ts";
import { isOwnOnly, printFailures, printKind } from "../explain/text.ts";
import { formatValue } from "../print/format/format-value.ts";
import { printTimeline } from "../print/print-timeline.ts";
import { glued, styled } from "../print/terminal/styled-text.ts";
import type { TextContext } from "../print/text-context.ts";
import { printTraffic } from "../worth/text.ts";
import { MESH_NOTE } from "./mesh-note.ts";

/** `reportOf`: what is known of the Gateway of a trace. Undefined: not asked for, or not known. */
interface TraceTextContext extends TextContext {
  readonly reportOf: (trace: GatewayTrace) => RetryReport | undefined;
}

/** Prints listener, rule, filters, backends and effective policies, in the order in which a request meets them. */
export function printTrace(request: TraceRequest, traces: readonly GatewayTrace[], context: TraceTextContext): void {
  const { print } = context;
  const { method, scheme, host, port, path } = request;
  const shownPort = port === (scheme === "https" ? 443 : 80) ? "" : `:${port}`;
  print.paragraph({ hanging: 2 }, styled(`${method} ${scheme}://${host}${shownPort}${path}`, "bold"));
  const taking = traces.filter(({ outcome }) => outcome !== "NoListener");
  if (taking.length > 1) {
    print.paragraph(
      { indent: 2 },
      `${taking.length} gateways listen for this request; the address that it is sent to selects one.`,
    );
  }
  // Gateways that do not listen there are printed only if no gateway does.
  for (const trace of taking.length > 0 ? taking : traces) printGateway(trace, request, context);
}

/** Prints what happens to a request in a mesh. */
export function printMeshTrace(request: TraceRequest, trace: MeshTrace, context: TextContext): void {
  const { print } = context;
  const { method, scheme, host, port, path } = request;
  print.paragraph(
    { hanging: 2 },
    styled(`${method} ${scheme}://${host}:${port}${path}`, "bold"),
    ` from namespace ${trace.from}`,
  );
  print.line();
  print.line(styled(formatRef(trace.service), "bold"));
  switch (trace.outcome) {
    case "NoPort":
      printNoPort(trace.ports, request, context);
      break;
    case "NoMatch":
      printNoMatch(trace, request, context);
      break;
    case "Unrouted":
      print.paragraph({ indent: 2 }, UNROUTED);
      printKinds(trace.kinds, context);
      break;
    case "Routed":
      printRule(trace, "mesh", context);
      printPolicies(trace, context);
      break;
  }
  print.line();
  print.paragraph({}, `Note: ${MESH_NOTE}`);
}

/** Prints the way of a request to its backends, or why it has none, without the policies on it. */
export function printWay(trace: GatewayTrace | MeshTrace, request: TraceRequest, context: TextContext): void {
  const { print } = context;
  if ("gateway" in trace) {
    print.line(styled(formatRef(trace.gateway), "bold"));
    printListener(trace, context);
  } else {
    print.line(styled(formatRef(trace.service), "bold"), ` from namespace ${trace.from}`);
  }
  switch (trace.outcome) {
    case "NoListener":
      return;
    case "NoPort":
      printNoPort(trace.ports, request, context);
      return;
    case "NoMatch":
      printNoMatch(trace, request, context);
      return;
    case "Unrouted":
      print.paragraph({ indent: 2 }, UNROUTED);
      return;
    case "Routed":
      printRule(trace, "gateway" in trace ? "gateway" : "mesh", context);
  }
}

const UNROUTED = "No route carries the request: it goes to the Service itself.";

function printNoPort(ports: readonly number[], { port }: TraceRequest, { print }: TextContext): void {
  print.paragraph({ indent: 2 }, styled(`It has no port ${port}; it has: ${ports.join(", ")}.`, "yellow"));
}

function printGateway(trace: GatewayTrace, request: TraceRequest, context: TraceTextContext): void {
  const { print, reportOf } = context;
  print.line();
  printWay(trace, request, context);
  if (trace.outcome !== "Routed") return;
  printPolicies(trace, context);
  const report = reportOf(trace);
  if (report !== undefined) printTraffic(trafficOfTrace(trace, report.counts), report, print);
}

function printListener(trace: GatewayTrace, { print }: TextContext): void {
  if (trace.listener !== undefined) {
    print.paragraph({ indent: 2, hanging: 2 }, `Listener ${glued(formatListener(trace.listener, trace))} accepts it.`);
  }
  if (trace.outcome !== "NoListener") return;
  print.paragraph({ indent: 2 }, styled("No listener accepts it.", "yellow"));
  for (const { listener, why } of trace.refusals) {
    print.paragraph({ indent: 4, hanging: 2 }, `${glued(formatListener(listener, trace))}: ${why}`);
  }
}

function formatListener({ owner, name, hostname }: TracedListener, { gateway }: GatewayTrace): string {
  const of = objectId(owner) === objectId(gateway) ? "" : ` of ${formatRef(owner)}`;
  return `${name}${of}${hostname === undefined ? "" : ` (${hostname})`}`;
}

function printNoMatch(
  { routes, nearest }: Pick<Extract<GatewayTrace, { readonly outcome: "NoMatch" }>, "routes" | "nearest">,
  { host }: TraceRequest,
  context: TextContext,
): void {
  const { print } = context;
  if (routes === 0) {
    print.paragraph({ indent: 2 }, styled("No route is attached to it: the client gets 404.", "yellow"));
    return;
  }
  const all = routes === 1 ? "the one route there" : `the ${routes} routes there`;
  print.paragraph({ indent: 2 }, styled(`No rule of ${all} matches: the client of ${host} gets 404.`, "yellow"));
  if (nearest.length > 0) print.line("  The nearest misses");
  for (const miss of nearest) {
    print.paragraph({ indent: 4, hanging: 2 }, ...formatRule(miss, context), `: ${miss.why.join("; ")}`);
  }
}

/** The name of a rule, its match and the position of that match. */
function formatRule(
  { route, rule, ruleIndex, matchIndex, asks }: TracedRule,
  { source }: TextContext,
): [string, ReturnType<typeof styled>] {
  const field = matchIndex < 0 ? `spec.rules[${ruleIndex}]` : `spec.rules[${ruleIndex}].matches[${matchIndex}]`;
  const position = source.locate(objectId(route), fieldPointer(field));
  const where = position === undefined ? "" : `, ${formatLine(position)}`;
  return [glued(formatRef(route, rule)), styled(` (${asks}${where})`, "dim")];
}

function printRule(trace: RoutedTrace, by: "gateway" | "mesh", context: TextContext): void {
  const { print } = context;
  const { winner, losers, filters, backends, response } = trace;
  print.paragraph({ indent: 2, hanging: 2 }, "Rule ", ...formatRule(winner, context), " matches.");
  for (const loser of losers) {
    print.paragraph(
      { indent: 4, hanging: 2 },
      ...formatRule(loser, context),
      ` also matches, but ${loser.lostBy} comes first`,
    );
  }
  for (const filter of filters) {
    print.paragraph({ indent: 2, hanging: 4 }, `Filter ${formatFilter(filter)}`);
  }
  if (response !== undefined) print.paragraph({ indent: 2 }, styled(`The ${by} responds with ${response}.`, "yellow"));
  printBackends(backends, context);
}

function printPolicies({ kinds, failures }: RoutedTrace, context: TextContext): void {
  printKinds(kinds, context);
  printFailures("Policies without effect on this path", failures, context);
}

function printKinds(kinds: readonly KindExplanation[], context: TextContext): void {
  const { print, caveats } = context;
  if (kinds.every(isOwnOnly)) {
    print.line();
    const no = caveats.length === 0 ? "No policy" : "No known policy";
    print.paragraph({}, `${no} takes effect on this path${qualification(caveats)}.`);
  }
  for (const kind of kinds) {
    printKind(kind, context);
    if (kindId(kind.policyKind) === RETRY_POLICY) printTimelines(kind, kinds, context);
  }
}

/** One timeline for each outcome: backends may differ in their retry settings. */
function printTimelines(
  { outcomes }: KindExplanation,
  kinds: readonly KindExplanation[],
  { print }: TextContext,
): void {
  for (const { spec } of outcomes) {
    const { plan, timeouts, budget } = retrySettings(spec);
    print.line();
    print.line(styled("  If every attempt fails", "bold"));
    printTimeline(retryTimeline(plan, timeouts), print, 4);
    if (plan === undefined || plan.attempts === 0) continue;
    if (budget !== undefined) print.paragraph({ indent: 4, hanging: 2 }, `Budget: ${formatBudget(budget)}.`);
    for (const line of backendBudgets(kinds)) print.paragraph({ indent: 4, hanging: 2 }, line);
  }
}

/** The retry budgets that XBackendTrafficPolicies set for the backends. */
function backendBudgets(kinds: readonly KindExplanation[]): readonly string[] {
  return kinds
    .filter(({ policyKind }) => kindId(policyKind) === kindId(BACKEND_TRAFFIC_POLICY))
    .flatMap(({ outcomes }) =>
      outcomes.flatMap(({ spec, paths }) => {
        const budget = backendBudget(spec);
        const services = [...new Set(paths.flatMap(({ nodes }) => nodes.slice(0, 1).map((node) => formatRef(node))))];
        return budget === undefined ? [] : [`Budget of ${services.map(glued).join(", ")}: ${formatBudget(budget)}.`];
      }),
    );
}

function formatBudget({ percent, intervalMs, minRetryRate: { count, intervalMs: always } }: RetryBudget): string {
  const some = count === 1 ? "1 retry" : `${count} retries`;
  const least = count === 0 ? "" : `, or ${some} in ${formatDurationMs(always)}, whichever is more`;
  return `retries may be ${percent} % of the requests within ${formatDurationMs(intervalMs)}${least}`;
}

function formatFilter({ type, ...settings }: JsonObject): string {
  const name = typeof type === "string" ? type : "?";
  const [own] = Object.values(settings);
  return own === undefined ? name : `${name} ${formatValue(own)}`;
}

function printBackends(backends: readonly TracedBackend[], { print }: TextContext): void {
  const total = backends.reduce((sum, { weight }) => sum + weight, 0);
  for (const { name, port, weight, refusal } of backends) {
    const share = total === 0 ? 0 : Math.round((weight / total) * 1000) / 10;
    const to = `${name}${port === undefined ? "" : `:${port}`}`;
    const part = backends.length === 1 ? "" : `, ${share} % (weight ${weight} of ${total})`;
    const failure = refusal === undefined ? "" : styled(`: 500, as ${refusal}`, "red");
    print.paragraph({ indent: 2, hanging: 4 }, `Backend ${glued(to)}${part}`, failure);
  }
}
