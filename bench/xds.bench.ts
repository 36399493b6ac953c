import { Agent, request } from "node:http";
import { connect as connectTo, createServer, type Server } from "node:net";
import type { VirtualHostConfig } from "../src/core/dataplane/gateway-config.ts";
import { bootstrapJson } from "../src/xds/bootstrap-json.ts";
import { compileBootstrap } from "../src/xds/compile/compile-bootstrap.ts";
import { createGatewayCompiler } from "../src/xds/compile/compile-gateway.ts";
import { startControlPlane } from "../src/xds/serve/control-plane.ts";
import { createEncoder } from "../src/xds/serve/encode/encode-resources.ts";
import { findEnvoy, startEnvoy } from "../test/support/gateway/envoy.ts";
import { NO_KEYS } from "../test/support/gateway/envoy-plane.ts";
import { findFreePorts } from "../test/support/gateway/find-free-ports.ts";
import type { BenchContext } from "./bench-context.ts";
import { respondingBootstrap } from "./hand-written-envoy.ts";
import { median, processorMs, timed } from "./measure.ts";
import { configOf, host, options, WILDCARD } from "./xds-config.ts";
import { benchThroughput } from "./xds-throughput.ts";

/** Envoy: the cost of compiling a configuration, the time until a change is served, and the cost of the configuration for requests. */
export async function bench(context: BenchContext): Promise<void> {
  benchCompile(context, 5000);
  const envoy = findEnvoy();
  if (envoy === undefined) return;
  const p50s = new Map<number, number>();
  for (const routes of context.sizes([30, 3000])) p50s.set(routes, await benchChange(context, envoy, routes));
  const [small, large] = [p50s.get(30), p50s.get(3000)];
  if (small !== undefined && large !== undefined) {
    const ratio = { metric: "change observed, against 30 routes", value: large / small, unit: "x", bar: 1.5 };
    context.report({ case: "3,000 routes", ...ratio });
  }
  for (const routes of context.sizes([3000])) await benchChange(context, envoy, routes, [WILDCARD]);
  await benchThroughput(context, envoy);
}

function benchCompile(context: BenchContext, routes: number): void {
  const hosts = Array.from({ length: routes }, (_, index) => host(index));
  const config = configOf([...hosts], 1);
  const [gateway] = config.gateways;
  if (gateway === undefined) throw new Error("there is one gateway");
  const fresh = (): void => {
    const resources = createGatewayCompiler({ ...options(80), delivery: "Delta" }).compile(
      gateway,
      config.endpoints,
      NO_KEYS,
    );
    const { Scope, Route } = createEncoder("Delta").encode(resources);
    // Resources are encoded on first request; an Envoy that starts requests all of them.
    for (const table of [Scope, Route]) for (const one of table.keys()) table.get(one);
  };
  for (let warmUp = 0; warmUp < 3; warmUp++) fresh();
  const name = `${routes.toLocaleString("en")} routes`;
  const whole = median(Array.from({ length: 9 }, () => processorMs(fresh)));
  context.report({ case: name, metric: "compile and encode, from nothing", value: whole, unit: "ms", bar: 500 });

  const compiler = createGatewayCompiler({ ...options(80), delivery: "Delta" });
  const encoder = createEncoder("Delta");
  encoder.encode(compiler.compile(gateway, config.endpoints, NO_KEYS));
  const times: number[] = [];
  for (let version = 1; version <= 200; version++) {
    hosts[version] = host(version, version);
    const changed = configOf([...hosts], 1).gateways[0] ?? gateway;
    const change = (): unknown => {
      const { Route } = encoder.encode(compiler.compile(changed, config.endpoints, NO_KEYS));
      return Route.get(`bakery/door:80/host-${version}.example`);
    };
    times.push(timed(change).ms);
  }
  context.report({ case: name, metric: "compile and encode one change", value: median(times), unit: "ms", bar: 1 });
}

async function benchChange(
  context: BenchContext,
  envoyPath: string,
  routes: number,
  more: readonly VirtualHostConfig[] = [],
): Promise<number> {
  const [port = 0, adminPort = 0, backendPort = 0, backendAdmin = 0] = await findFreePorts(4);
  const responder = await startEnvoy(envoyPath, respondingBootstrap(backendPort, backendAdmin), backendAdmin);
  const plane = await startControlPlane({
    address: { host: "127.0.0.1", port: 0 },
    tls: undefined,
    onEvent: () => {},
    compile: options(port),
  });
  const wire = await countBytes(plane.port);
  const hosts = [...Array.from({ length: routes }, (_, index) => host(index)), ...more];
  plane.replace(configOf([...hosts], backendPort), NO_KEYS);
  const server = { host: "127.0.0.1", port: wire.port };
  const bootstrap = compileBootstrap({ nodeId: "bench", gateway: "bakery/door", server, tls: undefined, adminPort });
  const envoy = await startEnvoy(envoyPath, bootstrapJson(bootstrap), adminPort);
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const bytes: number[] = [];
  try {
    await untilVersion(agent, port, 1, "0");
    for (let version = 1; version <= 40; version++) {
      hosts[1] = host(1, version);
      const before = wire.bytes();
      const started = performance.now();
      plane.replace(configOf([...hosts], backendPort), NO_KEYS);
      await untilVersion(agent, port, 1, String(version));
      times.push(performance.now() - started);
      bytes.push(wire.bytes() - before);
    }
  } finally {
    agent.destroy();
    await Promise.all([envoy.close(), responder.close(), plane.close()]);
    wire.close();
  }
  const name = `${routes.toLocaleString("en")} routes${more.length === 0 ? "" : " and a wildcard"}`;
  const p50 = median(times);
  const bar = more.length === 0 ? 40 : 20;
  context.report({ case: name, metric: "change observed at Envoy, p50", value: p50, unit: "ms", bar });
  context.report({ case: name, metric: "bytes on the wire for it", value: median(bytes), unit: "B", bar: 4096 });
  return p50;
}

/** A proxy between Envoy and the xDS server that counts the bytes that the server sends. */
async function countBytes(
  to: number,
): Promise<{ readonly port: number; readonly bytes: () => number; readonly close: () => void }> {
  let bytes = 0;
  const server: Server = createServer((client) => {
    const upstream = connectTo(to, "127.0.0.1");
    upstream.on("data", (chunk) => {
      bytes += chunk.length;
    });
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return { port: address.port, bytes: () => bytes, close: () => server.close() };
}

async function untilVersion(agent: Agent, port: number, index: number, version: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  while ((await askVersion(agent, port, index)) !== version) {
    if (performance.now() > deadline) throw new Error(`version ${version} did not come in 30 s`);
  }
}

const askVersion = (agent: Agent, port: number, index: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const headers = { host: `host-${index}.example` };
    const one = request({ host: "127.0.0.1", port, agent, headers }, (response) => {
      response.resume();
      const version = response.headers["x-version"];
      response.on("end", () => resolve(typeof version === "string" ? version : undefined));
    });
    one.on("error", () => resolve(undefined));
    one.end();
  });
