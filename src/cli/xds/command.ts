import { compileDataplane } from "../../core/dataplane/compile-dataplane.ts";
import type { DataplaneConfig, GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/print-data.ts";
import { formatProblem } from "../run/text.ts";
import {
  DEFAULT_ENVOY_ADDRESS,
  DEFAULT_SECRETS,
  DEFAULT_SERVER,
  DEFAULT_STATUS_PORT,
  DEFAULT_SYSTEM_AUTHORITIES,
  parseBootstrapSettings,
  parseDumpSettings,
  parseStatusPort,
  parseXdsServeSettings,
} from "./settings.ts";
import { printNodes } from "./text.ts";

const words: Readonly<Record<string, (context: CommandContext, args: readonly string[]) => Promise<ExitCode>>> = {
  serve,
  dump,
  bootstrap,
  status,
};

export const command: Command = {
  usage: [
    "serve -f FILE|DIR|- [--listen ADDRESS:PORT] [options]",
    "dump [GATEWAY] -f FILE|DIR|- [options]",
    "bootstrap NAMESPACE/GATEWAY [options]",
    "status [--status-port PORT]",
  ],
  description: [
    "Envoy as the gateway. What the files say is compiled into Envoy's own configuration: routes, retries, timeouts and all else as the embedded gateway has it. Where Envoy cannot do exactly what is said, a note tells.",
    "serve: tells Envoys over xDS what to do, each the gateway that it asks for, and follows the files as they change. Routes change without a lost request: what is new is there before it is used. " +
      "What an Envoy refuses is told, and the last version that it took stays. Anywhere but on the loopback, both sides need certificates, and an Envoy's must name its node id. " +
      "Metrics, health and readiness are at /metrics, /healthz and /readyz of the status port.",
    "status: which Envoys are connected to the server on this machine, whether they have what they are to have, and what they refused.",
    "dump: one gateway in one piece, which Envoy can be started with: envoy -c FILE. Key material is never printed: Envoy reads it from files below the folder that --secrets names, NAMESPACE/NAME/tls.crt, tls.key and ca.crt.",
    "bootstrap: what an Envoy is started with that asks a server for everything else. Start it with EVENT_PRECISE_TIMER=1 in its environment, or its timers may fire too early.",
  ],
  options: [
    { name: "listen", value: "ADDRESS:PORT", help: `serve: where Envoys ask (default: ${DEFAULT_SERVER})` },
    {
      name: "status-port",
      value: "PORT",
      help: `serve, status: where state, metrics and health are told, on the loopback (default: ${DEFAULT_STATUS_PORT})`,
    },
    { name: "no-watch", help: "serve: do not follow changes of the files" },
    {
      name: "bind",
      value: "ADDRESS",
      help: `serve, dump: the address at which Envoy listens (default: ${DEFAULT_ENVOY_ADDRESS})`,
    },
    {
      name: "map-port",
      value: "PORT:PORT",
      repeatable: true,
      help: "serve, dump: open another port than the listener names: 80:8080 (repeatable)",
    },
    { name: "admin-port", value: "PORT", help: "Envoy's own, on the loopback (default: none)" },
    { name: "secrets", value: "DIR", help: `dump: where Envoy finds key material (default: ${DEFAULT_SECRETS})` },
    {
      name: "system-ca",
      value: "FILE",
      help: `serve, dump: whom Envoy's machine trusts, for wellKnownCACertificates: System (default: ${DEFAULT_SYSTEM_AUTHORITIES})`,
    },
    {
      name: "timer",
      value: "precise|coarse",
      choices: ["precise", "coarse"],
      help: "serve, dump: precise if Envoy runs with EVENT_PRECISE_TIMER=1; else waits are 4 ms longer (default: coarse)",
    },
    { name: "server", value: "HOST:PORT", help: `bootstrap: where to ask (default: ${DEFAULT_SERVER})` },
    { name: "node", value: "ID", help: "bootstrap: who this Envoy is (default: NAMESPACE-GATEWAY)" },
    {
      name: "cert",
      value: "FILE",
      help: "serve: the server's certificate; bootstrap: the Envoy's, which names its id",
    },
    { name: "key", value: "FILE", help: "serve, bootstrap: its private key" },
    { name: "ca", value: "FILE", help: "serve, bootstrap: the authorities that sign the other side's certificates" },
    { name: "server-name", value: "NAME", help: "bootstrap: what the server's certificate is for (default: its host)" },
  ],
  takes: ["source"],
  outputs: ["yaml", "json"],
  examples: [
    { what: "Serve Envoys on this machine", line: "xds serve -f examples/bakery" },
    { what: "How are they doing?", line: "xds status" },
    { what: "What would Envoy be told?", line: "xds dump -f examples/bakery" },
    {
      what: "A file that Envoy can be started with, on port 8000 for a listener on port 80",
      line: "xds dump -f examples/bakery --map-port 80:8000 -o json",
    },
    {
      what: "A bootstrap for an Envoy that is to be the gateway prod",
      line: "xds bootstrap infra/prod --admin-port 9901",
    },
  ],
  run: async (context) => {
    const [word, ...args] = context.args;
    const names = Object.keys(words);
    if (word === undefined) return context.fail(`xds what? One of ${names.join(", ")}`, context.example);
    const act = Object.hasOwn(words, word) ? words[word] : undefined;
    if (act === undefined)
      return context.fail(`xds has no '${word}'; it has ${names.join(", ")}${didYouMean(word, names)}`);
    return act(context, args);
  },
};

async function serve(context: CommandContext, [word]: readonly string[]): Promise<ExitCode> {
  const { options, fail, io, tell, note, example } = context;
  if (word !== undefined) return fail(`'${word}' is one word too many: xds serve takes options only`);
  const settings = parseXdsServeSettings(options);
  if (typeof settings === "string") return fail(settings, context.seeHelp);
  if (settings.paths.length === 0) {
    return fail("nothing to serve: say with -f FILE, -f DIR or -f - where the objects are", example);
  }
  return (await io.xds()).serve(settings, { write: io.stdout, tell, note, fail });
}

async function status(context: CommandContext, [word]: readonly string[]): Promise<ExitCode> {
  const { options, fail, io, print, output } = context;
  if (word !== undefined) return fail(`'${word}' is one word too many: xds status takes options only`);
  const port = parseStatusPort(options);
  if (typeof port === "string") return fail(port, context.seeHelp);
  const nodes = await (await io.xds()).status(port);
  if (typeof nodes === "string")
    return fail(nodes, "Is 'xds serve' running on this machine? Give its port with --status-port.");
  if (output === "json" || output === "yaml") printData(print, output, { nodes });
  else printNodes(nodes, print);
  return exitCodes.ok;
}

async function dump(context: CommandContext, [name, ...more]: readonly string[]): Promise<ExitCode> {
  const { options, load, fail, io, print, output, note } = context;
  if (more.length > 0) return fail(`'${more[0] ?? ""}' is one word too many: xds dump takes one gateway`);
  const settings = parseDumpSettings(options);
  if (typeof settings === "string") return fail(settings, context.seeHelp);
  const source = await load();
  if (source === undefined) return exitCodes.failed;
  const config = compileDataplane(source.world, { endpointAnnotations: "Used" });
  const gateway = pickGateway(config, name);
  if (typeof gateway === "string") return fail(gateway);
  const { bootstrap: dumped, problems } = (await io.xds()).dump(gateway, config, settings);
  for (const problem of [...config.problems, ...problems]) note(formatProblem(problem));
  printData(print, output === "json" ? "json" : "yaml", dumped);
  return exitCodes.ok;
}

const nameOf = ({ namespace, name }: ObjectRef): string => `${namespace}/${name}`;

/** By `namespace/name`, by name alone where that says it, or the only one. A text says why not. */
function pickGateway({ gateways }: DataplaneConfig, name: string | undefined): GatewayConfig | string {
  const fitting = gateways.filter(
    ({ gateway }) => name === undefined || name === nameOf(gateway) || name === gateway.name,
  );
  const [only, another] = fitting;
  const all = gateways.map(({ gateway }) => nameOf(gateway));
  if (only !== undefined && another === undefined) return only;
  if (all.length === 0) return "there is no Gateway in what was read";
  if (only === undefined) return `there is no Gateway '${name ?? ""}'; there are ${all.join(", ")}`;
  return `there are several Gateways: say which one, ${fitting.map(({ gateway }) => nameOf(gateway)).join(" or ")}`;
}

async function bootstrap(context: CommandContext, [gateway, ...more]: readonly string[]): Promise<ExitCode> {
  const { options, fail, io, print, output } = context;
  if (more.length > 0) return fail(`'${more[0] ?? ""}' is one word too many: xds bootstrap takes one gateway`);
  const settings = parseBootstrapSettings(gateway, options);
  if (typeof settings === "string") return fail(settings, context.seeHelp);
  printData(print, output === "json" ? "json" : "yaml", (await io.xds()).bootstrap(settings));
  return exitCodes.ok;
}
