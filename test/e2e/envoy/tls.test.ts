/** HTTPS through a real Envoy that gets its certificates over xDS, and TLS to backends. */
import { readFileSync } from "node:fs";
import { createServer, request } from "node:https";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type {
  BackendTlsConfig,
  DataplaneConfig,
  EndpointsId,
  ListenerConfig,
} from "../../../src/core/dataplane/gateway-config.ts";
import type { EnvoySecrets } from "../../../src/xds/compile/envoy-secrets.ts";
import type { EnvoyDataplane } from "../../../src/xds/serve/envoy/envoy-dataplane.ts";
import { findEnvoy } from "../../support/gateway/envoy.ts";
import { startEnvoyPlane } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { backend, backendConfig, gatewayOf, listener, route, rule } from "../../support/gateway/gateway-configs.ts";

const pem = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../support/testdata/tls/${name}`, import.meta.url)), "utf8");
const ref = (kind: string, name: string) => ({ group: "", kind, namespace: "bakery", name });

const GARBLED = "-----BEGIN CERTIFICATE-----\nbm90IGEgY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----\n";

const secrets: EnvoySecrets = {
  findCertificate: ({ name }) => {
    if (name === "lost") return undefined;
    return { chain: { text: name === "garbled" ? GARBLED : pem("tls.crt") }, privateKey: { text: pem("tls.key") } };
  },
  findAuthorities: ([first]) => ({ text: first?.name === "garbled" ? GARBLED : pem("tls.crt") }),
};

const envoyPath = findEnvoy();

describe.skipIf(envoyPath === undefined)("HTTPS", () => {
  const open: { close: () => unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  const startPlane = async (port: number, scopesFrom: number): Promise<EnvoyDataplane> => {
    const plane = await startEnvoyPlane(envoyPath, port, { scopesFrom });
    open.push({ close: () => plane.close(0) });
    return plane;
  };

  /** Responds over TLS, with the one certificate that there is: it is for `bakery.example`. */
  const startBackend = async (): Promise<number> => {
    const server = createServer({ cert: pem("tls.crt"), key: pem("tls.key") }, (_, response) => response.end("hot"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push(server);
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
    return address.port;
  };

  const ask = (port: number, servername: string, host = servername): Promise<number | string | undefined> =>
    new Promise((resolve) => {
      const options = {
        host: "127.0.0.1",
        port,
        servername,
        headers: { host },
        agent: false,
        ca: pem("tls.crt"),
        timeout: 5000,
      };
      const one = request(options, (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode));
      });
      one.on("error", () => resolve("no connection"));
      one.end();
    });

  const https = (name: string, hostname: string, tls: BackendTlsConfig, certificate = "shop"): ListenerConfig =>
    listener({
      name,
      hostname,
      certificates: [ref("Secret", certificate)],
      virtualHosts: [{ hostname, routes: [route(rule([backend(name, { backend: backendConfig(name, { tls }) })]))] }],
    });

  const config = (listeners: readonly ListenerConfig[], backendPort: number): DataplaneConfig => ({
    gateways: [gatewayOf([{ port: 443, protocol: "TLS", listeners }])],
    backends: new Map(),
    endpoints: new Map(
      listeners.map(({ name }) => [`bakery/${name}:80` as EndpointsId, [{ address: "127.0.0.1", port: backendPort }]]),
    ),
    problems: [],
  });

  const trusted: BackendTlsConfig = {
    hostname: "bakery.example",
    subjectAltNames: [],
    authorities: [ref("ConfigMap", "ca")],
  };

  test.each([
    ["a scope for each host", 0],
    ["hosts in one table", Number.POSITIVE_INFINITY],
  ])("by SNI, %s; a backend whose certificate is for another name is not spoken to", async (_, scopesFrom) => {
    const [port = 0] = await findFreePorts(1);
    const plane = await startPlane(port, scopesFrom);
    const listeners = [
      https("shop", "shop.bakery.example", trusted),
      https("other", "other.bakery.example", { ...trusted, hostname: "elsewhere.example" }),
      https("distrusted", "distrusted.bakery.example", { ...trusted, authorities: [ref("ConfigMap", "garbled")] }),
      https("lost", "lost.bakery.example", trusted, "lost"),
      https("garbled", "garbled.bakery.example", trusted, "garbled"),
    ];
    expect(await plane.replace(config(listeners, await startBackend()), secrets)).toEqual([
      expect.stringContaining("lost: Secret bakery/lost has no certificate that can be used"),
      expect.stringContaining("garbled: Secret bakery/garbled has no certificate that can be used"),
      expect.stringContaining(
        "Service bakery/distrusted: spec.ports: the BackendTLSPolicy has no usable CA certificate",
      ),
    ]);
    await expect.poll(() => ask(port, "shop.bakery.example"), { timeout: 10_000 }).toBe(200);
    expect(await ask(port, "other.bakery.example")).toBe(503);
    // No certificate, no listener; and no other one takes the connection.
    expect(await ask(port, "lost.bakery.example")).toBe("no connection");
    expect(await ask(port, "garbled.bakery.example")).toBe("no connection");
    expect(await ask(port, "distrusted.bakery.example")).toBe(503);
    // The connection belongs to one listener, and so do its hosts.
    expect(await ask(port, "shop.bakery.example", "other.bakery.example")).toBe(421);
  });
});
