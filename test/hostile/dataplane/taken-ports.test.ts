/** A port that another program or another Gateway uses is reported and not opened: the two would get each other's requests at random. */
import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { createRegex } from "../../../src/adapters/regex/create-regex.ts";
import type { DataplaneConfig } from "../../../src/core/dataplane/gateway-config.ts";
import { NO_SECRETS } from "../../../src/gateway/contract/secret-source.ts";
import { createGateway } from "../../../src/gateway/gateway.ts";
import { startEnvoyDataplane } from "../../../src/xds/serve/envoy/envoy-dataplane.ts";
import { dataplane, listener, route, rule } from "../../support/gateway/dataplane-config.ts";
import { findEnvoy } from "../../support/gateway/envoy.ts";
import { NO_KEYS } from "../../support/gateway/envoy-plane.ts";
import { findFreePorts } from "../../support/gateway/find-free-ports.ts";
import { Cleanup, exchangeRaw, statusesIn } from "../../support/gateway/gateway-harness.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** Serves a configuration whose ports are those of the loopback. Resolves with the problems. */
interface Plane {
  readonly replace: (config: DataplaneConfig) => Promise<readonly string[]>;
}

const planes: ReadonlyArray<{
  readonly name: string;
  readonly isThere: boolean;
  readonly start: () => Promise<Plane>;
}> = [
  {
    name: "the embedded gateway",
    isThere: true,
    start: async () => {
      const bind = (_: unknown, port: number) => ({ host: "127.0.0.1", port });
      const gateway = createGateway({ matchRegex: createRegex(), bind });
      cleanup.add(() => gateway.close({ drainMs: 0 }));
      return {
        replace: async (config) => (await gateway.replace(config, NO_SECRETS)).problems.map(({ message }) => message),
      };
    },
  },
  {
    name: "Envoy",
    isThere: findEnvoy() !== undefined,
    start: async () => {
      const plane = await startEnvoyDataplane({
        envoyPath: findEnvoy() ?? "",
        bind: (_, port) => ({ host: "127.0.0.1", port }),
        matchRegex: createRegex(),
        systemAuthorities: "/none",
        onLine: () => {},
        concurrency: 2,
      });
      cleanup.add(() => plane.close(0));
      return { replace: (config) => plane.replace(config, NO_KEYS) };
    },
  },
];

/** A gateway whose responses have this status. */
const gateway = (name: string, ports: readonly number[], status: 302 | 307): DataplaneConfig["gateways"] => {
  const redirect = { scheme: undefined, hostname: "elsewhere.example", port: undefined, path: undefined, status };
  const routes = [route(rule({ action: { type: "Redirect", redirect } }))];
  return dataplane(ports.map((port) => ({ port, listeners: [listener({ "*": routes })] }))).gateways.map((one) => ({
    ...one,
    gateway: { ...one.gateway, name },
  }));
};

const configOf = (...gateways: DataplaneConfig["gateways"]): DataplaneConfig => ({ ...dataplane([]), gateways });

/** The distinct statuses of so many connections. */
async function statusesAt(port: number): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let time = 0; time < 12; time++) {
    const text = await exchangeRaw(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", {
      isEnough: (got) => got.includes("\r\n\r\n"),
    });
    for (const status of statusesIn(text)) found.add(status);
  }
  return [...found];
}

describe.each(planes.filter(({ isThere }) => isThere))("$name", ({ start }) => {
  test("a port of another program is not opened; the other ports are served", async () => {
    const [taken = 0, free = 0] = await findFreePorts(2);
    const occupant = createServer((_, response) => response.writeHead(299).end()).listen(taken, "127.0.0.1");
    cleanup.add(() => void occupant.close());
    const plane = await start();
    expect(await plane.replace(configOf(...gateway("a", [taken, free], 302)))).toEqual([
      `port ${taken} (listener http) of Gateway bakery/a cannot be opened: another program uses 127.0.0.1, port ${taken}; stop it, or choose another port`,
    ]);
    expect(await statusesAt(taken)).toEqual([299]);
    expect(await statusesAt(free)).toEqual([302]);
  });

  test("a port of another data plane is not opened, until it is free", async () => {
    const [port = 0] = await findFreePorts(1);
    const first = await start();
    const second = await start();
    expect(await first.replace(configOf(...gateway("a", [port], 302)))).toEqual([]);
    expect(await second.replace(configOf(...gateway("a", [port], 307)))).toEqual([
      expect.stringContaining(`another program uses 127.0.0.1, port ${port}`),
    ]);
    expect(await statusesAt(port)).toEqual([302]);
    await first.replace(configOf());
    expect(await second.replace(configOf(...gateway("a", [port], 307)))).toEqual([]);
    expect(await statusesAt(port)).toEqual([307]);
  });

  test("of two Gateways that need one port the first is served, and the other one's other ports", async () => {
    const [port = 0, other = 0] = await findFreePorts(2);
    const plane = await start();
    const config = configOf(...gateway("a", [port], 302), ...gateway("b", [port, other], 307));
    expect(await plane.replace(config)).toEqual([
      `port ${port} (listener http) of Gateway bakery/b is not opened: Gateway bakery/a uses the same port; change one of the two`,
    ]);
    expect(await statusesAt(port)).toEqual([302]);
    expect(await statusesAt(other)).toEqual([307]);
  });

  test("a port can move from one Gateway to another", async () => {
    const [port = 0, other = 0, third = 0] = await findFreePorts(3);
    const plane = await start();
    expect(await plane.replace(configOf(...gateway("a", [port], 302), ...gateway("b", [other], 307)))).toEqual([]);
    expect(await statusesAt(port)).toEqual([302]);
    expect(await plane.replace(configOf(...gateway("a", [third], 302), ...gateway("b", [port], 307)))).toEqual([]);
    expect(await statusesAt(port)).toEqual([307]);
    expect(await statusesAt(third)).toEqual([302]);
    expect(await plane.replace(configOf(...gateway("a", [port], 302)))).toEqual([]);
    expect(await statusesAt(port)).toEqual([302]);
  });
});
