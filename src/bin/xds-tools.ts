/** What the command line knows of Envoy, put together. */
import { createRegex } from "../adapters/regex/create-regex.ts";
import type { DumpSettings, EnvoyTimer, XdsTools } from "../cli/xds-tools.ts";
import type { ObjectRef } from "../core/model/refs.ts";
import { bootstrapJson } from "../xds/bootstrap-json.ts";
import { compileBootstrap, compileStaticBootstrap } from "../xds/compile/compile-bootstrap.ts";
import { createGatewayCompiler } from "../xds/compile/compile-gateway.ts";
import type { Pem, SecretSource } from "../xds/compile/secret-source.ts";

export const xdsTools: XdsTools = {
  dump: (gateway, config, settings) => {
    const { bind, portMap, timer, adminPort, systemAuthorities } = settings;
    const compiler = createGatewayCompiler({
      bind: (_, port) => ({ host: bind, port: portMap.get(port) ?? port }),
      delivery: "Static",
      systemAuthorities,
      slackMs: slackMs(timer),
      matchRegex: createRegex(),
    });
    const resources = compiler.compile(gateway, config.endpoints, filesBelow(settings));
    const { namespace, name } = gateway.gateway;
    const bootstrap = compileStaticBootstrap(`${namespace}/${name}`, resources, adminPort);
    return { bootstrap: bootstrapJson(bootstrap), problems: resources.problems };
  },
  bootstrap: ({ node, ...settings }) => bootstrapJson(compileBootstrap({ nodeId: node, ...settings })),
};

/** Measured: docs/decisions/0006. */
const slackMs = (timer: EnvoyTimer): number => (timer === "precise" ? 1 : 5);

/** All that is asked for is taken to be there: whether it is, Envoy will see. */
function filesBelow({ secretsFolder }: DumpSettings): SecretSource {
  const file = ({ namespace, name }: ObjectRef, key: string): Pem => ({
    file: `${secretsFolder}/${namespace}/${name}/${key}`,
  });
  return {
    findCertificate: (secret) => ({ chain: file(secret, "tls.crt"), privateKey: file(secret, "tls.key") }),
    findAuthorities: ([first]) => (first === undefined ? undefined : file(first, "ca.crt")),
  };
}
