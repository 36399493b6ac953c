import { isForbidden, isServerFailure } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { type ApiResource, resourcePath } from "../../adapters/cluster/client/resource.ts";
import type { Finding } from "../../core/model/finding.ts";
import { unlistableFinding } from "./cluster-findings.ts";

export interface ListableScopes {
  /** The namespaces in which the resource may be listed: `[undefined]` for all. */
  readonly scopes: readonly (string | undefined)[];
  /** Why it cannot be listed, if it is not a matter of rights. */
  readonly failure: Finding | undefined;
}

/** Asks where a resource may be listed: over all namespaces, else in each of the given ones. */
export async function findScopes(
  client: KubeClient,
  resource: ApiResource,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<ListableScopes> {
  try {
    if (await mayList(client, resource, undefined, signal)) return { scopes: [undefined], failure: undefined };
    if (!resource.isNamespaced) return { scopes: [], failure: undefined };
    const allowed = await Promise.all(
      namespaces.map(async (one) => ((await mayList(client, resource, one, signal)) ? [one] : [])),
    );
    return { scopes: allowed.flat(), failure: undefined };
  } catch (error) {
    // One kind that the server cannot list, such as one whose conversion webhook is down, is a caveat. Refused credentials are not.
    if (!isServerFailure(error)) throw error;
    return { scopes: [], failure: unlistableFinding(resource, error) };
  }
}

export async function mayList(
  client: KubeClient,
  resource: ApiResource,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.request({ path: resourcePath(resource, namespace), query: { limit: "1" }, signal });
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}
