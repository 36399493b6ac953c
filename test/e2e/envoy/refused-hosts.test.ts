/** A host whose routes an Envoy refuses: it is named, keeps its old routes, and delays no other host. */
import { Agent, request } from "node:http";
import { describe, expect, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import type { RedirectConfig, VirtualHostConfig } from "../../../src/core/dataplane/gateway-config.ts";
import { bootstrapJson } from "../../../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../../../src/xds/compile/compile-bootstrap.ts";
import { createGatewayCompiler } from "../../../src/xds/compile/compile-gateway.ts";
import { RouteConfigurationSchema } from "../../../src/xds/gen/envoy/config/route/v3/route_pb.ts";
import { create, type Init } from "../../../src/xds/protobuf.ts";
import { createEncoder } from "../../../src/xds/serve/encode/encode-resources.ts";
import { type EncodedResource, encodeResource } from "../../../src/xds/serve/encode/encoded-resource.ts";
import { startXdsServer, type XdsServer } from "../../../src/xds/serve/xds-server.ts";
import { findEnvoy, startEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { gatewayOf, listener, route, rule } from "../../support/gateway/gateway-configs.ts";

const envoyPath = findEnvoy();
const HOSTS = 100;
const hostname = (index: number): string => `host-${index}.example`;

type Status = RedirectConfig["status"];

/** A host with a direct response: `status` distinguishes its versions. */
const host = (index: number, status: Status): VirtualHostConfig => {
  const redirect = { scheme: undefined, hostname: "new.example", path: undefined, port: undefined, status };
  return { hostname: hostname(index), routes: [route(rule([], { action: { type: "Redirect", redirect } }))] };
};

/** The reason names the route configuration of the first, and no host in the second. */
const POISONS: Readonly<Record<string, Init<typeof RouteConfigurationSchema>>> = {
  "two virtual hosts for the same host": {
    virtualHosts: ["one", "other"].map((name) => ({ name, domains: ["same.example"] })),
  },
  "a pattern that is none": {
    virtualHosts: [
      {
        name: "one",
        domains: ["*"],
        routes: [
          {
            match: { pathSpecifier: { case: "safeRegex", value: { regex: "(" } } },
            action: { case: "directResponse", value: { status: 200 } },
          },
        ],
      },
    ],
  },
};

describe.skipIf(envoyPath === undefined)("hosts that Envoy refuses", () => {
  const serve = (server: XdsServer, port: number, status: Status, bad: ReadonlyMap<number, EncodedResource>): void => {
    const compiler = createGatewayCompiler({
      bind: () => ({ host: "127.0.0.1", port }),
      delivery: "Delta",
      slackMs: 1,
      systemAuthorities: "/none",
      matchRegex: createRegex(),
      scopesFrom: 0,
    });
    const virtualHosts = Array.from({ length: HOSTS }, (_, index) => host(index, status));
    const gateway = gatewayOf([{ port: 80, protocol: "HTTP", listeners: [listener({ virtualHosts })] }]);
    const resources = createEncoder("Delta").encode(compiler.compile(gateway, new Map(), NO_KEYS));
    const poisoned = new Map(Array.from(bad.values(), (resource) => [resource.name, resource]));
    const { Route } = resources;
    const get: typeof Route.get = (name) => poisoned.get(name) ?? Route.get(name);
    const served = { ...resources, Route: { ...Route, get } };
    server.replace(new Map([["bakery/door", () => served]]));
  };

  const untilSettled = async (server: XdsServer): Promise<void> => {
    const deadline = Date.now() + 20_000;
    while (!(server.nodes().length > 0 && server.nodes().every((node) => node.isSettled))) {
      if (Date.now() > deadline) expect.fail(`not settled after 20 s: ${JSON.stringify(server.nodes())}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  test.each(Object.entries(POISONS))(
    "%s: each is reported, and keeps its last routes; all others change",
    async (_, poison) => {
      const nameOf = (index: number): string => `bakery/door:80/${hostname(index)}`;
      const spoil = (...indexes: readonly number[]): ReadonlyMap<number, EncodedResource> =>
        new Map(
          indexes.map((index) => {
            const message = create(RouteConfigurationSchema, { ...poison, name: nameOf(index) });
            return [index, encodeResource("Route", nameOf(index), RouteConfigurationSchema, message)];
          }),
        );
      const [port = 0, adminPort = 0] = await findFreePorts(2);
      const server = await startXdsServer({
        address: { host: "127.0.0.1", port: 0 },
        tls: undefined,
        onEvent: () => {},
      });
      const at = { host: "127.0.0.1", port: server.port };
      const bootstrap = compileBootstrap({
        nodeId: "one",
        gateway: "bakery/door",
        server: at,
        tls: undefined,
        adminPort,
      });
      serve(server, port, 301, spoil(1));
      const envoy = await startEnvoy(envoyPath ?? "", bootstrapJson(bootstrap), adminPort);
      const agent = new Agent({ keepAlive: true });
      const statuses = (): Promise<readonly (number | undefined)[]> =>
        Promise.all(
          Array.from(
            { length: HOSTS },
            (_, index) =>
              new Promise<number | undefined>((resolve, reject) => {
                const headers = { host: hostname(index) };
                const one = request({ host: "127.0.0.1", port, agent, headers }, (response) => {
                  response.resume();
                  response.on("end", () => resolve(response.statusCode));
                });
                one.on("error", reject);
                one.end();
              }),
          ),
        );
      const expected = (status: number, others: Readonly<Record<number, number>>): readonly number[] =>
        Array.from({ length: HOSTS }, (_, index) => others[index] ?? status);
      try {
        await untilSettled(server);
        expect(await statuses()).toEqual(expected(301, { 1: 404 }));
        const bad = [3, 50, 98];
        serve(server, port, 302, spoil(...bad));
        await untilSettled(server);
        expect(await statuses()).toEqual(expected(302, { 3: 301, 50: 301, 98: 301 }));
        const refused = server.nodes().flatMap(({ refusals }) => refusals.map(({ name }) => name));
        expect(refused.sort()).toEqual(bad.map(nameOf).sort());
        serve(server, port, 307, spoil());
        await untilSettled(server);
        expect(await statuses()).toEqual(expected(307, {}));
        expect(server.nodes()[0]?.refusals).toEqual([]);
      } finally {
        agent.destroy();
        await envoy.close();
        await server.close();
      }
    },
  );
});
