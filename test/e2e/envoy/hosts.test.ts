/** Which host a request is for, in both ways in which hosts reach an Envoy: with a scope each, or with a wildcard among them. */
import { Agent, createServer, request, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import type { DataplaneConfig, EndpointsId } from "../../../src/core/dataplane/gateway-config.ts";
import { bootstrapJson } from "../../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../../src/xds/compile/compile-bootstrap.ts";
import { type ControlPlane, startControlPlane } from "../../../src/xds/serve/control-plane.ts";
import { findEnvoy, type RunningEnvoy, startEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { backend, gatewayOf, listener, route, rule } from "../../support/gateway/gateway-configs.ts";

const envoyPath = findEnvoy();

describe.skipIf(envoyPath === undefined)("hosts at Envoy", () => {
  let server: Server;
  let plane: ControlPlane;
  let envoy: RunningEnvoy;
  let [port, adminPort, xdsPort]: readonly number[] = [];
  /** One connection, kept from the first test to the last. */
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  const startPlane = (): Promise<ControlPlane> =>
    startControlPlane({
      address: { host: "127.0.0.1", port: xdsPort ?? 0 },
      tls: undefined,
      onEvent: () => {},
      compile: {
        bind: () => ({ host: "127.0.0.1", port: port ?? 0 }),
        slackMs: 1,
        systemAuthorities: "/none",
        matchRegex: createRegex(),
        scopesFrom: 0,
      },
    });

  const configOf = (hostnames: readonly string[]): DataplaneConfig => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
    const virtualHosts = hostnames.map((hostname) => {
      const filters = [
        { type: "ResponseHeaderModifier", remove: [], set: [{ name: "x-route", value: hostname }], add: [] },
      ] as const;
      const routes = [route(rule([backend("bread")], { filters }), { path: { type: "PathPrefix", value: "/bread" } })];
      return { hostname, routes };
    });
    return {
      gateways: [gatewayOf([{ port: 80, protocol: "HTTP", listeners: [listener({ virtualHosts })] }])],
      backends: new Map(),
      endpoints: new Map([["bakery/bread:80" as EndpointsId, [{ address: "127.0.0.1", port: address.port }]]]),
      problems: [],
    };
  };

  const untilSettled = async (): Promise<void> => {
    const deadline = Date.now() + 20_000;
    while (!(plane.nodes().length > 0 && plane.nodes().every((node) => node.isSettled))) {
      if (Date.now() > deadline) expect.fail(`not settled after 20 s: ${JSON.stringify(plane.nodes())}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  const serve = async (hostnames: readonly string[]): Promise<void> => {
    plane.replace(configOf(hostnames), NO_KEYS);
    await untilSettled();
  };

  /** The status, or the route that took it and the host that the backend was asked for. */
  const ask = (host: string, { path = "/bread", connection = agent }: { path?: string; connection?: Agent } = {}) =>
    new Promise<string>((resolve, reject) => {
      const options = { host: "127.0.0.1", port, path, headers: { host }, agent: connection, timeout: 10_000 };
      const one = request(options, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          body += text;
        });
        const taken = (): string => `${String(response.headers["x-route"])}: ${body}`;
        response.on("end", () => resolve(response.statusCode === 200 ? taken() : `${response.statusCode}`));
      });
      one.on("error", reject);
      one.end();
    });

  const anew = (host: string): Promise<string> => ask(host, { connection: new Agent() });

  beforeAll(async () => {
    server = createServer((asked, response) => response.end(asked.headers.host)).listen(0, "127.0.0.1");
    [port, adminPort = 0, xdsPort = 0] = await findFreePorts(3);
    plane = await startPlane();
    plane.replace(configOf([]), NO_KEYS);
    const bootstrap = compileBootstrap({
      nodeId: "envoy-1",
      gateway: "bakery/door",
      server: { host: "127.0.0.1", port: xdsPort },
      tls: undefined,
      adminPort,
    });
    envoy = await startEnvoy(envoyPath ?? "", bootstrapJson(bootstrap), adminPort);
    await untilSettled();
  }, 60_000);

  afterAll(async () => {
    agent.destroy();
    await envoy.close();
    await plane.close();
    server.close();
  });

  test("a port without hosts is open, and responds with 404", async () => {
    expect(await ask("a.example")).toBe("404");
  });

  const EXACT = ["a.example", "b.example"];

  describe.each([
    ["each with a scope", EXACT],
    ["with a wildcard among them", [...EXACT, "*.wild.example"]],
    ["each with a scope again", EXACT],
  ])("%s", (_, hostnames) => {
    beforeAll(() => serve(hostnames));

    test.each([
      ["a.example", "a.example: a.example"],
      ["b.example", "b.example: b.example"],
      ["a.example:8080", "a.example: a.example:8080"],
      ["nobody.example", "404"],
      ["sub.a.example", "404"],
      ["a.example.", "a.example: a.example"],
      ["a.example.:8080", "a.example: a.example:8080"],
      ["[::1]:80", "404"],
      ["*", "404"],
    ])("%s gets %s", async (host, outcome) => {
      expect(await anew(host)).toBe(outcome);
    });

    test("capital letters make no difference to which routes are taken", async () => {
      expect((await anew("A.Example")).toLowerCase()).toBe("a.example: a.example");
      expect((await anew("A.EXAMPLE:8080")).toLowerCase()).toBe("a.example: a.example:8080");
    });

    test("a path without a route gets a 404", async () => {
      expect(await ask("a.example", { path: "/cake", connection: new Agent() })).toBe("404");
    });
  });

  test("the wildcard takes hosts, and less than exact ones do", async () => {
    await serve([...EXACT, "*.a.example", "*.example"]);
    expect(await anew("a.example")).toBe("a.example: a.example");
    expect(await anew("c.example")).toBe("*.example: c.example");
    expect(await anew("x.y.a.example:81")).toBe("*.a.example: x.y.a.example:81");
    expect((await anew("X.Y.A.Example")).toLowerCase()).toBe("*.a.example: x.y.a.example");
    expect(await anew("c.example.")).toBe("*.example: c.example");
    expect(await anew("example")).toBe("404");
    expect(await ask("a.example", { path: "/cake", connection: new Agent() })).toBe("404");
    await serve(EXACT);
    expect(await anew("c.example")).toBe("404");
  });

  test("a wildcard for every host", async () => {
    await serve(["a.example", "*"]);
    expect(await anew("a.example")).toBe("a.example: a.example");
    for (const host of ["c.example", "c", "127.0.0.1:80", "[::1]:80"]) expect(await anew(host)).toBe(`*: ${host}`);
  });

  test("over a connection that is kept, a host that becomes one of a wildcard is served throughout", async () => {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    await serve(EXACT);
    expect(await ask("a.example", { connection: kept })).toBe("a.example: a.example");
    await serve(["b.example", "*.example"]);
    expect(await ask("a.example", { connection: kept })).toBe("*.example: a.example");
    await serve(EXACT);
    expect(await ask("a.example", { connection: kept })).toBe("a.example: a.example");
    await serve(["b.example"]);
    expect(await ask("a.example", { connection: kept })).toBe("404");
    kept.destroy();
  });

  test("what has come and gone while there was no control plane is so afterwards", async () => {
    await serve(EXACT);
    await plane.close();
    expect(await ask("a.example")).toBe("a.example: a.example");
    plane = await startPlane();
    plane.replace(configOf(["b.example", "new.example"]), NO_KEYS);
    await untilSettled();
    expect(await ask("a.example")).toBe("404");
    expect(await ask("b.example")).toBe("b.example: b.example");
    expect(await ask("new.example")).toBe("new.example: new.example");
  });
});
