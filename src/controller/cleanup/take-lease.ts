/** Takes the Lease of the controller for good, so that no replica writes status again. */
import { isConflict } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { createObject, getObject, updateObject } from "../../adapters/cluster/client/object-requests.ts";
import { type JsonObject, objectAt, textAt } from "../../core/model/json.ts";

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** The field that names the process. */
const OWNER_FIELD = "holderIdentity";
const LEASES = { group: "coordination.k8s.io", version: "v1", plural: "leases" };
const OWNER = "prevail-cleanup";
/** Ten years: replicas count from when they first see the Lease, so it never expires for one that runs. */
const DURATION_SECONDS = 315_360_000;
const MAX_ATTEMPTS = 10;

/** Returns the replica that owned the Lease: it may write until its own deadline. Undefined if there was none. */
export async function takeLease(
  client: KubeClient,
  { namespace, name }: LeaseName,
  nowMs: number,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const lease = await getObject(client, LEASES, { namespace, name });
    const before = textAt(objectAt(lease, "spec"), OWNER_FIELD);
    const taken = leaseAfter(lease, { namespace, name }, nowMs);
    try {
      await (lease === undefined ? createObject(client, LEASES, taken) : updateObject(client, LEASES, taken));
      return before === "" || before === OWNER ? undefined : before;
    } catch (error) {
      // The leader renews its Lease every two seconds.
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function leaseAfter(lease: JsonObject | undefined, metadata: LeaseName, nowMs: number): JsonObject {
  const now = new Date(nowMs).toISOString().replace("Z", "000Z");
  return {
    ...(lease ?? { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { ...metadata } }),
    spec: {
      ...objectAt(lease, "spec"),
      [OWNER_FIELD]: OWNER,
      leaseDurationSeconds: DURATION_SECONDS,
      acquireTime: now,
      renewTime: now,
    },
  };
}
