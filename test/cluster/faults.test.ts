import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeClient } from "../../src/adapters/cluster/client/kube-client.ts";
import { versionOf } from "../../src/adapters/cluster/client/watch-objects.ts";
import { connectCluster } from "../../src/sources/cluster/load-cluster.ts";
import { clientAs } from "../support/kubernetes/cluster-client.ts";
import {
  type ControlPlane,
  compactEtcd,
  kubeconfigText,
  startControlPlane,
} from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";
import { createService, editService, followServices, removeService } from "../support/kubernetes/follow-services.ts";
import { startTcpRelay, type TcpRelay } from "../support/kubernetes/tcp-relay.ts";
import { CLUSTER_START, CLUSTER_TEST, until } from "../support/kubernetes/until.ts";

const parts = await findKubernetes();
const EXPIRIES = 50;
const ROTATIONS = 20;

/** Without its watch cache the server reads every watch from etcd, so that a compaction makes older versions 410 Gone at once. */
describe.skipIf(parts === undefined)("a server without a watch cache", CLUSTER_TEST, () => {
  let plane: ControlPlane;
  let relay: TcpRelay;
  let writer: KubeClient;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts, { flags: ["--watch-cache=false"] });
    relay = await startTcpRelay({ host: "127.0.0.1", port: Number(new URL(plane.server).port) });
    writer = await clientAs(plane);
  }, CLUSTER_START);
  afterAll(async () => {
    writer?.close();
    await relay?.close();
    await plane?.close();
  });

  test(`${EXPIRIES} versions that have expired (410) cost one list each, and what was deleted meanwhile is reported`, {
    timeout: 600_000,
  }, async () => {
    const client = await clientAs(plane, "admin", { port: relay.port });
    await createService(writer, "kept");
    try {
      const { reported, listed } = await followServices({ client, writer }, async ({ counts, objects }) => {
        for (let round = 0; round < EXPIRIES; round++) {
          await createService(writer, `gone-${round}`);
          await until(() => objects.has(`default/gone-${round}`));
          const before = { ...counts };
          relay.pause();
          await removeService(writer, `gone-${round}`);
          const edited = versionOf(await editService(writer, "kept", 3000 + round));
          await compactEtcd(plane);
          relay.resume();
          await until(() => objects.get("default/kept") === edited && !objects.has(`default/gone-${round}`));
          expect(counts.lists - before.lists).toBe(1);
          expect(counts.watches - before.watches).toBeLessThanOrEqual(6);
        }
      });
      expect(reported.objects).toEqual(listed);
      // A server that cannot stream the first state is asked for pages, once and for all.
      expect(reported.counts.lists).toBeLessThanOrEqual(EXPIRIES + 2);
    } finally {
      client.close();
    }
  });

  /** The rights move from one service account to the next, at once: a request with the token before would be refused. */
  const passOn = async (index: number): Promise<string> => {
    const name = `reader-${index}`;
    await plane.kubectl(["create", "serviceaccount", name]);
    const role = ["--clusterrole=cluster-admin", `--serviceaccount=default:${name}`];
    await plane.kubectl(["create", "clusterrolebinding", name, ...role]);
    const token = (await plane.kubectl(["create", "token", name])).trim();
    return token;
  };
  const revoke = (index: number): Promise<string> => plane.kubectl(["delete", "clusterrolebinding", `reader-${index}`]);

  test.each<readonly [string, (tokenFile: string) => object]>([
    ["a token file that is replaced", (tokenFile) => ({ tokenFile })],
    ["a credential plugin whose tokens expire", (tokenFile) => ({ exec: plugin(tokenFile) })],
  ])(`${ROTATIONS} rotations lose no change: %s`, { timeout: 600_000 }, async (_, user) => {
    const [tokenFile, kubeconfig] = [join(plane.folder, "token"), join(plane.folder, "rotating")];
    const { authority } = plane;
    const config = JSON.parse(
      kubeconfigText({ server: `https://127.0.0.1:${relay.port}`, authority, token: "" }),
    ) as object;
    writeFileSync(kubeconfig, JSON.stringify({ ...config, users: [{ name: "test", user: user(tokenFile) }] }));
    writeFileSync(tokenFile, await passOn(0));
    const { client } = await connectCluster({ kubeconfig, env: process.env, isInteractive: false, version: "test" });
    await createService(writer, "seen");
    const users = new Set<string>();
    try {
      const { reported, listed } = await followServices({ client, writer }, async ({ objects, counts }) => {
        const { lists } = counts;
        for (let round = 1; round <= ROTATIONS; round++) {
          writeFileSync(tokenFile, await passOn(round));
          await revoke(round - 1);
          relay.cut();
          const edited = versionOf(await editService(writer, "seen", 1000 + round));
          await until(() => objects.get("default/seen") === edited);
          users.add(await whoAmI(client));
        }
        expect(counts.lists).toBe(lists);
      });
      expect(reported.objects).toEqual(listed);
      expect(users.size).toBe(ROTATIONS);
      expect(reported.counts.watches).toBeLessThanOrEqual(3 * ROTATIONS);
    } finally {
      client.close();
      await revoke(ROTATIONS);
      await removeService(writer, "seen");
      for (let index = 0; index <= ROTATIONS; index++)
        await plane.kubectl(["delete", "serviceaccount", `reader-${index}`]);
    }
  });
});

/** A plugin that prints the token of the file. It says that the token expires soon, so it is run again for later requests. */
const plugin = (tokenFile: string): object => ({
  apiVersion: "client.authentication.k8s.io/v1",
  interactiveMode: "Never",
  command: process.execPath,
  args: [
    "-e",
    `const token = require("fs").readFileSync(${JSON.stringify(tokenFile)}, "utf8");
     const status = { token, expirationTimestamp: new Date(Date.now() + 10_050).toISOString() };
     console.log(JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status }));`,
  ],
});

async function whoAmI(client: KubeClient): Promise<string> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { status } = await client.request({
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body,
  });
  return JSON.stringify(status);
}
