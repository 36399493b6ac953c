import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PlainServer, startPlainServer } from "../../../test/support/kubernetes/plain-server.ts";
import { until } from "../../../test/support/kubernetes/until.ts";
import { type ClassUse, GATEWAY_EXISTS_FINALIZER } from "../../core/gateway-status/class-finalizer.ts";
import { type JsonObject, objectAt } from "../../core/model/json.ts";
import { ClassFinalizers } from "./class-finalizers.ts";

const USED: ClassUse = { uid: "uid-1", isUsed: true };

let server: PlainServer;
/** The one class of the cluster. */
let stored: JsonObject;
let writes: number;
/** True: the rights to write are missing. */
let isForbidden: boolean;
/** Called while the class is read. */
let onRead: () => void;
let remainingMs: number;
let troubles: string[];
let finalizers: ClassFinalizers;

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const reply = (code: number, body: unknown): void => {
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  if (request.method === "PUT" && isForbidden)
    return reply(403, { kind: "Status", apiVersion: "v1", code: 403, reason: "Forbidden", message: "forbidden" });
  if (request.method === "PUT") {
    writes++;
    stored = JSON.parse(text) as JsonObject;
  } else onRead();
  reply(200, stored);
}

beforeEach(async () => {
  stored = { metadata: { name: "house", uid: "uid-1", resourceVersion: "1" }, spec: {} };
  [writes, isForbidden, remainingMs, troubles] = [0, false, 60_000, []];
  onRead = () => undefined;
  server = await startPlainServer((request, response) => void respond(request, response));
  finalizers = new ClassFinalizers({
    client: server.client,
    remainingMs: () => remainingMs,
    onTrouble: (error) => troubles.push(error === undefined ? "over" : "in trouble"),
    monotonicMs: () => performance.now(),
  });
  finalizers.open();
});
afterEach(async () => {
  await finalizers.close();
  await server.close();
});

const isSet = (): boolean => {
  const set = objectAt(stored, "metadata")["finalizers"];
  return Array.isArray(set) && set.includes(GATEWAY_EXISTS_FINALIZER);
};
const want = (use: ClassUse): void => finalizers.want(new Map([["house", use]]));

test("it is set while a Gateway uses the class, and removed afterwards", async () => {
  want(USED);
  await until(isSet);
  want({ ...USED, isUsed: false });
  await until(() => !isSet());
  expect(writes).toBe(2);
});

test("another class of the same name, which may be one of another controller, is left alone", async () => {
  let reads = 0;
  onRead = () => reads++;
  want({ ...USED, uid: "uid-0" });
  await until(() => reads === 1);
  want({ ...USED, isUsed: false });
  await until(() => reads === 2);
  expect(writes).toBe(0);
});

test("trouble with a class ends with the class", async () => {
  isForbidden = true;
  want(USED);
  await until(() => troubles.length > 0);
  finalizers.want(new Map());
  await until(() => troubles.at(-1) === "over");
});

test("trouble ends where this replica does not write any more", async () => {
  isForbidden = true;
  want(USED);
  await until(() => troubles.length > 0);
  remainingMs = 0;
  await until(() => troubles.at(-1) === "over");
});

test("what could not be written in time is written when there is time again", async () => {
  onRead = () => {
    remainingMs = 0;
  };
  want(USED);
  await until(() => remainingMs === 0);
  onRead = () => undefined;
  await until(() => {
    remainingMs = 60_000;
    want(USED);
    return isSet();
  });
  expect(writes).toBe(1);
});
