import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { listObjects } from "../../src/adapters/cluster/client/list-objects.ts";
import type { ApiResource } from "../../src/adapters/cluster/client/resource.ts";
import { versionOf } from "../../src/adapters/cluster/client/watch-objects.ts";
import {
  type FollowCounts,
  type FollowedChanges,
  followKind,
} from "../../src/adapters/cluster/follow/kind-follower.ts";
import { objectKey } from "../../src/adapters/cluster/follow/object-key.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import { type ControlPlane, compactEtcd, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { startTcpRelay, type TcpRelay } from "../support/kubernetes/tcp-relay.ts";

const parts = await findKubernetes();
const services: ApiResource = {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  isNamespaced: true,
  verbs: ["list", "watch"],
  shortNames: [],
  hasStatus: true,
};

/** What a follower has been reported, as a table. */
class Reported {
  readonly objects = new Map<string, string>();
  readonly counts: FollowCounts = { lists: 0, watches: 0 };
  readonly troubles: (Error | undefined)[] = [];
  calls = 0;

  readonly onChanges = ({ upserted, deleted }: FollowedChanges): void => {
    this.calls++;
    for (const object of upserted) this.objects.set(objectKey(object), versionOf(object));
    for (const object of deleted) this.objects.delete(objectKey(object));
  };
}

const tableOf = (items: readonly JsonObject[]): ReadonlyMap<string, string> =>
  new Map(items.map((item) => [objectKey(item), versionOf(item)] as const));

describe.skipIf(parts === undefined)("following a kind", () => {
  let plane: ControlPlane;
  let relay: TcpRelay;
  let writer: KubeClient;
  let client: KubeClient;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts);
    relay = await startTcpRelay({ host: "127.0.0.1", port: Number(new URL(plane.server).port) });
    writer = await clientAs(plane);
    client = await clientAs(plane, "admin", { port: relay.port });
  }, 180_000);
  afterAll(async () => {
    client?.close();
    writer?.close();
    await relay?.close();
    await plane?.close();
  });

  /** Runs a follower during `during`, waits until it has what a fresh list has, and returns what it was reported. */
  async function follow(during: (reported: Reported) => Promise<void>): Promise<Reported> {
    const reported = new Reported();
    const ended = new AbortController();
    const running = followKind({
      client,
      resource: services,
      signal: ended.signal,
      onChanges: reported.onChanges,
      onTrouble: (error) => reported.troubles.push(error),
      counts: reported.counts,
    });
    try {
      await until(() => reported.calls > 0);
      await during(reported);
      const { items } = await listObjects(writer, services);
      await until(() => sameTables(reported.objects, tableOf(items))).catch(() => undefined);
      expect(reported.objects).toEqual(tableOf(items));
      return reported;
    } finally {
      ended.abort();
      await running;
    }
  }

  const path = "/api/v1/namespaces/default/services";
  const body = (name: string, port: number): JsonObject => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, annotations: { payload: "x".repeat(2000) } },
    spec: { clusterIP: "None", ports: [{ port }] },
  });
  const create = (name: string): Promise<JsonObject> => writer.request({ method: "POST", path, body: body(name, 80) });
  const edit = (name: string, port: number): Promise<JsonObject> =>
    writer.request({
      method: "PATCH",
      path: `${path}/${name}`,
      contentType: "application/merge-patch+json",
      body: { spec: { ports: [{ port }] } },
    });
  const remove = (name: string): Promise<JsonObject> => writer.request({ method: "DELETE", path: `${path}/${name}` });

  test("objects that are created, changed and deleted are reported; the first state is one list", async () => {
    await create("before");
    const reported = await follow(async () => {
      await create("a");
      await edit("a", 81);
      await create("b");
      await remove("a");
    });
    expect(reported.objects.has("default/b")).toBe(true);
    expect(reported.counts).toEqual({ lists: 1, watches: 1 });
    await remove("b");
    await remove("before");
  });

  test("300 connections that are cut at random bytes lose no change, and cost no list each", {
    timeout: 240_000,
  }, async () => {
    const names = Array.from({ length: 20 }, (_, index) => `cut-${index}`);
    for (const name of names) await create(name);
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % below;
    };
    const reported = await follow(async ({ objects }) => {
      for (let round = 1; round <= 300; round++) {
        // The bytes are those of an event, or of the next handshake.
        relay.cutAfter(random(4000));
        const name = names[random(names.length)] ?? "";
        const edited = versionOf(await edit(name, 1000 + round));
        if (round % 3 === 0) relay.cut();
        await until(() => objects.get(`default/${name}`) === edited);
      }
    });
    // The first list only: a version that is known is resumed. A cut costs at most a few watches.
    expect(reported.counts.lists).toBe(1);
    expect(reported.counts.watches).toBeLessThanOrEqual(900);
    expect(reported.counts.watches).toBeGreaterThanOrEqual(100);
    for (const name of names) await remove(name);
  });

  test("a version that has expired (410) costs one list, and what was deleted meanwhile is reported", {
    timeout: 120_000,
  }, async () => {
    await create("kept");
    for (let round = 0; round < 5; round++) {
      await create(`gone-${round}`);
      const reported = await follow(async ({ counts }) => {
        const { lists } = counts;
        // The server that restarts has forgotten its watch cache, and etcd has forgotten the versions.
        relay.cut();
        await remove(`gone-${round}`);
        await edit("kept", 3000 + round);
        await compactEtcd(plane);
        await plane.restart();
        await until(() => counts.lists > lists || counts.watches > 1, 30_000);
      });
      expect(reported.counts.lists).toBeLessThanOrEqual(2);
    }
    await remove("kept");
  });

  test("a resource that does not exist is reported", async () => {
    const troubles: (Error | undefined)[] = [];
    const ended = new AbortController();
    const running = followKind({
      client,
      resource: { ...services, group: "example.com", plural: "nothings" },
      signal: ended.signal,
      onChanges: () => undefined,
      onTrouble: (error) => troubles.push(error),
    });
    await until(() => troubles.length > 0);
    ended.abort();
    await running;
    expect(troubles[0]?.message).toContain("404");
  });
});

const sameTables = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...b].every(([key, version]) => a.get(key) === version);

async function until(holds: () => boolean, deadlineMs = 15_000): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("it did not happen in time");
    await sleep(5);
  }
}
