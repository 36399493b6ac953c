/** How a Pod finds the API server and proves who it is. Kubernetes, "Accessing the API from within a Pod" */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeClient } from "../../../../src/adapters/cluster/client/kube-client.ts";
import { objectAt } from "../../../../src/core/model/json.ts";
import type { ContainerOptions } from "./container.ts";
import type { Pod } from "./pod.ts";

/** Where Pods reach the API server. */
export interface ApiServerForPods {
  readonly host: string;
  readonly port: number;
  /** The file of its certificate authority. */
  readonly authority: Buffer;
}

export interface MountedServiceAccount {
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: ContainerOptions["mounts"];
}

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** A token of the ServiceAccount, which ends with the test. Undefined for a Pod that does not ask for one: the admission plugin that would do so by default does not run here. */
export async function mountServiceAccount(
  {
    client,
    pod: { metadata, spec },
    apiServer: { host, port, authority },
  }: { readonly client: KubeClient; readonly pod: Pod; readonly apiServer: ApiServerForPods },
  folder: string,
): Promise<MountedServiceAccount | undefined> {
  const { serviceAccountName, automountServiceAccountToken } = spec;
  if (serviceAccountName === undefined || automountServiceAccountToken !== true) return undefined;
  const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${serviceAccountName}/token`;
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 86_400 } };
  const { token } = objectAt(await client.request({ method: "POST", path, body }), "status");
  if (typeof token !== "string")
    throw new Error(`the API server gave no token for the ServiceAccount ${serviceAccountName}`);
  mkdirSync(folder, { recursive: true });
  const files = { token, "ca.crt": authority, namespace: metadata.namespace };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return {
    environment: { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: String(port) },
    mounts: [{ from: folder, to: FOLDER }],
  };
}
