import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startPlainServer } from "../../../test/support/kubernetes/plain-server.ts";
import { until } from "../../../test/support/kubernetes/until.ts";
import {
  CONTROLLER_ANNOTATION,
  GATEWAY_ANNOTATION,
  INFRASTRUCTURE_LABEL,
} from "../../core/infrastructure/object-names.ts";
import { InfrastructureWriter } from "./infrastructure-writer.ts";

const CONTROLLER = "prevail.dev/gateway";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/prevail-system/deployments";
const deployment = {
  metadata: {
    name: "gone",
    namespace: "prevail-system",
    uid: "1",
    resourceVersion: "1",
    labels: { [INFRASTRUCTURE_LABEL]: "gone" },
    annotations: { [GATEWAY_ANNOTATION]: "infra/gone", [CONTROLLER_ANNOTATION]: CONTROLLER },
  },
};

test("the objects of a Gateway that was deleted while no controller ran are removed, some seconds after the cluster has been read", async () => {
  const deleted: string[] = [];
  const watches = new Set<string>();
  let readingMs = 0;
  const server = await startPlainServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://server");
    // A server that lists in pages, as before the streaming of lists.
    const isRefused = searchParams.has("sendInitialEvents");
    response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
    if (request.method === "DELETE") deleted.push(pathname);
    if (isRefused) response.end("{}");
    else if (searchParams.get("watch") !== null) {
      watches.add(pathname);
      response.flushHeaders();
    } else {
      const items = pathname === DEPLOYMENTS ? [deployment] : [];
      response.end(JSON.stringify({ metadata: { resourceVersion: "1" }, items }));
    }
  });
  const ending = new AbortController();
  const writer = new InfrastructureWriter({
    client: server.client,
    controllerName: CONTROLLER,
    namespace: "prevail-system",
    remainingMs: () => 60_000,
    certificateOf: () => ({ commonName: "gone", uriNames: [] }),
    onChange: () => undefined,
    note: () => undefined,
    onTrouble: () => undefined,
    nowMs: Date.now,
    monotonicMs: () => performance.now() + readingMs,
  });
  const running = writer.run(ending.signal);
  try {
    writer.lead();
    await until(() => watches.size === 6);
    writer.want(new Map(), { isComplete: false });
    readingMs = 60_000;
    writer.want(new Map(), { isComplete: true });
    await sleep(500);
    expect(deleted).toEqual([]);
    await until(() => deleted.length > 0);
    expect(deleted).toEqual([`${DEPLOYMENTS}/gone`]);
  } finally {
    ending.abort();
    await running;
    await server.close();
  }
}, 20_000);
