/**
 * Gateway API, "SessionPersistence"
 * GEP-1619, "Traffic Splitting"
 * GEP-1619, "Edge Case Behavior"
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/model/json.ts";
import { CLOSED_PORT, Cleanup, startBackend } from "../../support/gateway/gateway-harness.ts";
import { PLANES_AND_SHAPES, type ServedPlane, servePlane } from "../../support/gateway/serve-plane.ts";
import { gateway, service } from "../streams/stream-objects.ts";
import { type SessionClient, sessionClient } from "./session-client.ts";

const PORT = 80;
const API = "gateway.networking.k8s.io";

const rule = (name: string, to: Readonly<Record<string, number>>, more: JsonObject = {}): JsonObject => ({
  apiVersion: `${API}/v1`,
  kind: "HTTPRoute",
  metadata: { name, namespace: "s" },
  spec: {
    parentRefs: [{ name: "g" }],
    hostnames: [`${name}.example`],
    rules: [
      { backendRefs: Object.entries(to).map(([service, weight]) => ({ name: service, port: 80, weight })), ...more },
    ],
  },
});

const cookie = (settings: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  sessionPersistence: { type: "Cookie", cookie: { name: "cart", ...settings }, ...more },
});
const header = (more: JsonObject = {}): JsonObject => ({
  sessionPersistence: { type: "Header", header: { name: "X-Cart" }, ...more },
});

const retryPolicy = (name: string, retry: JsonObject): JsonObject => ({
  apiVersion: "prevail.dev/v1alpha1",
  kind: "RetryPolicy",
  metadata: { name, namespace: "s" },
  spec: { targetRefs: [{ group: API, kind: "HTTPRoute", name }], defaults: { retry } },
});

const trafficPolicy = (name: string, sessionPersistence: JsonObject): JsonObject => ({
  apiVersion: "gateway.networking.x-k8s.io/v1alpha1",
  kind: "XBackendTrafficPolicy",
  metadata: { name, namespace: "s" },
  spec: { targetRefs: [{ group: "", kind: "Service", name }], sessionPersistence },
});

/** Services with several endpoints each, which say who they are. The letters are endpoints. */
const SERVICES: Readonly<Record<string, string>> = { one: "abcd", two: "efgh", own: "ij" };

const times = async (count: number, client: SessionClient): Promise<readonly string[]> => {
  const bodies: string[] = [];
  for (let time = 0; time < count; time++) bodies.push(await client.ask());
  return bodies;
};

const distinct = (bodies: readonly string[]): number => new Set(bodies).size;

