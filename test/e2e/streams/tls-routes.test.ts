/**
 * Gateway API, "TLSRouteSpec"
 * GEP-2643, "TLSRoute + Mixed Termination"
 */
import { request } from "node:https";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { Cleanup, startBackend } from "../../support/gateway/gateway-harness.ts";
import { PLANES, type ServedPlane, servePlane } from "../../support/gateway/serve-plane.ts";
import { CA_CERTIFICATE } from "../../support/gateway/test-certificates.ts";
import { startTcpBackend, startTlsBackend } from "./stream-backends.ts";
import { askTls, type TlsResponse } from "./stream-clients.ts";
import { backendTls, gateway, route, service } from "./stream-objects.ts";

const PORT = 443;
const OTHER = 444;

const tls = (name: string, mode: "Terminate" | "Passthrough", hostname?: string, port = PORT): JsonObject => ({
  name,
  port,
  protocol: "TLS",
  ...(hostname === undefined ? {} : { hostname }),
  tls: { mode, ...(mode === "Terminate" ? { certificateRefs: [{ name: "shop" }] } : {}) },
});

const listeners: readonly JsonObject[] = [
  tls("pass", "Passthrough", "*.pass.example"),
  tls("deep", "Passthrough", "*.deep.pass.example"),
  tls("end", "Terminate", "*.end.example"),
  tls("plain", "Terminate", "tcp.example"),
  {
    name: "web",
    port: PORT,
    protocol: "HTTPS",
    hostname: "web.shop.example",
    tls: { certificateRefs: [{ name: "shop" }] },
  },
  tls("anything", "Passthrough", undefined, OTHER),
];

async function objects(cleanup: Cleanup): Promise<readonly JsonObject[]> {
  const secure = async (name: string): Promise<JsonObject> => service(name, [await startTlsBackend(cleanup, name)]);
  const open = async (name: string): Promise<JsonObject> => service(name, [await startTcpBackend(cleanup, name)]);
  const web = await startBackend(cleanup, (_, response) => void response.end("web"));
  const tlsRoute = (
    name: string,
    listener: string,
    hostnames: readonly string[],
    created?: string,
    to = name,
  ): JsonObject =>
    route(name, {
      kind: "TLSRoute",
      listener,
      hostnames,
      to: { [to]: 1 },
      ...(created === undefined ? {} : { created }),
    });
  return [
    ...gateway(listeners),
    ...["shop", "api"].map((name) => ({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "s" } })),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "ca", namespace: "s" },
      data: { "ca.crt": CA_CERTIFICATE },
    },
    await secure("wild"),
    await secure("exact"),
    await secure("long"),
    await secure("again"),
    ...backendTls("exact"),
    ...backendTls("again"),
    await open("ended"),
    await open("raw"),
    service("web", [web.port]),
    tlsRoute("wild", "pass", ["*.pass.example"], "2025-01-01T00:00:00Z"),
    tlsRoute("exact", "pass", ["a.pass.example"], "2026-01-01T00:00:00Z"),
    tlsRoute("long", "pass", ["*.b.pass.example"], "2026-01-01T00:00:00Z"),
    // Has the same intersection with the listener as `wild`, from a less specific hostname of its own.
    tlsRoute("loose", "pass", ["*.example"], "2024-01-01T00:00:00Z", "long"),
    tlsRoute("missing", "pass", ["missing.pass.example"], undefined, "absent"),
    tlsRoute("ended", "end", ["a.end.example"]),
    tlsRoute("again", "end", ["again.end.example"]),
    route("raw", { listener: "plain" }),
    route("web", { kind: "HTTPRoute", listener: "web" }),
    tlsRoute("other", "anything", ["other.example"], undefined, "wild"),
  ];
}

const format = (response: TlsResponse | "closed"): string =>
  response === "closed" ? response : `${response.certificate} | ${response.text}`;

describe.each(PLANES)("TLSRoutes, %s", (plane) => {
  const cleanup = new Cleanup();
  let served: ServedPlane;
  const ask = async (serverName: string | undefined, port = PORT): Promise<string> =>
    format(await askTls(served.portOf(port), serverName, "hi"));

  beforeAll(async () => {
    served = await servePlane(cleanup, plane, await objects(cleanup));
  }, 60_000);
  afterAll(() => cleanup.run());

  test.each([
    [
      "an exact hostname before a wildcard, though its route is newer",
      "a.pass.example",
      "api | exact a.pass.example: hi",
    ],
    ["the longer wildcard first", "x.b.pass.example", "api | long x.b.pass.example: hi"],
    ["a wildcard has one or more labels", "x.y.pass.example", "api | wild x.y.pass.example: hi"],
    [
      "the route's own hostname decides, not what it has in common with the listener",
      "c.pass.example",
      "api | wild c.pass.example: hi",
    ],
    ["letters of any case", "A.Pass.Example", "api | exact A.Pass.Example: hi"],
  ])("Passthrough: the backend has the certificate; %s", async (_, serverName, expected) => {
    const got = await ask(serverName);
    expect(got.toLowerCase()).toBe(expected.toLowerCase());
  });

  test.each([
    ["a hostname that no route has", "b.end.example"],
    ["a hostname of a more specific listener without routes", "x.deep.pass.example"],
    ["a missing backend", "missing.pass.example"],
    ["no listener for the server name", "nowhere.example"],
    ["no server name", undefined],
  ])("the connection is closed: %s", async (_, serverName) => {
    expect(await ask(serverName)).toBe("closed");
  });

  test("Terminate: the Gateway has the certificate, and the backend gets plain text", async () => {
    expect(await ask("a.end.example")).toBe("shop | ended: hi");
  });

  test("Terminate: the protocol inside is not negotiated", async () => {
    const response = await askTls(served.portOf(PORT), "a.end.example", "hi", ["h2", "postgresql"]);
    expect(response).toMatchObject({ protocol: "false", text: "ended: hi" });
  });

  test("Terminate with a BackendTLSPolicy: encrypted again, as the policy says", async () => {
    expect(await ask("again.end.example")).toBe("shop | again api.example: hi");
  });

  test("a TCPRoute on a listener that terminates TLS", async () => {
    expect(await ask("tcp.example")).toBe("shop | raw: hi");
  });

  test("HTTPS on the same port", async () => {
    const status = await new Promise((resolve, reject) => {
      const options = {
        port: served.portOf(PORT),
        host: "127.0.0.1",
        servername: "web.shop.example",
        ca: CA_CERTIFICATE,
        agent: false,
      };
      const asked = request({ ...options, headers: { host: "web.shop.example" } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on("error", reject);
      asked.end();
    });
    expect(status).toBe(200);
  });

  test("a listener without a hostname: only the hostnames of its routes", async () => {
    expect(await ask("other.example", OTHER)).toBe("api | wild other.example: hi");
    expect(await ask("another.example", OTHER)).toBe("closed");
  });

  test("bytes that are not TLS are closed", async () => {
    const socket = connect(served.portOf(PORT), "127.0.0.1");
    socket.on("error", () => {});
    socket.end("GET / HTTP/1.1\r\nHost: a.pass.example\r\n\r\n");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    await new Promise((resolve) => socket.on("close", resolve));
    expect(text).toBe("");
  });
});
