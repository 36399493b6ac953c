/** Removes the finalizer of the controller from its GatewayClasses, so that they can be deleted without it. */
import { isConflict, isNotFound } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { listObjects } from "../../adapters/cluster/client/list-objects.ts";
import { getObject, updateObject } from "../../adapters/cluster/client/object-requests.ts";
import { controllerOf } from "../../core/effective/world/gateway-controllers.ts";
import { withFinalizer } from "../../core/gateway-status/class-finalizer.ts";
import { type JsonObject, objectAt, textAt } from "../../core/model/json.ts";
import { FINALIZER_MANAGER, GATEWAY_CLASSES } from "../gateways/class-finalizers.ts";

export interface RemoveClassFinalizersOptions {
  readonly client: KubeClient;
  /** Classes of other controllers stay as they are. */
  readonly controllerName: string;
  /** True: nothing is written, and the notes say what would be. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly note: (message: string) => void;
}

const MAX_ATTEMPTS = 8;

/** Returns what could not be done. */
export async function removeClassFinalizers(options: RemoveClassFinalizersOptions): Promise<readonly string[]> {
  const { client, signal, note, isDryRun } = options;
  const failures: string[] = [];
  try {
    const { items } = await listObjects(client, GATEWAY_CLASSES, { signal });
    for (const object of items) {
      const what = `finalizer of GatewayClass ${textAt(objectAt(object, "metadata"), "name")}`;
      if (signal.aborted || withoutFinalizer(object, options) === undefined) continue;
      try {
        if (isDryRun) note(`would remove the ${what}`);
        else if (await removeOne(object, options)) note(`removed the ${what}`);
      } catch (error) {
        failures.push(`${what}: ${messageOf(error)}`);
      }
    }
  } catch (error) {
    // Without Gateway API there are no classes.
    if (!isNotFound(error)) failures.push(`finalizers of GatewayClasses: ${messageOf(error)}`);
  }
  return failures;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** True if it was there. */
async function removeOne(seen: JsonObject, options: RemoveClassFinalizersOptions): Promise<boolean> {
  const { client, signal } = options;
  const name = textAt(objectAt(seen, "metadata"), "name");
  for (let attempt = 1; ; attempt++) {
    // The whole object: what was listed has no managed fields.
    const object = await getObject(client, GATEWAY_CLASSES, { name }, { signal });
    const next = object && withoutFinalizer(object, options);
    if (next === undefined) return false;
    try {
      await updateObject(client, GATEWAY_CLASSES, next, { fieldManager: FINALIZER_MANAGER, signal });
      return true;
    } catch (error) {
      // A class that waits for its deletion may go at any time.
      if (isNotFound(error)) return false;
      if (!isConflict(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

const withoutFinalizer = (
  object: JsonObject,
  { controllerName }: RemoveClassFinalizersOptions,
): JsonObject | undefined =>
  controllerOf(object) === controllerName ? withFinalizer(object, { isUsed: false }) : undefined;
