/** Where a real Envoy sends clients: ports are the ones that Gateway API names, whatever port the client sent. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RedirectConfig } from "../../../src/core/dataplane/gateway-config.ts";
import type { EnvoyDataplane } from "../../../src/xds/serve/envoy/envoy-dataplane.ts";
import { findEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS, startEnvoyPlane } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { gatewayOf, listener, route, rule } from "../../support/gateway/gateway-configs.ts";

const rows: ReadonlyArray<readonly [more: Partial<RedirectConfig>, host: string, location: string]> = [
  [{}, "shop.example", "http://shop.example/menu?x=1"],
  [{}, "shop.example:8080", "http://shop.example:80/menu?x=1"],
  [{ scheme: "https" }, "shop.example", "https://shop.example/menu?x=1"],
  [{ scheme: "https" }, "shop.example:8080", "https://shop.example:443/menu?x=1"],
  [{ scheme: "https", port: 8443 }, "shop.example:8080", "https://shop.example:8443/menu?x=1"],
  [{ hostname: "new.example" }, "shop.example:8080", "http://new.example/menu?x=1"],
  [{ path: { type: "ReplaceFullPath", path: "/all" } }, "shop.example", "http://shop.example/all?x=1"],
  [{ path: { type: "ReplacePrefixMatch", prefix: "/menu", path: "/" } }, "shop.example", "http://shop.example/?x=1"],
];

const envoyPath = findEnvoy();

describe.skipIf(envoyPath === undefined)("redirects", () => {
  let plane: EnvoyDataplane;
  let port = 0;

  beforeAll(async () => {
    [port = 0] = await findFreePorts(1);
    plane = await startEnvoyPlane(envoyPath, port);
    const routes = rows.map(([more], index) => {
      const redirect = {
        scheme: undefined,
        hostname: undefined,
        path: undefined,
        port: undefined,
        status: 302,
        ...more,
      } as const;
      return route(rule([], { action: { type: "Redirect", redirect } }), {
        headers: [{ name: "x-row", value: { type: "Exact", value: String(index) } }],
      });
    });
    const virtualHosts = [{ hostname: "shop.example", routes }];
    const gateways = [gatewayOf([{ port: 80, protocol: "HTTP", listeners: [listener({ virtualHosts })] }])];
    await plane.replace({ gateways, backends: new Map(), endpoints: new Map(), problems: [] }, NO_KEYS);
  }, 60_000);

  afterAll(() => plane.close(0));

  const ask = (index: number, host: string): Promise<string | undefined> =>
    new Promise((resolve) => {
      const headers = { host, "x-row": String(index) };
      const one = request({ host: "127.0.0.1", port, path: "/menu?x=1", headers, agent: false }, (response) => {
        response.resume();
        response.on("end", () => resolve(response.headers.location));
      });
      one.on("error", () => resolve(undefined));
      one.end();
    });

  for (const [index, [more, host, location]] of rows.entries()) {
    test(`${JSON.stringify(more)} from ${host}`, async () => {
      await expect.poll(() => ask(index, host), { timeout: 5000 }).toBe(location);
    });
  }
});
