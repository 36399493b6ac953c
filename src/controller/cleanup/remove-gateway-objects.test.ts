import { afterEach, beforeEach, expect, test } from "vitest";
import { type PlainServer, startPlainServer } from "../../../test/support/kubernetes/plain-server.ts";
import {
  CONTROLLER_ANNOTATION,
  GATEWAY_ANNOTATION,
  INFRASTRUCTURE_LABEL,
} from "../../core/infrastructure/object-names.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { removeGatewayObjects } from "./remove-gateway-objects.ts";

const OURS = "prevail.dev/gateway";
const made = (name: string, controllerName: string): JsonObject => ({
  metadata: {
    name,
    namespace: "prevail-system",
    uid: `uid-${name}`,
    resourceVersion: "1",
    labels: { [INFRASTRUCTURE_LABEL]: name },
    annotations: { [GATEWAY_ANNOTATION]: "infra/prod", [CONTROLLER_ANNOTATION]: controllerName },
  },
});

let server: PlainServer;
let objects: Map<string, JsonObject>;
/** The path of an object whose status changes before its first deletion. */
let changing: string | undefined;
let selectors: (string | null)[];
let notes: string[];

beforeEach(async () => {
  const [apps, core] = ["/apis/apps/v1/namespaces/prevail-system", "/api/v1/namespaces/prevail-system"];
  objects = new Map([
    [`${apps}/deployments/prod`, made("prod", OURS)],
    [`${apps}/deployments/other`, made("other", "example.com/other")],
    [`${core}/services/prod`, made("prod", OURS)],
    [`${core}/secrets/prod`, made("prod", OURS)],
  ]);
  changing = undefined;
  selectors = [];
  notes = [];
  server = await startPlainServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
    const reply = (code: number, body: unknown): void => {
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const status = (code: number, reason: string): void =>
      reply(code, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason });
    const found = objects.get(pathname);
    if (request.method === "DELETE" && pathname === changing) {
      changing = undefined;
      status(409, "Conflict");
    } else if (request.method === "DELETE" && objects.delete(pathname)) reply(200, {});
    else if (found !== undefined) reply(200, found);
    else if (pathname.endsWith("s")) {
      selectors.push(searchParams.get("labelSelector"));
      const items = [...objects].filter(([path]) => path.startsWith(`${pathname}/`)).map(([, object]) => object);
      reply(200, { metadata: { resourceVersion: "1" }, items });
    } else status(404, "NotFound");
  });
});
afterEach(() => server.close());

const remove = (isDryRun = false): Promise<readonly string[]> =>
  removeGatewayObjects({
    client: server.client,
    controllerName: OURS,
    namespace: "prevail-system",
    isDryRun,
    signal: new AbortController().signal,
    note: (message) => notes.push(message),
  });

const ALL = ["Service", "Deployment", "Secret"].map((kind) => `${kind} prevail-system/prod of Gateway infra/prod`);

test("what the controller has created for Gateways is deleted, and that of another controller stays", async () => {
  changing = "/apis/apps/v1/namespaces/prevail-system/deployments/prod";
  expect(await remove()).toEqual([]);
  expect([...objects.keys()]).toEqual(["/apis/apps/v1/namespaces/prevail-system/deployments/other"]);
  expect(notes).toEqual(ALL.map((what) => `deleted ${what}`));
  expect(new Set(selectors)).toEqual(new Set([INFRASTRUCTURE_LABEL]));
});

test("a dry run says what would be deleted, and deletes nothing", async () => {
  expect(await remove(true)).toEqual([]);
  expect(objects.size).toBe(4);
  expect(notes).toEqual(ALL.map((what) => `would delete ${what}`));
});
