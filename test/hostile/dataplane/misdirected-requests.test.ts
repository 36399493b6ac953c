/**
 * Misdirected requests: a client that may open a connection for one listener must not reach the routes of that listener with a host of another one.
 * Gateway API, "Listener", and its test HTTPRouteHTTPSListenerDetectMisdirectedRequests.
 */
import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DATA_PLANES, type PlaneOptions } from "../../support/gateway/data-planes.ts";
import { dataplane, forwardTo, listener, route, rule, secretRef } from "../../support/gateway/dataplane-config.ts";
import { Cleanup, startBackend } from "../../support/gateway/gateway-harness.ts";
import { SHOP_CERTIFICATE, SHOP_KEY } from "../../support/gateway/test-certificates.ts";

const certificates = { shop: { chain: SHOP_CERTIFICATE, privateKey: SHOP_KEY } };

/** A listener whose routes for these hosts are of its own backend. */
const https = (name: string, hostname: string | undefined, ...hosts: readonly string[]) =>
  listener(Object.fromEntries(hosts.map((host) => [host, [route(rule({ to: forwardTo(name) }))]])), {
    name,
    hostname,
    protocol: "HTTPS",
    tls: "Terminate",
    certificates: [secretRef("shop")],
  });

/** Server name, host, and what comes back: the name of the listener whose backend responds, or a status. */
type Row = readonly [serverName: string, host: string, outcome: string];

const withCatchAll = {
  listeners: [
    https("exact", "second.example", "second.example"),
    https("deep", "fourth.wildcard.example", "fourth.wildcard.example"),
    https("wild", "*.wildcard.example", "*.wildcard.example"),
    https("empty", "*.empty.example"),
    https("any", undefined, "first.example", "a.wildcard.example", "a.empty.example", "b.first.example"),
  ],
  rows: [
    ["first.example", "first.example", "any"],
    ["first.example", "second.example", "421"],
    ["first.example", "unknown.example", "404"],
    ["first.example", "SECOND.example", "421"],
    ["first.example", "second.example:8443", "421"],
    ["first.example", "a.wildcard.example", "421"],
    ["first.example", "a.empty.example", "421"],
    ["second.example", "second.example", "exact"],
    ["second.example", "first.example", "421"],
    ["second.example", "unknown.example", "421"],
    ["third.wildcard.example", "third.wildcard.example", "wild"],
    ["third.wildcard.example", "fifth.wildcard.example", "wild"],
    ["third.wildcard.example", "fourth.wildcard.example", "421"],
    ["third.wildcard.example", "second.example", "421"],
    ["third.wildcard.example", "unknown.example", "421"],
    ["fourth.wildcard.example", "fourth.wildcard.example", "deep"],
    ["fourth.wildcard.example", "fifth.wildcard.example", "421"],
    ["unknown.example", "first.example", "any"],
    ["unknown.example", "unknown.example", "404"],
  ] satisfies readonly Row[],
};

const withoutCatchAll = {
  listeners: [
    https("exact", "second.example", "second.example"),
    https("wild", "*.wildcard.example", "*.wildcard.example"),
  ],
  rows: [
    ["second.example", "second.example", "exact"],
    ["second.example", "a.wildcard.example", "421"],
    ["second.example", "unknown.example", "404"],
    ["a.wildcard.example", "b.wildcard.example", "wild"],
    ["a.wildcard.example", "second.example", "421"],
    ["a.wildcard.example", "unknown.example", "404"],
  ] satisfies readonly Row[],
};

const ask = (port: number, servername: string, host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, servername, headers: { host }, agent: false, rejectUnauthorized: false };
    const one = request(options, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve(response.statusCode === 200 ? body : String(response.statusCode)));
    });
    one.on("error", reject);
    one.end();
  });

const SHAPES: ReadonlyArray<{ readonly shape: string; readonly options: PlaneOptions }> = [
  { shape: "hosts in one table", options: { certificates } },
  { shape: "a scope for each host", options: { certificates, hasScopes: true } },
];

describe.each(DATA_PLANES.filter(({ isThere }) => isThere))("$name", ({ name: plane, start }) => {
  describe.each(plane === "Envoy" ? SHAPES : SHAPES.slice(0, 1))("$shape", ({ options }) => {
    describe.each([
      ["with a listener for every host", withCatchAll],
      ["without one", withoutCatchAll],
    ] as const)("%s", (_, { listeners, rows }) => {
      const cleanup = new Cleanup();
      let port = 0;
      beforeAll(async () => {
        const backends = await Promise.all(
          listeners.map(async ({ name }) => {
            const { port: backend } = await startBackend(cleanup, (_request, response) => void response.end(name));
            return [name, [backend]] as const;
          }),
        );
        const config = dataplane([{ port: 443, protocol: "TLS", listeners }], Object.fromEntries(backends));
        port = await start(cleanup, config, options);
      });
      afterAll(() => cleanup.run());

      test.each(rows)("a connection for %s, a request for %s: %s", async (serverName, host, outcome) => {
        expect(await ask(port, serverName, host)).toBe(outcome);
      });
    });
  });
});
