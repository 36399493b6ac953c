import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClusterConnection, connectCluster, loadCluster } from "../../src/sources/cluster/load-cluster.ts";
import { type ControlPlane, startControlPlane } from "../support/kubernetes/control-plane.ts";
import { findKubernetes } from "../support/kubernetes/find-kubernetes.ts";

const parts = await findKubernetes();

describe.skipIf(parts === undefined)("a real API server", () => {
  let plane: ControlPlane;
  let connection: ClusterConnection;
  beforeAll(async () => {
    if (parts === undefined) return;
    plane = await startControlPlane(parts);
    connection = await connectCluster({ kubeconfig: plane.kubeconfig, env: {}, isInteractive: false, version: "test" });
  }, 180_000);
  afterAll(async () => {
    connection?.client.close();
    await plane?.close();
  });

  test("an empty cluster is read", async () => {
    const source = await loadCluster(connection, { namespaces: [] });
    console.log([...source.tables.objects.values()].map((o) => o.id).join("\n"));
    console.log(source.unread);
    expect(source.tables.objects.size).toBeGreaterThan(3);
  });
});
void readFileSync;
void writeFileSync;
void join;