describe.each(PLANES_AND_SHAPES)("sessions, %s", (plane) => {
  const cleanup = new Cleanup();
  const ports = new Map<string, number>();
  let served: ServedPlane;

  const objects = (left: Readonly<Record<string, string>> = SERVICES, two = 1): readonly JsonObject[] => [
    ...gateway([{ name: "http", port: PORT, protocol: "HTTP" }]),
    ...Object.entries(left).map(([name, letters]) =>
      service(
        name,
        letters.split("").map((letter) => ports.get(letter) ?? 0),
      ),
    ),
    service("half", [CLOSED_PORT, ports.get("a") ?? 0]),
    rule("none", { one: 1 }),
    rule("cookie", { one: 1 }, cookie()),
    rule("path", { one: 1 }, cookie({ path: "/cart" })),
    rule("permanent", { one: 1 }, cookie({ lifetimeType: "Permanent" }, { absoluteTimeout: "1h" })),
    rule("brief", { one: 1 }, cookie({ lifetimeType: "Permanent" }, { absoluteTimeout: "1s" })),
    rule("unnamed", { one: 1 }, { sessionPersistence: { type: "Cookie", cookie: {} } }),
    rule("header", { one: 1 }, header()),
    rule("split", { one: 1, ...(two === 0 ? {} : { two }) }, cookie()),
    rule("ofservice", { own: 1 }),
    rule("both", { own: 1 }, cookie()),
    trafficPolicy("own", { type: "Cookie", cookie: { name: "service" } }),
    rule("failing", { half: 1 }, cookie()),
    retryPolicy("failing", { attempts: 3 }),
    rule("waiting", { one: 1 }, cookie()),
    retryPolicy("waiting", { attempts: 2, codes: [503], backoff: "10ms" }),
  ];

  beforeAll(async () => {
    for (const letter of Object.values(SERVICES).join("")) {
      const { port } = await startBackend(cleanup, ({ headers }, response) => {
        response.statusCode = headers["x-fail"] === letter ? 503 : 200;
        response.end(letter);
      });
      ports.set(letter, port);
    }
    served = await servePlane(cleanup, plane, objects());
  }, 60_000);
  afterAll(() => cleanup.run());

  const client = (name: string, named?: string): SessionClient =>
    sessionClient(served.portOf(PORT), `${name}.example`, named);

  test("without session persistence requests go to all endpoints", async () => {
    expect(distinct(await times(12, client("none")))).toBe(4);
  });

  test("Cookie: requests of a client go to one endpoint, and the cookie is set once", async () => {
    const mine = client("cookie");
    expect(distinct(await times(12, mine))).toBe(1);
    expect(mine.cookies()).toEqual([expect.stringMatching(/^cart="[^"]+"; Path=\/; HttpOnly$/)]);
  });

  test("clients without a session are spread over all endpoints", async () => {
    const bodies: string[] = [];
    for (let time = 0; time < 12; time++) bodies.push(await client("cookie").ask());
    expect(distinct(bodies)).toBe(4);
  });

  test("Cookie: its path; for other paths there is no session", async () => {
    const mine = client("path");
    await mine.ask({ path: "/elsewhere" });
    expect(mine.cookies()).toEqual([]);
    await mine.ask({ path: "/cart/1" });
    expect(mine.cookies()).toEqual([expect.stringMatching(/; Path=\/cart; HttpOnly$/)]);
  });

  test("Cookie, Permanent: its age is the absolute timeout", async () => {
    const mine = client("permanent");
    expect(distinct(await times(6, mine))).toBe(1);
    expect(mine.cookies()).toEqual([expect.stringMatching(/^cart="[^"]+"; Max-Age=3600; Path=\/; HttpOnly$/)]);
  });

  test("absoluteTimeout: after it another session begins, though the client keeps the cookie", async () => {
    const mine = client("brief");
    await mine.ask();
    expect(mine.cookies()).toHaveLength(1);
    await expect
      .poll(
        async () => {
          await mine.ask();
          return mine.cookies().length;
        },
        { timeout: 10_000, interval: 300 },
      )
      .toBeGreaterThan(1);
  });

  test("Cookie without a name: one of its own for the rule", async () => {
    const mine = client("unnamed");
    expect(distinct(await times(6, mine))).toBe(1);
    expect(mine.cookies()).toEqual([expect.stringMatching(/^prevail_httproute_s_unnamed_rule-1="/)]);
  });

  test("Header: requests with the header go to one endpoint", async () => {
    const mine = client("header", "x-cart");
    expect(distinct(await times(12, mine))).toBe(1);
    expect(mine.cookies()).toEqual([]);
  });

  test("weights: a session stays with its backend, and new ones are shared out", async () => {
    const bodies: string[] = [];
    for (let time = 0; time < 24; time++) {
      const mine = client("split");
      const first = await mine.ask();
      expect(await times(3, mine)).toEqual([first, first, first]);
      bodies.push(first);
    }
    const two = bodies.filter((letter) => SERVICES["two"]?.includes(letter)).length;
    expect(two).toBeGreaterThan(2);
    expect(two).toBeLessThan(22);
  });

  test("of an XBackendTrafficPolicy; that of the rule comes first", async () => {
    const mine = client("ofservice");
    expect(distinct(await times(6, mine))).toBe(1);
    expect(mine.cookies()).toEqual([expect.stringMatching(/^service="/)]);
    const other = client("both");
    await other.ask();
    expect(other.cookies()).toEqual([expect.stringMatching(/^cart="/)]);
  });

  test("an endpoint that cannot be reached: a retry goes to another one, which is the session's from then on", async () => {
    const mine = client("failing");
    expect(distinct(await times(8, mine))).toBe(1);
    expect(mine.cookies()).toHaveLength(1);
  });

  test("retries with a wait: the first attempt goes to the session's endpoint, a retry to another one", async () => {
    const mine = client("waiting");
    const first = await mine.ask();
    expect(await times(5, mine)).toEqual(Array.from({ length: 5 }, () => first));
    const second = await mine.ask({ headers: { "x-fail": first } });
    expect(second).not.toBe(first);
    expect(second).not.toBe("503");
    expect(await times(5, mine)).toEqual(Array.from({ length: 5 }, () => second));
  });

  test("an endpoint, or a backend, that is gone: another session begins", async () => {
    const mine = client("cookie");
    const first = await mine.ask();
    const split = client("split");
    await split.ask();
    const left = (SERVICES["one"] ?? "")
      .split("")
      .filter((letter) => letter !== first)
      .join("");
    await served.replace(objects({ ...SERVICES, one: left }, 0));
    await expect.poll(async () => left.includes(await mine.ask()), { timeout: 10_000 }).toBe(true);
    const second = await mine.ask();
    expect(distinct([second, ...(await times(6, mine))])).toBe(1);
    await expect.poll(async () => left.includes(await split.ask()), { timeout: 10_000 }).toBe(true);
    expect(distinct(await times(6, split))).toBe(1);
  });

  test("a cookie or header that is no session is ignored", async () => {
    const port = served.portOf(PORT);
    for (const value of ['"!!"', '"AAAA"', "", '"MTI3LjAuMC4xOjE="', `"${"x".repeat(4000)}"`]) {
      const mine = sessionClient(port, "cookie.example");
      expect(await mine.ask({ headers: { cookie: `cart=${value}` } })).toMatch(/^[a-d]$/);
      expect(mine.cookies()).toHaveLength(1);
    }
  });
});
