/** Headers by which backends identify a client: a client cannot choose them, and only trusted proxies can. */
import { request } from "node:http";
import { connect } from "node:http2";
import { afterEach, describe, expect, test } from "vitest";
import { DATA_PLANES } from "../../support/gateway/data-planes.ts";
import { forwardTo, route, rule, simpleConfig } from "../../support/gateway/dataplane-config.ts";
import { Cleanup, exchangeRaw, startBackend, statusesIn } from "../../support/gateway/gateway-harness.ts";

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

type Headers = Readonly<Record<string, string | readonly string[]>>;

const ask = (port: number, headers: Headers): Promise<number> =>
  new Promise((resolve, reject) => {
    const raw = Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]));
    const options = { host: "127.0.0.1", port, agent: false, headers: ["host", "shop.example:81", ...raw] };
    const one = request(options, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    one.on("error", reject);
    one.end();
  });

/** Difference 5 of docs/envoy.md: Envoy adds it itself, from the address that it trusts. */
const OWN = "x-envoy-external-address";

const isAboutClients = (name: string): boolean =>
  name !== OWN && /^(?:forwarded$|x-forwarded-|x-real-ip$|x-envoy-|x_)/.test(name);

const CLAIMS: Headers = {
  "x-forwarded-for": ["10.9.9.9", "10.9.9.8"],
  "X-Forwarded-Proto": "https",
  "x-forwarded-host": "evil.example",
  "x-forwarded-port": "444",
  "x-forwarded-client-cert": "Hash=1",
  "x-forwarded-user": "root",
  "x-real-ip": "10.9.9.9",
  forwarded: "for=10.9.9.9;host=evil.example",
  "x-envoy-external-address": "10.9.9.9",
  "x-envoy-internal": "true",
  "x-envoy-retry-on": "5xx",
  "x-envoy-max-retries": "5",
  "x-envoy-upstream-rq-timeout-ms": "1",
  "x-envoy-anything": "1",
};

describe.each(DATA_PLANES.filter(({ isThere }) => isThere))("$name", ({ name, start }) => {
  const seenBy = async (headers: Headers, trustedHops: number): Promise<Readonly<Record<string, unknown>>> => {
    const backend = await startBackend(cleanup);
    const config = simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] });
    const port = await start(cleanup, config, { trustedHops });
    expect(await ask(port, headers)).toBe(200);
    const [seen] = backend.seen;
    if (seen?.headers[OWN] !== undefined) expect(seen.headers[OWN]).toBe(seen.headers["x-forwarded-for"]);
    return Object.fromEntries(Object.entries(seen?.headers ?? {}).filter(([name]) => isAboutClients(name)));
  };

  test("what a client says about itself does not reach a backend", async () => {
    const expected = {
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": "shop.example:81",
      "x-forwarded-proto": "http",
    };
    expect(await seenBy(CLAIMS, 0)).toEqual(expected);
    expect(await seenBy({}, 0)).toEqual(expected);
  });

  test("behind one trusted proxy its words are used, and those of its client are not", async () => {
    expect(await seenBy(CLAIMS, 1)).toEqual({
      "x-forwarded-for": "10.9.9.8",
      "x-forwarded-host": "evil.example",
      "x-forwarded-port": "444",
      "x-forwarded-proto": "https",
      "x-forwarded-user": "root",
    });
    expect(await seenBy({}, 1)).toEqual({
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": "shop.example:81",
      "x-forwarded-proto": "http",
    });
  });

  test.each([
    ["two proxies", "10.1.1.1, 10.2.2.2, 10.3.3.3", 2, "10.2.2.2"],
    ["IPv6", "10.1.1.1, 2001:db8::1", 1, "2001:db8::1"],
    ["fewer addresses than proxies", "10.1.1.1", 2, "127.0.0.1"],
    ["something that is no address", "10.1.1.1, root", 1, "127.0.0.1"],
    ["an address with a port", "10.1.1.1:80", 1, "127.0.0.1"],
    ["nothing", "", 1, "127.0.0.1"],
  ])("trusted proxies: %s", async (_, sent, hops, client) => {
    expect((await seenBy({ "x-forwarded-for": sent }, hops))["x-forwarded-for"]).toBe(client);
  });

  test("a route cannot be reached by a header that a client has made up", async () => {
    const backend = await startBackend(cleanup);
    const inside = (name: string, value: string) =>
      route(rule({ to: forwardTo("baker") }), "/", { headers: [{ name, value: { type: "Exact", value } }] });
    const routes = [inside("x-forwarded-for", "10.9.9.9"), inside("x-forwarded-client-cert", "Hash=1")];
    const port = await start(cleanup, simpleConfig(routes, { baker: [backend.port] }));
    expect(await ask(port, { "x-forwarded-for": "10.9.9.9", "x-forwarded-client-cert": "Hash=1" })).toBe(404);
  });

  test("HTTP/2: a header with an underscore is refused, by each data plane in its way (difference 2)", async () => {
    const backend = await startBackend(cleanup);
    const config = simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] });
    const session = connect(`http://127.0.0.1:${await start(cleanup, config)}`);
    cleanup.add(() => session.destroy());
    const outcome = await new Promise((resolve) => {
      const stream = session.request({ ":path": "/", x_trace: "1" });
      stream.on("response", (headers) => resolve(headers[":status"]));
      stream.on("error", () => resolve("reset"));
    });
    expect(outcome).toBe(name === "Envoy" ? "reset" : 400);
    expect(backend.seen).toEqual([]);
  });

  test("behind a trusted proxy a route that matches X-Forwarded-For sees the client, or the list of the proxy (difference 5)", async () => {
    const backend = await startBackend(cleanup);
    const headers = [{ name: "x-forwarded-for", value: { type: "Exact", value: "10.2.2.2" } } as const];
    const routes = [route(rule({ to: forwardTo("baker") }), "/", { headers })];
    const port = await start(cleanup, simpleConfig(routes, { baker: [backend.port] }), { trustedHops: 1 });
    expect(await ask(port, { "x-forwarded-for": "10.2.2.2" })).toBe(200);
    expect(await ask(port, { "x-forwarded-for": "10.1.1.1, 10.2.2.2" })).toBe(name === "Envoy" ? 404 : 200);
  });

  test.each(["x_forwarded_for", "X-Forwarded_For", "x_trace", "a_b"])(
    "a header with an underscore is refused: %s",
    async (header) => {
      const backend = await startBackend(cleanup);
      const config = simpleConfig([route(rule({ to: forwardTo("baker") }))], { baker: [backend.port] });
      const port = await start(cleanup, config);
      const text = await exchangeRaw(port, `GET / HTTP/1.1\r\nHost: a\r\n${header}: 1\r\n\r\n`);
      expect(statusesIn(text)).toEqual([400]);
      expect(backend.seen).toEqual([]);
    },
  );
});
