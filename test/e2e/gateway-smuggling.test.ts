/**
 * Requests that two readers could understand in two ways, byte for byte. Whatever the gateway makes of one, the backend must never see a
 * request that was not sent as one, nor a path other than the one that was routed.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forwardTo, route, rule, simpleConfig } from "../support/gateway/dataplane-config.ts";
import {
  type Backend,
  Cleanup,
  exchangeRaw,
  type RunningGateway,
  startBackend,
  startGateway,
  statusesIn,
} from "../support/gateway/gateway-harness.ts";
import {
  BROKEN_BODIES,
  get,
  HOST,
  LAST,
  REFUSED,
  REFUSED_PATHS,
  REWRITTEN_PATHS,
  SERVED,
} from "../support/gateway/odd-messages.ts";

const cleanup = new Cleanup();
let gateway: RunningGateway;
let backend: Backend;
let admin: Backend;

beforeAll(async () => {
  backend = await startBackend(cleanup);
  admin = await startBackend(cleanup);
  const routes = [
    route(rule({ name: "admin", to: forwardTo("admin") }), "/admin"),
    route(rule({ name: "baker", to: forwardTo("baker") })),
  ];
  gateway = await startGateway(cleanup, simpleConfig(routes, { baker: [backend.port], admin: [admin.port] }), {
    limits: { maxHeaderBytes: 8192, maxHeaders: 20 },
  });
});
afterAll(() => cleanup.run());

interface Outcome {
  readonly statuses: readonly number[];
  /** What the backends saw: `GET /path body`. */
  readonly seen: readonly string[];
  readonly adminSeen: readonly string[];
}

async function send(raw: string): Promise<Outcome> {
  backend.seen.length = 0;
  admin.seen.length = 0;
  const got = await exchangeRaw(gateway.port, raw, { withinMs: 3000 });
  const show = ({ method, url, body }: Backend["seen"][number]): string => `${method} ${url}${body && ` ${body}`}`;
  return { statuses: statusesIn(got), seen: backend.seen.map(show), adminSeen: admin.seen.map(show) };
}

describe("refused, and nothing for the backend", () => {
  test.each(REFUSED)("%s", async (_, raw, status) => {
    expect(await send(`${raw}${LAST}`)).toEqual({ statuses: [status], seen: [], adminSeen: [] });
  });
});

describe("paths that could mean another one: refused", () => {
  test.each(REFUSED_PATHS)("%s", async (_, path) => {
    expect(await send(`${get(HOST, path)}${LAST}`)).toEqual({ statuses: [400], seen: [], adminSeen: [] });
  });
});

describe("paths with several spellings: routed and forwarded in one", () => {
  test.each(REWRITTEN_PATHS)("%s", async (_, path, to, seen) => {
    const { seen: atMenu, adminSeen } = await send(get(`${HOST}Connection: close\r\n`, path));
    expect({ atMenu, adminSeen }).toEqual({
      atMenu: to === "menu" ? [`GET ${seen}`] : [],
      adminSeen: to === "admin" ? [`GET ${seen}`] : [],
    });
  });
});

describe("bodies that do not end where they say: no second request", () => {
  test.each(BROKEN_BODIES)("%s", async (_, raw) => {
    const { statuses, seen, adminSeen } = await send(raw);
    expect({ seen, adminSeen }).toEqual({ seen: [], adminSeen: [] });
    expect(statuses.filter((status) => status !== 400)).toEqual([]);
  });
});

describe("odd, and in order", () => {
  test.each(SERVED)("%s", async (_, raw, seen) => {
    const outcome = await send(`${raw}${LAST}`);
    expect(outcome).toEqual({ statuses: [...seen, ""].map(() => 200), seen: [...seen, "GET /last"], adminSeen: [] });
  });
});

test("there are enough of them", () => {
  const rows = [REFUSED, REFUSED_PATHS, REWRITTEN_PATHS, BROKEN_BODIES, SERVED].flat();
  expect(rows.length).toBeGreaterThanOrEqual(200);
});
