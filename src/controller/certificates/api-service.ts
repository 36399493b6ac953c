import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { getObject } from "../../adapters/cluster/client/object-requests.ts";
import { resourcePath } from "../../adapters/cluster/client/resource.ts";
import { isJsonObject, ownValue } from "../../core/model/json.ts";

const API_SERVICES = { group: "apiregistration.k8s.io", version: "v1", plural: "apiservices" };

/** `absent`: there is no such APIService. `unchanged`: it has the authorities. */
export type BundleOutcome = "absent" | "unchanged" | "written";

/** Puts the authorities into `caBundle` of the APIService, so that the API server trusts our certificate. */
export async function writeBundle(client: KubeClient, name: string, authorities: string): Promise<BundleOutcome> {
  const caBundle = Buffer.from(authorities).toString("base64");
  const found = await getObject(client, API_SERVICES, { name });
  if (found === undefined) return "absent";
  const spec = ownValue(found, "spec");
  if (isJsonObject(spec) && ownValue(spec, "caBundle") === caBundle) return "unchanged";
  await client.request({
    method: "PATCH",
    path: resourcePath(API_SERVICES, undefined, name),
    contentType: "application/merge-patch+json",
    body: { spec: { caBundle, insecureSkipTLSVerify: null } },
  });
  return "written";
}
