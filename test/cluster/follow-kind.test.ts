import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { listObjects } from "../../src/adapters/cluster/client/list-objects.ts";
import { versionOf } from "../../src/adapters/cluster/client/watch-objects.ts";
import { followKind } from "../../src/adapters/cluster/follow/kind-follower.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { connectCluster } from "../../src/sources/cluster/load-cluster.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import {
  type ControlPlane,
  compactEtcd,
  kubeconfigText,
  startControlPlane,
} from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import {
  createService,
  editService,
  followServices,
  type Reported,
  removeService,
  services,
} from "../support/kubernetes/follow-services.ts";
import { startHttp1Gateway } from "../support/kubernetes/http1-gateway.ts";
import { startTcpRelay, type TcpRelay } from "../support/kubernetes/tcp-relay.ts";
import { CLUSTER_START, CLUSTER_TEST, until } from "../support/kubernetes/until.ts";

const parts = await findKubernetes();
describe.skipIf(parts === undefined)("following a kind", CLUSTER_TEST, () => {
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
  }, CLUSTER_START);
  afterAll(async () => {
    client?.close();
    writer?.close();
    await relay?.close();
    await plane?.close();
  });

  const create = (name: string): Promise<JsonObject> => createService(writer, name);
  const edit = (name: string, port: number): Promise<JsonObject> => editService(writer, name, port);
  const remove = (name: string): Promise<JsonObject> => removeService(writer, name);
  const follow = async (during: (reported: Reported) => Promise<void>): Promise<Reported> => {
    const { reported, listed } = await followServices({ client, writer }, during);
    expect(reported.objects).toEqual(listed);
    return reported;
  };

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
    timeout: 600_000,
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

  test("10 restarts of the server, with versions that etcd has forgotten: one list each at most, and no change is lost", {
    timeout: 600_000,
  }, async () => {
    await create("kept");
    const { counts } = await follow(async ({ counts: now, objects }) => {
      for (let round = 0; round < 10; round++) {
        await create(`gone-${round}`);
        await until(() => objects.has(`default/gone-${round}`));
        const before = { ...now };
        relay.pause();
        await remove(`gone-${round}`);
        const edited = versionOf(await edit("kept", 3000 + round));
        await compactEtcd(plane);
        await plane.restart();
        relay.resume();
        await until(() => objects.get("default/kept") === edited && !objects.has(`default/gone-${round}`));
        expect(now.lists - before.lists).toBeLessThanOrEqual(1);
      }
    });
    expect(counts.lists).toBeLessThanOrEqual(11);
    // While the server is away, waits grow: a few attempts in each restart.
    expect(counts.watches).toBeLessThanOrEqual(10 * 12);
    await remove("kept");
  });

  test("a server that does not speak HTTP/2 is followed over HTTP/1.1, with a connection for each watch", async () => {
    const gateway = await startHttp1Gateway(plane);
    const authority = join(plane.folder, "http1.crt");
    const kubeconfig = join(plane.folder, "kubeconfig-http1");
    writeFileSync(authority, gateway.authority);
    writeFileSync(
      kubeconfig,
      kubeconfigText({ server: `https://localhost:${gateway.port}`, authority, token: plane.token("admin") }),
    );
    const { client: overHttp1 } = await connectCluster({ kubeconfig, env: {}, isInteractive: false, version: "test" });
    try {
      await create("old");
      const { reported, listed } = await followServices({ client: overHttp1, writer }, async ({ objects }) => {
        await create("new");
        await until(() => objects.has("default/new"));
        // Other requests do not wait for the watch.
        expect((await listObjects(overHttp1, services)).items.length).toBeGreaterThan(1);
        await remove("old");
      });
      expect(reported.objects).toEqual(listed);
      expect(reported.counts).toEqual({ lists: 1, watches: 1 });
      expect([...gateway.versions]).toEqual(["1.1"]);
      await remove("new");
    } finally {
      overHttp1.close();
      await gateway.close();
    }
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
