/**
 * GEP-2644, "Multiple TCPRoutes attaching to the same listener"
 * GEP-1897, "How a client behaves"
 */
import { describe, expect, test } from "vitest";
import { gateway, listener, route, service } from "../../../test/support/cluster/gateway-objects.ts";
import { builtInDefinitions } from "../../definitions/built-in-definitions.ts";
import { compileDataplane } from "../compile.ts";
import { evaluate } from "../evaluate.ts";
import type { JsonObject } from "../model/json.ts";
import { formatRef } from "../model/refs.ts";
import { buildSnapshot } from "../model/snapshot.ts";
import type { DataplaneConfig, RuleConfig } from "./gateway-config.ts";

const compile = (objects: readonly JsonObject[]): DataplaneConfig =>
  compileDataplane(evaluate(buildSnapshot(objects), { definitions: builtInDefinitions() }), {
    endpointAnnotations: "Used",
  });

/** `port protocol listener(tls)`, with a line for each virtual host: its hostname, and the backends of each route. */
function formatPorts({ gateways }: DataplaneConfig): readonly string[] {
  return gateways.flatMap(({ ports }) =>
    ports.flatMap(({ port, protocol, listeners }) =>
      listeners.flatMap(({ name, tls, virtualHosts }) => [
        `${port} ${protocol} ${name}${tls === undefined ? "" : ` (${tls})`}`,
        ...virtualHosts.map(
          ({ hostname, routes }) => `  ${hostname} ${routes.map(({ rule }) => formatRule(rule)).join(" | ")}`,
        ),
      ]),
    ),
  );
}

function formatRule({ route: of, action }: RuleConfig): string {
  if (action.type !== "Forward") return `${of.name}: closed`;
  const targets = action.backends.map(({ weight, target }) =>
    target.type === "Backend"
      ? `${weight} ${target.backend.id}${target.backend.tls === undefined ? "" : ` tls ${target.backend.tls.hostname}`}`
      : `${weight} closed`,
  );
  return `${of.name}: ${targets.join(", ")}`;
}

const problems = (config: DataplaneConfig): readonly string[] =>
  config.problems.map(({ object, field, message }) => `${formatRef(object)} ${field}: ${message}`);

/** A route of any kind to Services by name, at port 80. */
function streamRoute(
  kind: string,
  name: string,
  listenerName: string,
  to: readonly JsonObject[],
  more: JsonObject = {},
): JsonObject {
  const made = route(name, "Gateway/g", { kind });
  const spec = { parentRefs: [{ name: "g", sectionName: listenerName }], rules: [{ backendRefs: [...to] }], ...more };
  return { ...made, spec };
}

const ref = (name: string, more: JsonObject = {}): JsonObject => ({ name, port: 80, ...more });
const created = (object: JsonObject, creationTimestamp: string): JsonObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JsonObject), creationTimestamp },
});
const ports = (name: string, ...list: readonly JsonObject[]): JsonObject => ({
  ...service(name),
  spec: { ports: [...list] },
});
const tlsPolicy = (name: string): JsonObject => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "BackendTLSPolicy",
  metadata: { name, namespace: "default" },
  spec: {
    targetRefs: [{ group: "", kind: "Service", name }],
    validation: { hostname: "s.org", wellKnownCACertificates: "System" },
  },
});

