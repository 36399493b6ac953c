/** Implements the Envoy tools of the command line. */
import { createRegex } from "../../adapters/regex/create-regex.ts";
import type { DumpSettings, XdsNode, XdsTools } from "../../cli/xds/xds-tools.ts";
import type { ObjectRef } from "../../core/model/refs.ts";
import { bootstrapJson } from "../../xds/bootstrap-json.ts";
import { compileBootstrap, compileStaticBootstrap } from "../../xds/compile/compile-bootstrap.ts";
import { createGatewayCompiler } from "../../xds/compile/compile-gateway.ts";
import type { EnvoySecrets, Pem } from "../../xds/compile/envoy-secrets.ts";
import { bindPorts } from "../bind-ports.ts";
import { parseXdsNodes } from "./parse-xds-nodes.ts";
import { slackMs } from "./timer-slack.ts";

export const xdsTools: Omit<XdsTools, "serve"> = {
  dump: (gateway, config, settings) => {
    const { timer, adminPort, heapMib, systemAuthorities, trustedHops } = settings;
    const compiler = createGatewayCompiler({
      bind: bindPorts(settings),
      delivery: "Static",
      systemAuthorities,
      trustedHops,
      slackMs: slackMs(timer),
      matchRegex: createRegex(),
    });
    const resources = compiler.compile(gateway, config.endpoints, filesBelow(settings));
    const { namespace, name } = gateway.gateway;
    const bootstrap = compileStaticBootstrap(`${namespace}/${name}`, resources, { adminPort, heapMib });
    return { bootstrap: bootstrapJson(bootstrap), problems: resources.problems };
  },
  status: askStatus,
  bootstrap: ({ node, ...settings }) => bootstrapJson(compileBootstrap({ nodeId: node, ...settings })),
};

/** Key material as files below `--secrets`. Every secret counts as present: Envoy reads the files itself. */
function filesBelow({ secretsFolder }: DumpSettings): EnvoySecrets {
  const file = ({ namespace, name }: ObjectRef, key: string): Pem => ({
    file: `${secretsFolder}/${namespace}/${name}/${key}`,
  });
  return {
    findCertificate: (secret) => ({ chain: file(secret, "tls.crt"), privateKey: file(secret, "tls.key") }),
    findAuthorities: ([first]) => (first === undefined ? undefined : file(first, "ca.crt")),
  };
}

const STATUS_MS = 5000;

async function askStatus(port: number): Promise<readonly XdsNode[] | string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/status`, { signal: AbortSignal.timeout(STATUS_MS) });
    const nodes = parseXdsNodes(await response.json());
    return nodes ?? `what is at port ${port} is not 'xds serve'`;
  } catch {
    return `no xDS server is listening on 127.0.0.1:${port}`;
  }
}
