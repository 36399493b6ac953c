import { compileDataplane } from "../../core/dataplane/compile-dataplane.ts";
import type { DataplaneConfig, GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import { envoyHeapOption } from "../args/envoy-heap.ts";
import { trustedHopsOption } from "../args/trusted-hops.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { exitCodeWith } from "../caveats/exit-code.ts";
import { printCaveats } from "../caveats/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../print/data/print-data.ts";
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
    "Envoy as the gateway. The files are compiled into Envoy configuration with the same routes, retries and timeouts as in the embedded gateway. A note is printed for each setting that Envoy supports only approximately.",
    "serve: an xDS server. Each Envoy gets the configuration of the gateway that it asks for, and updates when the files change. A change of routes drops no request: new resources are sent before they are used. " +
      "If an Envoy refuses a resource, the server prints the reason and the Envoy keeps its last version. Outside the loopback both sides need certificates, and that of an Envoy must name its node id and its Gateway (prevail://gateway/NAMESPACE/NAME). " +
      "Metrics, health and readiness are at /metrics, /healthz and /readyz of the status port.",
    "status: the Envoys that are connected to the server on this machine, whether they are up to date, and the resources that they refused.",
    "dump: the configuration of one gateway in one file, for envoy -c FILE. Key material is never printed: Envoy reads it from files below the folder that --secrets names, NAMESPACE/NAME/tls.crt, tls.key and ca.crt.",
    "bootstrap: the bootstrap file of an Envoy that gets everything else from an xDS server. Start the Envoy with EVENT_PRECISE_TIMER=1 in its environment, or its timers may fire too early.",
  ],
  options: [
    {
      name: "listen",
      value: "ADDRESS:PORT|unix:PATH",
      help: `serve: the address of the xDS server, or a Unix socket that only this user can open (default: ${DEFAULT_SERVER})`,
    },
    {
      name: "status-port",
      value: "PORT",
      help: `serve, status: the port of status, metrics and health, on the loopback (default: ${DEFAULT_STATUS_PORT})`,
    },
    { name: "no-watch", help: "serve: do not follow changes of the files" },
    {
      name: "bind",
      value: "ADDRESS",
      help: `serve, dump: the address that Envoy listens on (default: ${DEFAULT_ENVOY_ADDRESS})`,
    },
    {
      name: "map-port",
      value: "PORT:PORT",
      repeatable: true,
      help: "serve, dump: open another port for a listener port: 80:8080 (repeatable)",
    },
    { ...trustedHopsOption, help: `serve, dump: ${trustedHopsOption.help}` },
    { ...envoyHeapOption, help: `bootstrap, dump: ${envoyHeapOption.help}` },
    { name: "admin-port", value: "PORT", help: "Envoy's admin port, on the loopback (default: none)" },
    { name: "secrets", value: "DIR", help: `dump: the folder of the key material (default: ${DEFAULT_SECRETS})` },
    {
      name: "system-ca",
      value: "FILE",
      help: `serve, dump: the system's CA certificates on Envoy's machine, for wellKnownCACertificates: System (default: ${DEFAULT_SYSTEM_AUTHORITIES})`,
    },
    {
      name: "timer",
      value: "precise|coarse",
      choices: ["precise", "coarse"],
      help: "serve, dump: precise if Envoy runs with EVENT_PRECISE_TIMER=1; with coarse, waits are 4 ms longer (default: coarse)",
    },
    {
      name: "server",
      value: "HOST:PORT|unix:PATH",
      help: `bootstrap: the address of the xDS server (default: ${DEFAULT_SERVER})`,
    },
    { name: "node", value: "ID", help: "bootstrap: the node id of this Envoy (default: NAMESPACE-GATEWAY)" },
    {
      name: "cert",
      value: "FILE",
      help: "serve: the server's certificate; bootstrap: the Envoy's certificate, which contains its node id",
    },
    { name: "key", value: "FILE", help: "serve, bootstrap: the private key of the certificate" },
    { name: "ca", value: "FILE", help: "serve, bootstrap: the authorities that sign the other side's certificates" },
    { name: "server-name", value: "NAME", help: "bootstrap: the name in the server's certificate (default: its host)" },
  ],
  takes: ["source"],
  outputs: ["yaml", "json"],
  examples: [
    { what: "Serve Envoys on this machine", line: "xds serve -f examples/bakery" },
    { what: "The state of the connected Envoys", line: "xds status" },
    { what: "The configuration that an Envoy would get", line: "xds dump -f examples/bakery" },
    {
      what: "A configuration file for Envoy, with port 8000 for a listener on port 80",
      line: "xds dump -f examples/bakery --map-port 80:8000 -o json",
    },
    {
      what: "A bootstrap file for an Envoy that serves the gateway prod",
      line: "xds bootstrap infra/prod --admin-port 9901",
    },
  ],
  run: async (context) => {
    const [word, ...args] = context.args;
    const names = Object.keys(words);
    if (word === undefined)
      return context.fail(`no subcommand given: name one of ${names.join(", ")}`, context.example);
    const act = Object.hasOwn(words, word) ? words[word] : undefined;
    if (act === undefined)
      return context.fail(`unknown subcommand '${word}': xds knows ${names.join(", ")}${didYouMean(word, names)}`);
    return act(context, args);
  },
};

