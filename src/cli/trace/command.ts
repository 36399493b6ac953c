import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { GatewayTrace, TraceRequest } from "../../core/explain/trace/result.ts";
import { findService, traceMesh } from "../../core/explain/trace/trace-mesh.ts";
import { traceRequest } from "../../core/explain/trace/trace-request.ts";
import { GATEWAY_API, SERVICE } from "../../core/model/kinds.ts";
import { compareText, type ObjectId, objectId } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import type { RetryReport } from "../../core/retry/retry-counts.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { parseRedaction, redactionFor, redactOption } from "../args/redaction.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
import { namespacesOf } from "../target/check-scope.ts";
import { findTarget } from "../target/find-targets.ts";
import { gatewayAdminOption } from "../worth/gateway-admin-option.ts";
import { type ReadCounts, readRetryCounts } from "../worth/read-retry-counts.ts";
import { readRetryViews, type ViewedCounts } from "../worth/read-retry-views.ts";
import { meshTraceJson, traceJson } from "./json.ts";
import { parseRequest } from "./parse-request.ts";
import { printMeshTrace, printTrace } from "./text.ts";

export const command: Command = {
  usage: ["METHOD URL [-f FILE|DIR|-] [-H 'NAME: VALUE']… [--gateway NAME | --from NAMESPACE] [options]"],
  description: [
    "Follows one request through the gateway: the listener that accepts it, the route and rule that match, the other rules that match and the precedence by which they " +
      "come later, filters, backends with their weights, and the effective policy of every kind on that path. Where the gateway responds itself, " +
      "because a backend or a filter is not usable, the output gives the status and the reason. " +
      "Policies that the controller of the gateway does not carry out are listed with that reason.",
    "If no rule matches: the nearest rules, and what does not match in each of them. The host of the request is that of the Host header, else that of the URL. " +
      "The port is that of the URL. If several gateways listen there, the output has a section for each of them.",
    "With --from the request is one in a mesh: from a process in that namespace to the Service that the host names (foo, foo.prod, foo.prod.svc.cluster.local). " +
      "A route of the consumer's namespace carries it, else one of the Service's; a request that no route carries goes to the Service itself. " +
      "Requests are distinguished by their namespace: workloads within a namespace are not modelled.",
  ],
  options: [
    {
      name: "header",
      short: "H",
      value: "'NAME: VALUE'",
      repeatable: true,
      help: "a header of the request (repeatable)",
    },
    { name: "gateway", value: "NAME|NAMESPACE/NAME", help: "trace through this gateway only" },
    { name: "from", value: "NAMESPACE", help: "trace a request in a mesh, from this namespace to a Service" },
    {
      name: "namespace",
      short: "n",
      value: "NAMESPACE",
      help: "with --redact: the namespace whose policies are shown",
    },
    gatewayAdminOption,
    redactOption,
  ],
  takes: ["source", "definitions", "cluster"],
  outputs: ["wide", "yaml", "json"],
  examples: [
    {
      what: "Which route serves this request, and which policies take effect?",
      line: "trace GET http://baker.bakery.example:8080/menu -f examples/bakery",
    },
    {
      what: "A request in a mesh, from a namespace to a Service",
      line: "trace GET http://baker.bakery:8080/menu --from shop -f examples/bakery",
    },
    {
      what: "A request with a header, through one gateway",
      line: "trace POST http://baker.bakery.example:8080/orders -H x-tenant:blue --gateway prod -f examples/bakery",
    },
  ],
  run: async (context) => {
    const { args, options, load, fail, failWith } = context;
    const parsed = parseRequest(args, options.values("header"));
    if (!parsed.ok) return fail(parsed.message, context.example);
    const redaction = parseRedaction(options);
    if (!redaction.ok) return fail(redaction.message);
    const counts = await readRetryCounts(context);
    if (typeof counts === "string") return fail(counts);
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const from = options.value("from");
    if (from !== undefined) {
      if (options.has("gateway")) return fail("--from is about a mesh and --gateway about a gateway; use one of them");
      if (counts !== undefined)
        return fail("--from is about a mesh, and --gateway-admin asks a gateway; use one of them");
      return traceInMesh(parsed.request, from, {
        ...context,
        source,
        redaction: redactionFor(redaction.redaction, source.world),
      });
    }
    const gateway = findGateway(source, options.value("gateway"));
    if (!gateway.ok) return fail(gateway.message, ...gateway.hints);
    const traces = traceRequest(source.world, parsed.request, createRegex(), gateway.id);
    if (traces.length === 0)
      return failWith(exitCodes.input, `there is no Gateway in ${source.origin}`, source.absentFix);
    const routed = traces.filter((trace) => trace.outcome === "Routed");
    const [routes, gateways] = [routed.map(({ winner }) => winner.route), routed.map((trace) => trace.gateway)];
    return printTraces(parsed.request, traces, {
      ...context,
      source,
      counts: counts ?? (await readRetryViews(context, { refs: routes, gateways, refusals: "Silent" })),
      redaction: redactionFor(redaction.redaction, source.world),
    });
  },
};