describe("listeners that are not HTTP", () => {
  test("TCP and UDP at one port; HTTPS and TLS at one port", () => {
    const listeners = [
      listener("udp", { protocol: "UDP", port: 53 }),
      listener("tcp", { protocol: "TCP", port: 53 }),
      listener("https", { protocol: "HTTPS", port: 443, hostname: "web.org" }),
      listener("pass", { protocol: "TLS", port: 443, hostname: "*.org" }),
      listener("end", { protocol: "TLS", port: 443, mode: "Terminate" }),
    ];
    expect(formatPorts(compile([gateway("g", { listeners })]))).toEqual([
      "53 TCP tcp",
      "53 UDP udp",
      "443 TLS https (Terminate)",
      "443 TLS pass (Passthrough)",
      "443 TLS end (Terminate)",
    ]);
  });

  test("weights, and the reasons why shares are closed", () => {
    const config = compile([
      gateway("g", { listeners: [listener("l", { protocol: "TCP" })] }),
      streamRoute("TCPRoute", "r", "l", [ref("s", { weight: 3 }), ref("gone"), ref("s", { weight: 0, port: 81 })]),
      ports("s", { name: "a", port: 80 }),
    ]);
    expect(formatPorts(config)).toEqual(["80 TCP l", "  * r: 3 default/s:80/tcp, 1 closed"]);
    expect(problems(config)).toEqual([
      "TCPRoute default/r spec.rules[0].backendRefs[1]: no Service 'gone' in namespace 'default': its share of the connections is closed",
    ]);
  });

  test("a UDPRoute uses the UDP port of the Service, which may have the number of a TCP port", () => {
    const config = compile([
      gateway("g", { listeners: [listener("l", { protocol: "UDP" })] }),
      streamRoute("UDPRoute", "r", "l", [ref("s"), ref("t")]),
      ports("s", { name: "a", port: 80 }, { name: "b", port: 80, protocol: "UDP" }),
      ports("t", { name: "a", port: 80 }),
    ]);
    expect(formatPorts(config)).toEqual(["80 UDP l", "  * r: 1 default/s:80/udp, 1 closed"]);
    expect(problems(config)).toEqual([
      "UDPRoute default/r spec.rules[0].backendRefs[1]: port 80 of Service default/t is for TCP, not for UDP: its share of the datagrams is dropped",
    ]);
  });

  test("the oldest route gets all connections, and the others are reported", () => {
    const config = compile([
      gateway("g", { listeners: [listener("l", { protocol: "TCP" })] }),
      created(streamRoute("TCPRoute", "a", "l", [ref("s")]), "2026-02-01T00:00:00Z"),
      created(streamRoute("TCPRoute", "b", "l", [ref("s")]), "2026-01-01T00:00:00Z"),
      ports("s", { name: "a", port: 80 }),
    ]);
    expect(formatPorts(config)).toEqual(["80 TCP l", "  * b: 1 default/s:80/tcp | a: 1 default/s:80/tcp"]);
    expect(problems(config)).toEqual([
      "TCPRoute default/a spec.parentRefs: TCPRoute default/b#rule-1 comes first and gets all connections of listener l of Gateway default/g: TCPRoute default/a#rule-1 gets none",
    ]);
  });

  test("TLSRoutes: hosts are what a route and a listener have in common, the more specific first", () => {
    const config = compile([
      gateway("g", { listeners: [listener("l", { protocol: "TLS", hostname: "*.org" })] }),
      created(
        streamRoute("TLSRoute", "wide", "l", [ref("s")], { hostnames: ["*.org", "a.b.org", "elsewhere.net"] }),
        "2025-01-01T00:00:00Z",
      ),
      created(streamRoute("TLSRoute", "exact", "l", [ref("s")], { hostnames: ["a.b.org"] }), "2026-01-01T00:00:00Z"),
      streamRoute("TLSRoute", "deep", "l", [ref("s")], { hostnames: ["*.b.org"] }),
      ports("s", { name: "a", port: 80 }),
    ]);
    expect(formatPorts(config)).toEqual([
      "80 TLS l (Passthrough)",
      "  a.b.org wide: 1 default/s:80/tcp | exact: 1 default/s:80/tcp",
      "  *.b.org deep: 1 default/s:80/tcp",
      "  *.org wide: 1 default/s:80/tcp",
    ]);
    expect(problems(config)).toEqual([
      "TLSRoute default/exact spec.parentRefs: TLSRoute default/wide#rule-1 comes first and gets all connections of listener l of Gateway default/g for a.b.org: TLSRoute default/exact#rule-1 gets none",
    ]);
  });
});

describe("BackendTLSPolicy", () => {
  const listeners = [
    listener("pass", { protocol: "TLS", port: 443, hostname: "a.org" }),
    listener("end", { protocol: "TLS", port: 443, hostname: "b.org", mode: "Terminate" }),
    listener("tcp", { protocol: "TCP", port: 81 }),
    listener("udp", { protocol: "UDP", port: 81 }),
  ];
  const objects = [
    gateway("g", { listeners }),
    {
      ...streamRoute("TLSRoute", "both", "pass", [ref("s")], {
        hostnames: ["*.org"],
        parentRefs: [{ name: "g", port: 443 }],
      }),
    },
    streamRoute("TCPRoute", "tcp", "tcp", [ref("s")]),
    streamRoute("UDPRoute", "udp", "udp", [ref("s")]),
    ports("s", { name: "a", port: 80 }, { name: "b", port: 80, protocol: "UDP" }),
    tlsPolicy("s"),
  ];

  test("takes effect where the gateway sends plain text, not where it passes TLS on, and closes UDP", () => {
    const config = compile(objects);
    expect(formatPorts(config)).toEqual([
      "81 TCP tcp",
      "  * tcp: 1 default/s:80/tls tls s.org",
      "81 UDP udp",
      "  * udp: closed",
      "443 TLS pass (Passthrough)",
      "  a.org both: 1 default/s:80/tcp",
      "443 TLS end (Terminate)",
      "  b.org both: 1 default/s:80/tls tls s.org",
    ]);
    expect(problems(config)).toEqual([
      "UDPRoute default/udp spec.rules[0].backendRefs[0]: BackendTLSPolicy default/s cannot take effect: UDP carries no TLS: its share of the datagrams is dropped",
    ]);
  });
});
