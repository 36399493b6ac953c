import { expect, test } from "vitest";
import { formatAccessLine } from "./access-log.ts";
import type { RequestFinished } from "./gateway-event.ts";

const event: RequestFinished = {
  type: "RequestFinished",
  startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  durationMs: 12.345,
  client: "127.0.0.1",
  protocol: "HTTP/1.1",
  gateway: { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "infra", name: "prod" },
  port: 8080,
  method: "GET",
  host: "baker.bakery.example",
  path: "/menu",
  query: "today",
  userAgent: undefined,
  status: 200,
  responseBytes: 9,
  rule: {
    route: { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "bakery", name: "baker" },
    rule: "menu",
    filters: [],
    action: { type: "Respond", status: 500, reason: "" },
    requestTimeoutMs: undefined,
  },
  backend: undefined,
  attempts: 2,
  flags: [],
  reason: undefined,
};

test("text: who asked for what, what came of it, and by which rule", () => {
  expect(formatAccessLine(event, "text", 0)).toBe(
    '2026-01-02T03:04:05.006Z 127.0.0.1 "GET baker.bakery.example/menu?today HTTP/1.1" 200 9B 12.3ms HTTPRoute bakery/baker#menu, 2 attempts\n',
  );
});

test("text: why it went wrong", () => {
  const line = formatAccessLine(
    { ...event, rule: undefined, attempts: 0, status: 404, flags: ["NoRoute"], reason: "no rule matches" },
    "text",
    0,
  );
  expect(line).toMatch(/ 404 9B 12\.3ms NoRoute, no rule matches\n$/);
});

test("what a client sends cannot begin a line of its own", () => {
  const line = formatAccessLine({ ...event, path: '/a"\n2026 forged' }, "text", 0);
  expect(line?.split("\n")).toHaveLength(2);
});

test("json: one object on one line", () => {
  const line = formatAccessLine(event, "json", 0) ?? "";
  expect(line.endsWith("}\n")).toBe(true);
  expect(JSON.parse(line)).toMatchObject({
    status: 200,
    route: "HTTPRoute bakery/baker#menu",
    attempts: 2,
    query: "today",
  });
});

test("malformed requests are logged too; attempts are not", () => {
  const { gateway } = event;
  const refused = { type: "RequestRefused", client: "::1", gateway, port: 1, status: 400, reason: "bad" } as const;
  expect(formatAccessLine(refused, "text", 0)).toBe("1970-01-01T00:00:00.000Z ::1 - 400 refused: bad\n");
  expect(JSON.parse(formatAccessLine(refused, "json", 0) ?? "")).toMatchObject({ status: 400, reason: "bad" });
});
