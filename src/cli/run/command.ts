import { compileDataplane } from "../../core/dataplane/compile-dataplane.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
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
    "Runs a gateway on this machine that does what the files say: it listens where the Gateways do, routes, retries and times out by the policies that prevail. " +
      "When files change it follows at once and drops no request. If a change cannot be used, it says so and keeps what it had.",
    "Without a cluster, a Service says where its processes listen: annotation prevail.dev/endpoints: 127.0.0.1:8081,127.0.0.1:8082. " +
      "With --backend-demo small backends stand in for all of them. They fail on demand: the header 'x-demo: 503,reset,200' asks for a 503 at the first try, " +
      "a broken connection at the second and a 200 at the third; a delay (2s) and 'stall' are known too.",
    "Certificates come from Secrets (type kubernetes.io/tls) in the files. Metrics, health and readiness are at /metrics, /healthz and /readyz of the admin port, on the loopback only. " +
      "SIGTERM and Ctrl-C let requests end before it stops.",
    "With --dataplane envoy the same is done by Envoy: one is started for each Gateway, and told over xDS what changes. The access log is the same, and so are health, readiness and the metrics of requests; debug headers there are none.",
  ],
  options: [
    { name: "backend-demo", help: "let small backends of our own stand in for all Services" },
    {
      name: "bind",
      value: "ADDRESS",
      help: `the address to listen at (default: ${DEFAULT_GATEWAY_ADDRESS}; all: 0.0.0.0 or ::)`,
    },
    {
      name: "map-port",
      value: "PORT:PORT",
      repeatable: true,
      help: "open another port than the listener names: 80:8080 (repeatable)",
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
      help: "how requests are logged on standard output (default: text)",
    },
    { name: "debug-headers", help: "answers tell route, rule, backend and tries, as x-prevail-* headers" },
    {
      name: "drain",
      value: "DURATION",
      help: `how long requests may take to end when it stops (default: ${DEFAULT_DRAIN})`,
    },
    {
      name: "dataplane",
      value: "embedded|envoy",
      choices: ["embedded", "envoy"],
      help: "who serves: this program, or an Envoy for each Gateway that it starts (default: embedded)",
    },
    { name: "envoy", value: "PATH", help: "the Envoy to start (default: envoy on the PATH)" },
    { name: "no-watch", help: "do not follow changes of the files" },
    { name: "dry-run", help: "say what would be served, and stop" },
  ],
  takes: ["source"],
  outputs: [],
  examples: [
    { what: "What would be served?", line: "run --dry-run -f examples/bakery" },
    { what: "Serve it, with backends to play with", line: "run -f examples/bakery --backend-demo" },
    {
      what: "Open port 8000 for a listener on port 80, to everybody",
      line: "run -f examples/bakery --map-port 80:8000 --bind 0.0.0.0",
    },
  ],
  run: async (context) => {
    const { args, options, tell, note, fail, io, example } = context;
    if (args.length > 0) return fail(`'${args[0] ?? ""}' is one word too many: run takes options only`);
    const settings = parseServeSettings(options);
    if (typeof settings === "string") return fail(settings, context.seeHelp);
    if (options.has("dry-run")) return dryRun(context, settings);
    if (settings.paths.length === 0) {
      return fail("nothing to serve: say with -f FILE, -f DIR or -f - where the objects are", example);
    }
    return io.serve(settings, { write: io.stdout, tell, note, fail });
  },
};

async function dryRun({ load, print, note }: CommandContext, { bind, portMap }: ServeSettings): Promise<ExitCode> {
  const source = await load();
  if (source === undefined) return exitCodes.failed;
  const config = compileDataplane(source.world, { endpointAnnotations: "Used" });
  printServed(config, print, (_, port) => `${bind}:${portMap.get(port) ?? port}`);
  for (const problem of config.problems) note(formatProblem(problem));
  return exitCodes.ok;
}
