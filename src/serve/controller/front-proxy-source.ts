import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { getObject } from "../../adapters/cluster/client/object-requests.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { followKind } from "../../adapters/cluster/follow/kind-follower.ts";
import { type FrontProxy, parseFrontProxy } from "../../api/serve/front-proxy.ts";
import type { JsonObject } from "../../core/model/json.ts";

const CONFIG_MAPS: ApiResource = {
  group: "",
  kind: "ConfigMap",
  version: "v1",
  plural: "configmaps",
  isNamespaced: true,
  verbs: ["get", "list", "watch"],
  shortNames: [],
  hasStatus: false,
};
const NAMESPACE = "kube-system";
const NAME = "extension-apiserver-authentication";
const WAIT_MS = 2000;

/** The front proxy as the cluster configures it. Waits for it, and reports why, as long as it cannot be read. */
export async function loadFrontProxy(
  client: KubeClient,
  signal: AbortSignal,
  onTrouble: (message: string) => void,
): Promise<FrontProxy | undefined> {
  while (!signal.aborted) {
    const proxy = await tryLoad(client, signal);
    if (typeof proxy !== "string") return proxy;
    if (!signal.aborted) onTrouble(proxy);
    await sleep(WAIT_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

async function tryLoad(client: KubeClient, signal: AbortSignal): Promise<FrontProxy | string> {
  try {
    const found = await getObject(client, CONFIG_MAPS, { namespace: NAMESPACE, name: NAME }, { signal });
    if (found === undefined) return `there is no ConfigMap ${NAMESPACE}/${NAME}, which says who the front proxy is`;
    return parse(found);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function parse(configMap: JsonObject): FrontProxy | string {
  const proxy = parseFrontProxy(configMap);
  return typeof proxy === "string" ? `ConfigMap ${NAMESPACE}/${NAME}: ${proxy}` : proxy;
}

/** Calls back when the configuration changes. What is not valid is reported, and the last one stays. */
export function followFrontProxy(
  client: KubeClient,
  signal: AbortSignal,
  onChange: (proxy: FrontProxy) => void,
  onTrouble: (message: string) => void,
): Promise<void> {
  return followKind({
    client,
    resource: CONFIG_MAPS,
    namespace: NAMESPACE,
    fieldSelector: `metadata.name=${NAME}`,
    signal,
    onTrouble: (error) => {
      if (error !== undefined) onTrouble(error.message);
    },
    onChanges: ({ upserted }) => {
      for (const configMap of upserted) {
        const proxy = parse(configMap);
        if (typeof proxy === "string") onTrouble(proxy);
        else onChange(proxy);
      }
    },
  });
}
