/** Equal requests to the embedded gateway and to Envoys with either layout of hosts give equal responses. */
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import type { DataplaneConfig, EndpointsId, RouteConfig } from "../../../src/core/dataplane/gateway-config.ts";
import { NO_SECRETS } from "../../../src/gateway/contract/secret-source.ts";
import { createGateway, type Gateway } from "../../../src/gateway/gateway.ts";
import type { EnvoyDataplane } from "../../../src/xds/serve/envoy/envoy-dataplane.ts";
import { findEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS, startEnvoyPlane } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { backend, gatewayOf, listener, route, rule } from "../../support/gateway/gateway-configs.ts";
import { createRandom } from "./edited-gateway.ts";

const envoyPath = findEnvoy();
const REQUESTS = Number(process.env["PREVAIL_REQUESTS"] ?? 1000);
const random = createRandom(11);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(items: readonly T[]): T => {
  const item = items[below(items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
};

const LONGEST = `${"a".repeat(61)}.${"b".repeat(61)}.${"c".repeat(61)}.${"d".repeat(59)}.example`;
const HOSTS = [
  ...Array.from({ length: 70 }, (_, index) => `h${index}.example`),
  ...Array.from({ length: 40 }, (_, index) => `h${index}.example.org`),
  ...Array.from({ length: 40 }, (_, index) => `h${index}.shop.example`),
  "shop.example",
  "xn--bckerei-5wa.example",
  LONGEST,
];
const PATHS = ["/", "/bread", "/bread/rye", "/cake", "/Bread"];
const METHODS = ["GET", "POST", "DELETE"];

/** Each backend sends its name in its responses. */
function someRoutes(hostname: string): readonly RouteConfig[] {
  return Array.from({ length: 1 + below(3) }, (_, index) => {
    const name = `${hostname} ${index}`;
    const filters = [
      { type: "ResponseHeaderModifier", remove: [], set: [{ name: "x-route", value: name }], add: [] },
    ] as const;
    const path = { type: pick(["PathPrefix", "Exact"] as const), value: pick(PATHS) };
    const method = random() < 0.3 ? pick(METHODS) : undefined;
    const headers = random() < 0.2 ? [{ name: "x-kind", value: { type: "Exact", value: "sour" } as const }] : [];
    return route(rule([backend("bread")], { filters, rule: `rule-${index}` }), { path, method, headers });
  });
}

/** Listeners that overlap: a host belongs to the most specific, also where that has no routes for it. */
function configOf(port: number, backendPort: number): DataplaneConfig {
  const inShop = (host: string): boolean => host.endsWith(".shop.example");
  const hosts = (names: readonly string[]) => names.map((hostname) => ({ hostname, routes: someRoutes(hostname) }));
  const listeners = [
    listener({ name: "one", hostname: "h0.shop.example", virtualHosts: hosts(["h0.shop.example"]) }),
    listener({ name: "nothing", hostname: "h1.shop.example" }),
    listener({ name: "shop", hostname: "*.shop.example", virtualHosts: hosts(HOSTS.filter(inShop)) }),
    listener({ name: "all", virtualHosts: hosts(HOSTS) }),
  ];
  return {
    gateways: [gatewayOf([{ port, protocol: "HTTP", listeners }])],
    backends: new Map(),
    endpoints: new Map([["bakery/bread:80" as EndpointsId, [{ address: "127.0.0.1", port: backendPort }]]]),
    problems: [],
  };
}

const SPELLINGS: ReadonlyArray<(host: string) => string> = [
  (host) => host,
  (host) => host,
  (host) => host,
  (host) => `${host}:80`,
  (host) => `${host}:8080`,
  (host) => host.toUpperCase(),
  (host) => `${host.slice(0, 1).toUpperCase()}${host.slice(1)}:81`,
  (host) => `${host}.`,
  (host) => `${host}.:80`,
  (host) => `s.${host}`.slice(0, 253),
  (host) => host.slice(1),
  (host) => `${host}x`,
  () => "nobody.shop.example",
  () => "[::1]",
  () => "[::1]:80",
  () => "127.0.0.1:80",
];

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly more: string;
}

function someRequest(): Asked {
  const host = pick(SPELLINGS)(pick(HOSTS));
  const path = `${pick(PATHS)}${pick(["", "", "", "/", "/x", "?a=b"])}`;
  const isAbsolute = random() < 0.1;
  return {
    method: pick(METHODS),
    target: isAbsolute ? `http://${host}${path}` : path,
    host,
    more: random() < 0.2 ? "x-kind: sour\r\n" : "",
  };
}

/** The status, and the route that took it. */
const ask = (port: number, { method, target, host, more }: Asked): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let response = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no response to ${method} ${target} of ${host}`)));
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      response += String(text);
      // The head of the response is complete: the connection does not have to close.
      if (response.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const taken = /^x-route: (.*)\r$/im.exec(response)?.[1] ?? "no route";
      resolve(`${response.slice(9, 12)} ${taken}`);
    });
    socket.write(
      `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 0\r\nconnection: close\r\n${more}\r\n`,
    );
  });

describe.skipIf(envoyPath === undefined)("the embedded gateway, and Envoys with hosts in both ways", () => {
  let server: Server;
  let gateway: Gateway;
  let planes: readonly EnvoyDataplane[] = [];
  let ports: readonly number[] = [];

  beforeAll(async () => {
    server = createServer((_, response) => response.end("here you are"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
    const config = configOf(80, address.port);
    const [shared = 0, scoped = 0] = await findFreePorts(2);
    gateway = createGateway({ matchRegex: createRegex(), bind: () => ({ host: "127.0.0.1", port: 0 }) });
    await gateway.replace(config, NO_SECRETS);
    planes = await Promise.all(
      [
        { port: shared, scopesFrom: Number.POSITIVE_INFINITY },
        { port: scoped, scopesFrom: 100 },
      ].map(({ port, scopesFrom }) => startEnvoyPlane(envoyPath, port, { scopesFrom })),
    );
    const problems = await Promise.all(planes.map((plane) => plane.replace(config, NO_KEYS)));
    expect(problems).toEqual([[], []]);
    ports = [gateway.openPorts()[0]?.boundPort ?? 0, shared, scoped];
  }, 60_000);

  afterAll(async () => {
    await Promise.all(planes.map((plane) => plane.close(0)));
    await gateway.close({ drainMs: 0 });
    server.closeAllConnections();
    server.close();
  });

  test(`respond alike to ${REQUESTS} requests`, async () => {
    const statuses = new Set<string>();
    const others: string[] = [];
    for (let count = 0; count < REQUESTS; count++) {
      const asked = someRequest();
      const [embedded = "", shared = "", scoped = ""] = await Promise.all(ports.map((port) => ask(port, asked)));
      statuses.add(embedded.slice(0, 3));
      if (embedded !== shared || shared !== scoped) {
        others.push(`${JSON.stringify(asked)}: embedded ${embedded}, shared ${shared}, scoped ${scoped}`);
      }
    }
    expect(others).toEqual([]);
    expect([...statuses].sort()).toEqual(["200", "404"]);
  }, 60_000);
});
