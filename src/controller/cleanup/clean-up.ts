/** Takes back everything that the controller has written into a cluster, and what it has created for Gateways. */
import { setTimeout as sleep } from "node:timers/promises";
import { isConflict, isNotFound } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { getObject, updateObject, updateStatus } from "../../adapters/cluster/client/object-requests.ts";
import { type ApiResource, resourceName, resourcePath } from "../../adapters/cluster/client/resource.ts";
import { COVERAGE_RULE } from "../../core/check/coverage/check-coverage.ts";
import { evaluate } from "../../core/evaluate.ts";
import { worldOf } from "../../core/evaluation.ts";
import { type JsonObject, objectAt, ownValue } from "../../core/model/json.ts";
import { type GroupKind, type KindId, kindId } from "../../core/model/refs.ts";
import { buildSnapshot } from "../../core/model/snapshot.ts";
import { isAffectedTypeOf } from "../../core/status/affected-type.ts";
import { mergeStatus } from "../../core/status/merge-status.ts";
import { NOTHING_WANTED, type WantedStatus } from "../../core/status/wanted-status.ts";
import { VIEW_GROUP, VIEW_VERSION } from "../../core/view/view-resources.ts";
import { knownDefinitions } from "../../definitions/known-definitions.ts";
import { readCluster } from "../../sources/cluster/read-cluster.ts";
import { type KindOwner, ownsKind } from "../report/owns-kind.ts";
import { FIELD_MANAGER } from "../report/status-writer.ts";
import { removeClassFinalizers } from "./remove-class-finalizers.ts";
import { removeGatewayObjects } from "./remove-gateway-objects.ts";
import { type LeaseName, takeLease } from "./take-lease.ts";

