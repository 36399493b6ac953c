/** Streams that a real API server seldom sends. `test/cluster/follow-kind.test.ts` has the others, with a real one. */
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { services } from "../../../../test/support/kubernetes/follow-services.ts";
import { type PlainServer, startPlainServer } from "../../../../test/support/kubernetes/plain-server.ts";
import { until } from "../../../../test/support/kubernetes/until.ts";
import { followKind } from "./kind-follower.ts";
import { objectKey } from "./object-key.ts";

let server: PlainServer | undefined;
afterEach(() => server?.close());

const service = (name: string, resourceVersion: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "default", name, resourceVersion },
});
const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const added = (name: string, version: string): string => line("ADDED", service(name, version));
const end = line("BOOKMARK", {
  metadata: { resourceVersion: "5", annotations: { "k8s.io/initial-events-end": "true" } },
});

/** Follows a server whose watches send these texts one after the other, then nothing, and returns what was reported and which versions were asked for. */
async function follow(
  texts: readonly string[],
  wanted: readonly string[],
  finish: (response: ServerResponse) => void,
): Promise<{ readonly reported: readonly string[]; readonly versions: readonly (string | null)[] }> {
  const reported: string[] = [];
  const versions: (string | null)[] = [];
  server = await startPlainServer((request, response) => {
    const text = texts[versions.length];
    versions.push(new URL(request.url ?? "", "http://server").searchParams.get("resourceVersion"));
    response.writeHead(200, { "content-type": "application/json" });
    response.write(text ?? "");
    if (text !== undefined) finish(response);
  });
  const ended = new AbortController();
  const running = followKind({
    client: server.client,
    resource: services,
    signal: ended.signal,
    random: () => 0,
    onChanges: ({ upserted, deleted }) =>
      reported.push(...upserted.map(objectKey), ...deleted.map((object) => `-${objectKey(object)}`)),
  });
  await until(
    () => wanted.every((one) => reported.includes(one)),
    () => reported.join(),
  );
  ended.abort();
  await running;
  return { reported, versions };
}

describe("a watch goes on at the last whole event", () => {
  const cut = added("b", "7");
  const ways: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ["ends", (response) => response.end()],
    ["breaks", (response) => setImmediate(() => response.destroy())],
  ];
  test.each(ways)("where the stream %s in the middle of a line", async (_, finish) => {
    for (const length of [1, 20, cut.length - 1]) {
      const texts = [`${added("a", "3")}${end}${added("c", "6")}${cut.slice(0, length)}`, cut];
      const { reported, versions } = await follow(texts, ["default/a", "default/b", "default/c"], finish);
      expect(reported).toEqual(["default/a", "default/c", "default/b"]);
      expect(versions.slice(0, 2)).toEqual([null, "6"]);
      await server?.close();
    }
  });

  test.each([
    ["is not JSON", "<html>\n"],
    ["is no event", '{"kind":"Status"}\n'],
    ["has no object", '{"type":"ADDED"}\n'],
    ["is of an unknown type", line("SURPRISE", service("x", "9"))],
  ])("where a line %s", async (_, odd) => {
    const { reported, versions } = await follow(
      [`${end}${added("a", "6")}${odd}${added("never", "8")}`, cut],
      ["default/a", "default/b"],
      (response) => response.end(),
    );
    expect(reported).toEqual(["default/a", "default/b"]);
    expect(versions.slice(0, 2)).toEqual([null, "6"]);
  });

  test("first events that were cut are all asked for again", async () => {
    const { reported, versions } = await follow(
      [added("a", "3"), `${added("a", "3")}${added("b", "4")}${end}`],
      ["default/a", "default/b"],
      (response) => response.end(),
    );
    expect(reported).toEqual(["default/a", "default/b"]);
    expect(versions.slice(0, 2)).toEqual([null, null]);
  });
});