type FoundGateway =
  | { readonly ok: true; readonly id: ObjectId | undefined }
  | { readonly ok: false; readonly message: string; readonly hints: readonly string[] };

function findGateway(source: LoadedSource, name: string | undefined): FoundGateway {
  if (name === undefined) return { ok: true, id: undefined };
  const word = name.split("/").length > 2 ? name : `gateway.${GATEWAY_API}/${name.replace(/^(gtw|gateways?)\//i, "")}`;
  const search = findTarget(source.world, [word], { namespace: undefined, selector: undefined });
  return search.ok ? { ok: true, id: search.target.id } : search;
}

interface Answering extends CommandContext {
  readonly source: LoadedSource;
  readonly redaction: Parameters<typeof printTrace>[2]["redaction"];
}

function printTraces(
  request: TraceRequest,
  traces: readonly GatewayTrace[],
  context: Answering & { readonly counts: ReadCounts | ViewedCounts | undefined },
): ExitCode {
  const { output, print, source, redaction, options, counts } = context;
  const reportOf = ({ gateway }: GatewayTrace): RetryReport | undefined =>
    counts !== undefined && "gateways" in counts && !counts.gateways.has(objectId(gateway))
      ? undefined
      : counts?.report;
  const known = answerCaveats(
    source,
    { about: "Objects", objects: traces.map(askedObject) },
    {
      redaction,
      arrivesAt: traces.map(({ gateway }) => objectId(gateway)),
    },
  );
  const caveats = [...known, ...(counts?.caveats ?? [])];
  if (output === "json" || output === "yaml") {
    printData(print, output, traceJson(request, traces, { source, redaction, caveats, reportOf }));
  } else {
    const text = { print, source, redaction, caveats: known, wide: output === "wide", allPaths: false };
    printTrace(request, traces, { ...text, reportOf });
    printCaveats(caveats, print);
  }
  return exitCodeWith(caveats, options, exitCodes.ok);
}

function traceInMesh(request: TraceRequest, from: string, context: Answering): ExitCode {
  const { output, print, source, redaction, options, fail } = context;
  const { world } = source;
  // A namespace without objects can send requests. One that is nearly the name of another is a mistake.
  const namespaces = namespacesOf(world);
  const meant = namespaces.has(from) ? "" : didYouMean(from, [...namespaces].sort(compareText));
  if (meant !== "") return fail(`--from ${from}: no object is in namespace '${from}'${meant}`);
  const service = findService(world, request.host, from);
  if (service === undefined) {
    const names = world.objects.ofKind(SERVICE).map(({ ref }) => `${ref.name}.${ref.namespace}`);
    return fail(
      `no Service in ${source.origin} has the host '${request.host}'${didYouMean(request.host, names)}`,
      "With --from the host of the URL names a Service: NAME, NAME.NAMESPACE or NAME.NAMESPACE.svc.cluster.local.",
    );
  }
  const trace = traceMesh(world, request, { service, from }, createRegex());
  const asked = trace.outcome === "Routed" ? objectId(trace.winner.route) : service.id;
  const caveats = answerCaveats(
    source,
    { about: "Objects", objects: [asked] },
    {
      redaction,
      arrivesAt: [service.id],
    },
  );
  if (output === "json" || output === "yaml") {
    printData(print, output, meshTraceJson(request, trace, { source, redaction, caveats }));
  } else {
    printMeshTrace(request, trace, { print, source, redaction, caveats, wide: output === "wide", allPaths: false });
    printCaveats(caveats, print);
  }
  return exitCodeWith(caveats, options, exitCodes.ok);
}

/** The route that a request takes; the Gateway if it takes none, because another route could take it. */
const askedObject = (trace: GatewayTrace): ObjectId =>
  objectId(trace.outcome === "Routed" ? trace.winner.route : trace.gateway);
