import { assignPorts } from "../../core/dataplane/assign-ports.ts";
import { compileDataplane } from "../../core/dataplane/compile-dataplane.ts";
import type { ConfigProblem, DataplaneConfig } from "../../core/dataplane/gateway-config.ts";
import { verdicts } from "../../core/evaluate.ts";
import { formatRef, parseObjectId } from "../../core/model/refs.ts";
import { envoyHeapOption } from "../args/envoy-heap.ts";
import { trustedHopsOption } from "../args/trusted-hops.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { CliIo } from "../cli-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { DEFAULT_SECRETS, DEFAULT_SYSTEM_AUTHORITIES } from "../xds/settings.ts";
import {
  DEFAULT_ADMIN_PORT,
  DEFAULT_DRAIN,
  DEFAULT_GATEWAY_ADDRESS,
  parseServeSettings,
  type ServeSettings,
} from "./settings.ts";
import { formatProblem, printServed } from "./text.ts";

export const command: Command = {
  usage: ["-f FILE|DIR|- [--backend-demo] [--bind ADDRESS] [--map-port PORT:PORT]… [options]"],
  description: [
    "Runs a gateway on this machine that is configured by the files: it opens the listeners of the Gateways and applies routes, retries and timeouts of the effective policies. " +
      "A change of the files takes effect at once and drops no request. If a change is not usable, the gateway prints the reason and keeps its configuration.",
    "Without a cluster, an annotation of a Service lists the addresses of its processes: prevail.dev/endpoints: 127.0.0.1:8081,127.0.0.1:8082. " +
      "With --backend-demo, demo backends replace all of them. They fail on demand: the header 'x-demo: 503,reset,200' requests a 503 for the first attempt, " +
      "a broken connection for the second and a 200 for the third. A delay (2s) and 'stall' are also allowed.",
    "Certificates come from Secrets (type kubernetes.io/tls) in the files. Metrics, health and readiness are at /metrics, /healthz and /readyz of the admin port, on the loopback only. " +
      "After SIGTERM or Ctrl-C the gateway completes its requests before it stops.",
    "With --dataplane envoy, an Envoy serves each Gateway. It is started by this program and configured over xDS. The access log, health, readiness and the metrics of requests are the same; debug headers are not available.",
  ],
  options: [
    { name: "backend-demo", help: "replace the backends of all Services with demo backends" },
    {
      name: "bind",
      value: "ADDRESS",
      help: `the address to listen at (default: ${DEFAULT_GATEWAY_ADDRESS}; all: 0.0.0.0 or ::)`,
    },
    {
      name: "map-port",
      value: "PORT:PORT",
      repeatable: true,
      help: "open another port for a listener port: 80:8080 (repeatable)",
    },
    {
      name: "admin-port",
      value: "PORT|off",
      help: `for metrics and health, on the loopback (default: ${DEFAULT_ADMIN_PORT})`,
    },
    {
      name: "access-log",
      value: "text|json|off",
      choices: ["text", "json", "off"],
      help: "format of the access log on standard output (default: text)",
    },
    {
      name: "debug-headers",
      help: "add route, rule, backend and number of attempts to responses, as x-prevail-* headers",
    },
    {
      name: "drain",
      value: "DURATION",
      help: `time for requests to complete when the gateway stops (default: ${DEFAULT_DRAIN})`,
    },
    {
      name: "dataplane",
      value: "embedded|envoy",
      choices: ["embedded", "envoy"],
      help: "the data plane: this program, or one Envoy for each Gateway (default: embedded)",
    },
    { name: "envoy", value: "PATH", help: "the Envoy to start (default: envoy on the PATH)" },
    envoyHeapOption,
    trustedHopsOption,
    { name: "no-watch", help: "do not follow changes of the files" },
    { name: "dry-run", help: "print what would be served, and exit" },
  ],
  takes: ["source"],
  outputs: [],
  examples: [
    { what: "What would be served?", line: "run --dry-run -f examples/bakery" },
    { what: "Serve it, with demo backends", line: "run -f examples/bakery --backend-demo" },
    {
      what: "Open port 8000 on all interfaces for a listener on port 80",
      line: "run -f examples/bakery --map-port 80:8000 --bind 0.0.0.0",
    },
  ],
  run: async (context) => {
    const { args, options, errorPrint, note, fail, failWith, io, example } = context;
    if (args.length > 0) return fail(`unexpected argument '${args[0] ?? ""}': run takes options only`);
    const settings = parseServeSettings(options);
    if (typeof settings === "string") return fail(settings, context.seeHelp);
    if (options.has("dry-run")) return dryRun(context, settings);
    if (settings.paths.length === 0) {
      return fail("nothing to serve: name the objects with -f FILE, -f DIR or -f -", example);
    }
    return io.serve(settings, {
      write: io.stdout,
      errorPrint,
      note,
      fail: (...reason) => failWith(exitCodes.failed, ...reason),
    });
  },
};

/** Prints what `run` prints at its start. */
async function dryRun(
  { load, print, note, options, io }: CommandContext,
  { bind, portMap, dataplane, trustedHops, heapMib }: ServeSettings,
): Promise<ExitCode> {
  const source = await load();
  if (source === undefined) return exitCodes.failed;
  const config = compileDataplane(source.world, { endpointAnnotations: "Used" });
  const { conflicts } = assignPorts(config.gateways, (_, port) => ({ host: bind, port: portMap.get(port) ?? port }));
  printServed(config, print, (gateway, port) =>
    conflicts.some((one) => one.port === port && one.gateway === gateway)
      ? undefined
      : `${bind}:${portMap.get(port) ?? port}`,
  );
  for (const { message } of conflicts) note(message);
  for (const { policy, verdict } of verdicts(source.evaluation))
    if (verdict.state === "NotAccepted")
      note(`${formatRef(parseObjectId(policy))} is not accepted: ${verdict.message}`);
  const ofEnvoy = dataplane === "envoy" ? await envoyProblems(config, io, { bind, portMap, trustedHops, heapMib }) : [];
  for (const problem of [...config.problems, ...ofEnvoy]) note(formatProblem(problem));
  const caveats = answerCaveats(source, { about: "Input" }, { dataplane });
  printCaveats(caveats, print);
  return exitCodeWith(caveats, options, exitCodes.ok);
}

/** The settings that Envoy does not support exactly. */
async function envoyProblems(
  config: DataplaneConfig,
  io: CliIo,
  ports: Pick<ServeSettings, "bind" | "portMap" | "trustedHops" | "heapMib">,
): Promise<readonly ConfigProblem[]> {
  const { dump } = await io.xds();
  const settings = {
    ...ports,
    adminPort: undefined,
    secretsFolder: DEFAULT_SECRETS,
    systemAuthorities: DEFAULT_SYSTEM_AUTHORITIES,
    timer: "precise",
  } as const;
  return config.gateways.flatMap((gateway) => dump(gateway, config, settings).problems);
}
