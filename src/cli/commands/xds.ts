import { compileDataplane } from "../../core/dataplane/compile-dataplane.ts";
import type { ConfigProblem, DataplaneConfig, GatewayConfig } from "../../core/dataplane/gateway-config.ts";
import { displayRef, type ObjectRef } from "../../core/model/refs.ts";
import type { Command, CommandContext } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printData } from "../output-format.ts";
import { didYouMean } from "../parse-arguments.ts";
import {
  DEFAULT_BIND,
  DEFAULT_SECRETS,
  DEFAULT_SERVER,
  DEFAULT_SYSTEM_AUTHORITIES,
  parseBootstrapSettings,
  parseDumpSettings,
} from "../xds-settings.ts";

const words: Readonly<Record<string, (context: CommandContext, args: readonly string[]) => Promise<ExitCode>>> = {
  dump,
  bootstrap,
};

export const command: Command = {
  usage: ["dump [GATEWAY] -f FILE|DIR|- [options]", "bootstrap NAMESPACE/GATEWAY [options]"],
  description: [
    "Envoy as the gateway. What the files say is compiled into Envoy's own configuration: routes, retries, timeouts and all else as the embedded gateway has it. Where Envoy cannot do exactly what is said, a note tells.",
    "dump: one gateway in one piece, which Envoy can be started with: envoy -c FILE. Key material is never printed: Envoy reads it from files below the folder that --secrets names, NAMESPACE/NAME/tls.crt, tls.key and ca.crt.",
    "bootstrap: what an Envoy is started with that asks a server for everything else. Start it with EVENT_PRECISE_TIMER=1 in its environment, or its timers may fire too early.",
  ],
  options: [
    { name: "bind", value: "ADDRESS", help: `dump: the address to listen at (default: ${DEFAULT_BIND})` },
    {
      name: "map-port",
      value: "PORT:PORT",
      repeatable: true,
      help: "dump: open another port than the listener names: 80:8080 (repeatable)",
    },
    { name: "admin-port", value: "PORT", help: "Envoy's own, on the loopback (default: none)" },
    { name: "secrets", value: "DIR", help: `dump: where Envoy finds key material (default: ${DEFAULT_SECRETS})` },
    {
      name: "system-ca",
      value: "FILE",
      help: `dump: whom Envoy's machine trusts, for wellKnownCACertificates: System (default: ${DEFAULT_SYSTEM_AUTHORITIES})`,
    },
    {
      name: "timer",
      value: "precise|coarse",
      choices: ["precise", "coarse"],
      help: "dump: precise if Envoy runs with EVENT_PRECISE_TIMER=1; else waits are 4 ms longer (default: coarse)",
    },
    { name: "server", value: "HOST:PORT", help: `bootstrap: where to ask (default: ${DEFAULT_SERVER})` },
    { name: "node", value: "ID", help: "bootstrap: who this Envoy is (default: NAMESPACE-GATEWAY)" },
    { name: "cert", value: "FILE", help: "bootstrap: the Envoy's certificate, which names its id" },
    { name: "key", value: "FILE", help: "bootstrap: its private key" },
    { name: "ca", value: "FILE", help: "bootstrap: the authorities that sign the server's certificate" },
    { name: "server-name", value: "NAME", help: "bootstrap: what the server's certificate is for (default: its host)" },
  ],
  takes: ["source"],
  outputs: ["yaml", "json"],
  examples: [
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

async function dump(context: CommandContext, [name, ...more]: readonly string[]): Promise<ExitCode> {
  const { options, load, fail, io, print, output, note } = context;
  if (more.length > 0) return fail(`'${more[0] ?? ""}' is one word too many: xds dump takes one gateway`);
  const settings = parseDumpSettings(options);
  if (typeof settings === "string") return fail(settings, "See: xds --help");
  const source = await load();
  if (source === undefined) return exitCodes.failed;
  const config = compileDataplane(source.evaluation.world, { endpointAnnotations: "Used" });
  const gateway = pickGateway(config, name);
  if (typeof gateway === "string") return fail(gateway);
  const { bootstrap: dumped, problems } = (await io.xds()).dump(gateway, config, settings);
  for (const problem of [...config.problems, ...problems]) note(describeProblem(problem));
  printData(print, output === "json" ? "json" : "yaml", dumped);
  return exitCodes.ok;
}

const describeProblem = ({ object, field, message }: ConfigProblem): string =>
  `${displayRef(object)}${field === "" ? "" : `, ${field}`}: ${message}`;

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
  if (typeof settings === "string") return fail(settings, "See: xds --help");
  printData(print, output === "json" ? "json" : "yaml", (await io.xds()).bootstrap(settings));
  return exitCodes.ok;
}
