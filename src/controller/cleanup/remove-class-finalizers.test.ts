import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PlainServer, startPlainServer } from "../../../test/support/kubernetes/plain-server.ts";
import { GATEWAY_EXISTS_FINALIZER } from "../../core/gateway-status/class-finalizer.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { removeClassFinalizers } from "./remove-class-finalizers.ts";

const OURS = "prevail.dev/gateway";
const PATH = "/apis/gateway.networking.k8s.io/v1/gatewayclasses";
/** An object and its path. */
const gatewayClass = (name: string, controllerName: string, finalizers: readonly string[]): [string, JsonObject] => [
  `${PATH}/${name}`,
  { metadata: { name, uid: `uid-${name}`, resourceVersion: "1", finalizers }, spec: { controllerName } },
];

let server: PlainServer;
/** By path. Undefined: the cluster has no Gateway API. */
let classes: Map<string, JsonObject> | undefined;
/** True: the next write meets an object that has changed since. */
let hasChanged: boolean;
/** Writes of these classes are refused with this reason. */
let refusals: Map<string, readonly [code: number, reason: string]>;
let notes: string[];

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "", "http://server");
  const reply = (code: number, body: unknown): void => {
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const status = (code: number, reason: string): void =>
    reply(code, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason });
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const found = classes?.get(pathname);
  const refusal = request.method === "PUT" ? refusals.get(pathname) : undefined;
  if (refusal !== undefined) status(...refusal);
  else if (request.method === "PUT" && hasChanged) {
    hasChanged = false;
    status(409, "Conflict");
  } else if (request.method === "PUT") {
    classes?.set(pathname, JSON.parse(text) as JsonObject);
    reply(200, classes?.get(pathname));
  } else if (found !== undefined) reply(200, found);
  else if (pathname === PATH && classes !== undefined)
    reply(200, { metadata: { resourceVersion: "1" }, items: [...classes.values()] });
  else status(404, "NotFound");
}

beforeEach(async () => {
  classes = new Map([
    gatewayClass("house", OURS, ["example.com/other", GATEWAY_EXISTS_FINALIZER]),
    gatewayClass("idle", OURS, []),
    gatewayClass("foreign", "example.com/gateway", [GATEWAY_EXISTS_FINALIZER]),
  ]);
  hasChanged = false;
  refusals = new Map();
  notes = [];
  server = await startPlainServer((request, response) => void respond(request, response));
});
afterEach(() => server.close());

const remove = (isDryRun = false): Promise<readonly string[]> =>
  removeClassFinalizers({
    client: server.client,
    controllerName: OURS,
    isDryRun,
    signal: new AbortController().signal,
    note: (message) => notes.push(message),
  });
const finalizers = (): readonly unknown[] =>
  Array.from(classes?.values() ?? [], ({ metadata }) => (metadata as JsonObject)["finalizers"]);

test("its own finalizer is removed from its own classes, and those of others stay", async () => {
  hasChanged = true;
  expect(await remove()).toEqual([]);
  expect(finalizers()).toEqual([["example.com/other"], [], [GATEWAY_EXISTS_FINALIZER]]);
  expect(notes).toEqual(["removed the finalizer of GatewayClass house"]);
});

test.each([
  ["that goes at the same time is no failure", [404, "NotFound"], []],
  ["that cannot be written is one", [403, "Forbidden"], [expect.stringContaining("GatewayClass house: ")]],
] as const)("a class %s, and the finalizers of the others are removed", async (_, refusal, failures) => {
  classes?.set(...gatewayClass("other", OURS, [GATEWAY_EXISTS_FINALIZER]));
  refusals.set(`${PATH}/house`, refusal);
  expect(await remove()).toEqual(failures);
  expect(notes).toEqual(["removed the finalizer of GatewayClass other"]);
});

test("a dry run says what it would remove, and removes nothing", async () => {
  expect(await remove(true)).toEqual([]);
  expect(finalizers()[0]).toEqual(["example.com/other", GATEWAY_EXISTS_FINALIZER]);
  expect(notes).toEqual(["would remove the finalizer of GatewayClass house"]);
});

test("a cluster without Gateway API has none", async () => {
  classes = undefined;
  expect(await remove()).toEqual([]);
});