/** Owned kinds: those whose status the controller wrote. */
export interface CleanupOptions extends KindOwner {
  readonly client: KubeClient;
  readonly lease: LeaseName;
  /** How long a replica that has lost the Lease may go on. */
  readonly renewDeadlineMs: number;
  /** True: nothing is written or deleted, and the notes say what would be. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly note: (message: string) => void;
}

const API_SERVICE = {
  resource: { group: "apiregistration.k8s.io", version: "v1", plural: "apiservices" },
  kind: "APIService",
  name: `${VIEW_VERSION}.${VIEW_GROUP}`,
};
const WEBHOOKS = ["prevail-warn", "prevail-deny", "prevail-warn-found", "prevail-deny-found"].map((name) => ({
  resource: { group: "admissionregistration.k8s.io", version: "v1", plural: "validatingwebhookconfigurations" },
  kind: "ValidatingWebhookConfiguration",
  name,
}));
const MAX_ATTEMPTS = 8;

/**
 * The APIService goes first: without a controller behind it, no namespace can be deleted. Then webhooks, the objects of Gateways, finalizers, and status. The Lease is taken
 * before, so that replicas that still run do not write again. Returns what could not be done.
 */
export async function cleanUp(options: CleanupOptions): Promise<readonly string[]> {
  const { client, lease, renewDeadlineMs, isDryRun, signal, nowMs, note } = options;
  const leader = isDryRun ? undefined : await takeLease(client, lease, nowMs());
  note(
    isDryRun
      ? `dry run: nothing is written, and the Lease ${lease.namespace}/${lease.name} is not taken`
      : `took the Lease ${lease.namespace}/${lease.name}: no replica writes status any more`,
  );
  for (const { resource, kind, name } of [API_SERVICE, ...WEBHOOKS]) {
    const path = resourcePath(resource, undefined, name);
    if (await request(client, isDryRun ? "GET" : "DELETE", path))
      note(`${isDryRun ? "would delete" : "deleted"} ${kind} ${name}`);
  }
  if (leader !== undefined) {
    note(`waiting ${renewDeadlineMs / 1000} s, until ${leader} has ended its writes`);
    await sleep(renewDeadlineMs, undefined, { signal }).catch(() => undefined);
  }
  const failures = [
    ...(await removeGatewayObjects({ ...options, namespace: lease.namespace })),
    ...(await removeClassFinalizers(options)),
  ];
  return signal.aborted ? ["it was interrupted: run it again"] : [...failures, ...(await withdrawAll(options))];
}

/** True if it was there. */
async function request(client: KubeClient, method: "GET" | "DELETE", path: string): Promise<boolean> {
  try {
    await client.request({ method, path });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function withdrawAll(options: CleanupOptions): Promise<readonly string[]> {
  const { client, lease, signal, note } = options;
  const { objects, resources, findings } = await readCluster(client, { namespaces: [lease.namespace], signal });
  const byKind = new Map<KindId, ApiResource>(resources.map((resource) => [kindId(resource), resource]));
  const failures = findings.map(({ message }) => message);
  const wantedOf = nothingWanted(objects, options);
  const withdrawn = new Set<JsonObject>();
  for (const part of PARTS) {
    for (const object of objects) {
      const resource = byKind.get(kindIdOf(object));
      if (resource === undefined || signal.aborted) continue;
      try {
        if (await withdraw(object, resource, { ...options, part, wanted: wantedOf(resource) })) withdrawn.add(object);
      } catch (error) {
        const { namespace, name } = nameOf(object);
        const where = namespace === undefined ? name : `${namespace}/${name}`;
        failures.push(`${resourceName(resource)} ${where}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  const of = `conditions, entries and annotations of ${withdrawn.size} ${withdrawn.size === 1 ? "object" : "objects"}`;
  note(`${options.isDryRun ? "would withdraw" : "withdrew"} ${of}`);
  return failures;
}

/** The conditions of a policy without ancestors have no owner, so they are withdrawn where the kind is owned. */
function nothingWanted(objects: readonly unknown[], owner: KindOwner): (kind: GroupKind) => WantedStatus {
  const { rulebook } = worldOf(evaluate(buildSnapshot(objects, { validated: true }), knownDefinitions()));
  const withoutAncestors: WantedStatus = { ...NOTHING_WANTED, conditions: [] };
  return (kind) => {
    if (kindId(kind) === COVERAGE_RULE) return { ...NOTHING_WANTED, isOwn: true };
    const definition = rulebook.byPolicyKind.get(kindId(kind))?.definition;
    if (definition === undefined || definition.status.ancestors !== "None") return NOTHING_WANTED;
    return ownsKind(owner, definition) ? withoutAncestors : NOTHING_WANTED;
  };
}

/** The parts of objects in the order in which they are withdrawn. An annotation is a change of the object itself. */
const PARTS = ["status", "annotations"] as const;

interface WithdrawOptions extends CleanupOptions {
  readonly part: (typeof PARTS)[number];
  readonly wanted: WantedStatus;
}

/** Removes our entries and conditions, or our annotations, from one object. True if there were any. */
async function withdraw(
  seen: JsonObject,
  resource: ApiResource,
  { client, controllerName, isDryRun, nowMs, signal, part, wanted }: WithdrawOptions,
): Promise<boolean> {
  const options = {
    controllerName,
    isOurs: isAffectedTypeOf(controllerName),
    mayChangeAncestors: true,
    // Entries of routes that this controller wrote as that of a GatewayClass; the status of Gateways stays.
    implementsGatewayApi: true,
    now: `${new Date(nowMs()).toISOString().slice(0, 19)}Z`,
  };
  if (!mergeStatus(seen, wanted, options).changes[part]) return false;
  if (isDryRun) return true;
  const put = part === "status" ? updateStatus : updateObject;
  for (let attempt = 1; ; attempt++) {
    // The whole object: what was listed has no managed fields.
    const object = await getObject(client, resource, nameOf(seen), { signal });
    const merged = object && mergeStatus(object, wanted, options);
    if (merged?.object === undefined || !merged.changes[part]) return true;
    const next = merged.object;
    try {
      await put(client, resource, next, { fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (!isConflict(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

function nameOf(object: JsonObject): { readonly namespace?: string; readonly name: string } {
  const { namespace, name } = objectAt(object, "metadata");
  return { name: typeof name === "string" ? name : "", ...(typeof namespace === "string" ? { namespace } : {}) };
}

function kindIdOf(object: JsonObject): KindId {
  const apiVersion = ownValue(object, "apiVersion");
  const kind = ownValue(object, "kind");
  const group = typeof apiVersion === "string" && apiVersion.includes("/") ? (apiVersion.split("/", 1)[0] ?? "") : "";
  return kindId({ group, kind: typeof kind === "string" ? kind : "" });
}