async function serve(context: CommandContext, [word]: readonly string[]): Promise<ExitCode> {
  const { options, fail, failWith, io, errorPrint, note, example } = context;
  if (word !== undefined) return fail(`unexpected argument '${word}': xds serve takes options only`);
  const settings = parseXdsServeSettings(options);
  if (typeof settings === "string") return fail(settings, context.seeHelp);
  if (settings.paths.length === 0) {
    return fail("nothing to serve: name the objects with -f FILE, -f DIR or -f -", example);
  }
  return (await io.xds()).serve(settings, {
    write: io.stdout,
    errorPrint,
    note,
    fail: (...reason) => failWith(exitCodes.failed, ...reason),
  });
}

async function status(context: CommandContext, [word]: readonly string[]): Promise<ExitCode> {
  const { options, fail, failWith, io, print, output } = context;
  if (word !== undefined) return fail(`unexpected argument '${word}': xds status takes options only`);
  const port = parseStatusPort(options);
  if (typeof port === "string") return fail(port, context.seeHelp);
  const nodes = await (await io.xds()).status(port);
  if (typeof nodes === "string")
    return failWith(
      exitCodes.failed,
      nodes,
      "Is 'xds serve' running on this machine? Give its port with --status-port.",
    );
  if (output === "json" || output === "yaml") printData(print, output, { nodes });
  else printNodes(nodes, print);
  return exitCodes.ok;
}

async function dump(context: CommandContext, [name, ...more]: readonly string[]): Promise<ExitCode> {
  const { options, load, fail, io, print, errorPrint, output, note } = context;
  if (more.length > 0) return fail(`unexpected argument '${more[0] ?? ""}': xds dump takes one gateway`);
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
  // Standard output has the file for Envoy.
  const caveats = answerCaveats(source, { about: "Input" }, { dataplane: "envoy" });
  printCaveats(caveats, errorPrint);
  return exitCodeWith(caveats, options, exitCodes.ok);
}

const nameOf = ({ namespace, name }: ObjectRef): string => `${namespace}/${name}`;

/** Finds a gateway by `namespace/name` or by a unique name. Without a name: the only gateway. Returns an error message if there is none or several. */
function pickGateway({ gateways }: DataplaneConfig, name: string | undefined): GatewayConfig | string {
  const fitting = gateways.filter(
    ({ gateway }) => name === undefined || name === nameOf(gateway) || name === gateway.name,
  );
  const [only, another] = fitting;
  const all = gateways.map(({ gateway }) => nameOf(gateway));
  if (only !== undefined && another === undefined) return only;
  if (all.length === 0) return "there is no Gateway in the files";
  if (only === undefined) return `there is no Gateway '${name ?? ""}': the files have ${all.join(", ")}`;
  return `there are several Gateways: name one, ${fitting.map(({ gateway }) => nameOf(gateway)).join(" or ")}`;
}

async function bootstrap(context: CommandContext, [gateway, ...more]: readonly string[]): Promise<ExitCode> {
  const { options, fail, io, print, output } = context;
  if (more.length > 0) return fail(`unexpected argument '${more[0] ?? ""}': xds bootstrap takes one gateway`);
  const settings = parseBootstrapSettings(gateway, options);
  if (typeof settings === "string") return fail(settings, context.seeHelp);
  printData(print, output === "json" ? "json" : "yaml", (await io.xds()).bootstrap(settings));
  return exitCodes.ok;
}
