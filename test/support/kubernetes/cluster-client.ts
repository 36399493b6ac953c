import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeClient } from "../../../src/adapters/cluster/client/kube-client.ts";
import { type ClusterConnection, connectCluster } from "../../../src/sources/cluster/load-cluster.ts";
import { type ControlPlane, kubeconfigText } from "./control-plane.ts";

/** A connection to the control plane as one of its users, through another port if one is given. */
export async function connectAs(
  plane: ControlPlane,
  user = "admin",
  { port, namespace }: { readonly port?: number; readonly namespace?: string } = {},
): Promise<ClusterConnection> {
  const server = port === undefined ? plane.server : `https://127.0.0.1:${port}`;
  const kubeconfig = join(plane.folder, `kubeconfig-${user}-${port ?? "direct"}`);
  const named = namespace === undefined ? {} : { namespace };
  writeFileSync(kubeconfig, kubeconfigText({ server, authority: plane.authority, token: plane.token(user), ...named }));
  return connectCluster({ kubeconfig, env: {}, isInteractive: false, version: "test" });
}

export const clientAs = async (
  plane: ControlPlane,
  user?: string,
  options?: { readonly port?: number },
): Promise<KubeClient> => (await connectAs(plane, user, options)).client;
