/** Deletes what the controller has created for Gateways in its own namespace: their Envoys, with the Services. */
import { isConflict, isNotFound } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { listObjects } from "../../adapters/cluster/client/list-objects.ts";
import { deleteObject, getObject } from "../../adapters/cluster/client/object-requests.ts";
import { type ApiResource, resourceName } from "../../adapters/cluster/client/resource.ts";
import { objectKey } from "../../adapters/cluster/follow/object-key.ts";
import { gatewayOfObject, INFRASTRUCTURE_LABEL } from "../../core/infrastructure/object-names.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { INFRASTRUCTURE_RESOURCES } from "../infrastructure/infrastructure-writer.ts";

export interface RemoveGatewayObjectsOptions {
  readonly client: KubeClient;
  /** Objects of other controllers stay. */
  readonly controllerName: string;
  /** The namespace of the controller. */
  readonly namespace: string;
  /** True: nothing is deleted, and the notes say what would be. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
}

const MAX_ATTEMPTS = 8;

/** No replica may write any more. Returns what could not be deleted. */
export async function removeGatewayObjects(options: RemoveGatewayObjectsOptions): Promise<readonly string[]> {
  const { client, controllerName, namespace, isDryRun, signal, note } = options;
  const failures: string[] = [];
  // The reverse of the order in which they are created: a Pod does not miss what it mounts.
  for (const resource of [...INFRASTRUCTURE_RESOURCES].reverse()) {
    if (signal.aborted) break;
    try {
      const { items } = await listObjects(client, resource, { namespace, labelSelector: INFRASTRUCTURE_LABEL, signal });
      for (const object of items) {
        const gateway = gatewayOfObject(object, controllerName);
        if (gateway === undefined || signal.aborted) continue;
        const what = `${resource.kind} ${objectKey(object)} of Gateway ${gateway}`;
        if (isDryRun) note(`would delete ${what}`);
        else if (await removeOne(options, resource, object)) note(`deleted ${what}`);
      }
    } catch (error) {
      failures.push(`${resourceName(resource)} of Gateways: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return failures;
}

/** True if it was there. An object whose status changes at the same time is read again. */
async function removeOne(
  { client, controllerName, signal }: RemoveGatewayObjectsOptions,
  resource: ApiResource,
  seen: JsonObject,
): Promise<boolean> {
  const [namespace = "", name = ""] = objectKey(seen).split("/");
  let object: JsonObject | undefined = seen;
  for (let attempt = 1; object !== undefined && gatewayOfObject(object, controllerName) !== undefined; attempt++) {
    try {
      await deleteObject(client, resource, object, { signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
    object = await getObject(client, resource, { namespace, name }, { signal });
  }
  return false;
}
