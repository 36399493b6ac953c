import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { GatewayTrace, TraceRequest } from "../../core/explain/trace/result.ts";
import { traceRequest } from "../../core/explain/trace/trace-request.ts";
import { GATEWAY_API } from "../../core/model/kinds.ts";
import { type ObjectId, objectId } from "../../core/model/refs.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import { parseRedaction, redactOption } from "../args/redaction.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/print-data.ts";
import { findTarget } from "../target/find-targets.ts";
import { traceJson } from "./json.ts";
import { parseRequest } from "./parse-request.ts";
import { printTrace } from "./text.ts";

export const command: Command = {
  usage: ["METHOD URL -f FILE|DIR|- [-H 'NAME: VALUE']… [--gateway NAME] [options]"],
  description: [
    "Follows one request through the gateway: the listener that accepts it, the route and rule that match, the other rules that match and the precedence by which they " +
      "come later, filters, backends with their weights, and the effective policy of every kind on that path. Where the gateway responds itself, " +
      "because a backend or a filter is not usable, the output gives the status and the reason.",
    "If no rule matches: the nearest rules, and what does not match in each of them. The host of the request is that of the Host header, else that of the URL. " +
      "The port is that of the URL. If several gateways listen there, the output has a section for each of them.",
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
    {
      name: "namespace",
      short: "n",
      value: "NAMESPACE",
      help: "with --redact: the namespace whose policies are shown",
    },
    redactOption,
  ],
  takes: ["source"],
  outputs: ["wide", "yaml", "json"],
  examples: [
    {
      what: "Which route serves this request, and which policies take effect?",
      line: "trace GET http://baker.bakery.example:8080/menu -f examples/bakery",
    },
    {
      what: "A request with a header, through one gateway",
      line: "trace POST http://baker.bakery.example:8080/orders -H x-tenant:blue --gateway prod -f examples/bakery",
    },
  ],
  run: async (context) => {
    const { args, options, load, fail } = context;
    const parsed = parseRequest(args, options.values("header"));
    if (!parsed.ok) return fail(parsed.message, context.example);
    const redaction = parseRedaction(options);
    if (!redaction.ok) return fail(redaction.message);
    const source = await load();
    if (source === undefined) return exitCodes.failed;
    const gateway = findGateway(source, options.value("gateway"));
    if (!gateway.ok) return fail(gateway.message, ...gateway.hints);
    const traces = traceRequest(source.world, parsed.request, createRegex(), gateway.id);
    if (traces.length === 0) return fail(`there is no Gateway in ${source.origin}`, "Add its file with -f.");
    return printTraces(parsed.request, traces, { ...context, source, redaction: redaction.redaction });
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

function printTraces(request: TraceRequest, traces: readonly GatewayTrace[], context: Answering): ExitCode {
  const { output, print, source, redaction, options } = context;
  const caveats = answerCaveats(source, { about: "Objects", objects: traces.map(askedObject) }, { redaction });
  if (output === "json" || output === "yaml") {
    printData(print, output, traceJson(request, traces, { source, redaction, caveats }));
  } else {
    printTrace(request, traces, { print, source, redaction, caveats, wide: output === "wide", allPaths: false });
    printCaveats(caveats, print);
  }
  return exitCodeWith(caveats, options, exitCodes.ok);
}

/** The route that a request takes; the Gateway if it takes none, because another route could take it. */
const askedObject = (trace: GatewayTrace): ObjectId =>
  objectId(trace.outcome === "Routed" ? trace.winner.route : trace.gateway);
