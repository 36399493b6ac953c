/** The one Node of the rig, which every Pod is bound to. */
import { isConflict } from "../../../../src/adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/adapters/cluster/client/kube-client.ts";
import { NODE_ADDRESS } from "../rig-network.ts";
import { LOG_PORT } from "./pod-log-server.ts";

export const NODE_NAME = "rig-node";

/** Kubernetes writes times in whole seconds. */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

export async function createNode(client: KubeClient): Promise<void> {
  const metadata = { name: NODE_NAME, labels: { "kubernetes.io/hostname": NODE_NAME, "kubernetes.io/os": "linux" } };
  await client
    .request({ method: "POST", path: "/api/v1/nodes", body: { apiVersion: "v1", kind: "Node", metadata } })
    .catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
  const capacity = { cpu: "64", memory: "64Gi", pods: "500" };
  const now = timestamp(Date.now());
  const ready = { type: "Ready", status: "True", reason: "Rig", message: "Pods are processes on this machine" };
  await client.request({
    method: "PATCH",
    path: `/api/v1/nodes/${NODE_NAME}/status`,
    contentType: "application/merge-patch+json",
    body: {
      status: {
        addresses: [{ type: "InternalIP", address: NODE_ADDRESS }],
        daemonEndpoints: { kubeletEndpoint: { Port: LOG_PORT } },
        capacity,
        allocatable: capacity,
        conditions: [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }],
      },
    },
  });
}
