/** Takes back everything that the controller has written into a cluster, and what it has created for Gateways. */
import { setTimeout as sleep } from "node:timers/promises";
import { isNotFound } from "../../adapters/cluster/client/api-error.ts";
import { discoverResources } from "../../adapters/cluster/client/discover-resources.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { type ApiObjectName, nameOf } from "../../adapters/cluster/client/object-requests.ts";
import { type ApiResource, resourceName, resourcePath } from "../../adapters/cluster/client/resource.ts";
import { COVERAGE_RULE } from "../../core/check/coverage/check-coverage.ts";
import { evaluate } from "../../core/evaluate.ts";
import { worldOf } from "../../core/evaluation.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { writtenRef } from "../../core/model/kube-object.ts";
import { type GroupKind, type KindId, kindId } from "../../core/model/refs.ts";
import { buildSnapshot } from "../../core/model/snapshot.ts";
import { policyConditionsIn } from "../../core/status/former-conditions.ts";
import { mergeStatus } from "../../core/status/merge-status.ts";
import { NOTHING_WANTED, type WantedStatus } from "../../core/status/wanted-status.ts";
import { VIEW_GROUP, VIEW_VERSION } from "../../core/view/view-resources.ts";
import { knownDefinitions } from "../../definitions/known-definitions.ts";
import { readCluster } from "../../sources/cluster/read-cluster.ts";
import { type KindOwner, ownsKind } from "../report/owns-kind.ts";
import { formatTime } from "../report/status-writer.ts";
import {
  findWritten,
  mayBePolicyKind,
  mayBeWritten,
  type WithdrawOptions,
  withdrawalOptions,
  withdrawObject,
} from "../report/withdraw-object.ts";
import { removeClassFinalizers } from "./remove-class-finalizers.ts";
import { removeGatewayObjects } from "./remove-gateway-objects.ts";
import { type LeaseName, takeLease } from "./take-lease.ts";

/** Owned kinds: those whose status the controller wrote. */
export interface CleanupOptions extends KindOwner {
  readonly client: KubeClient;
  /** Kinds other than Gateway API's that got `Affected` conditions. */
  readonly isReported: (kind: GroupKind) => boolean;
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

/** The status that stays of an object, and whether its kind is known to be one of policies. */
interface Withdrawn extends Pick<WithdrawOptions, "isPolicyKind"> {
  readonly wanted: WantedStatus;
}

async function withdrawAll(options: CleanupOptions): Promise<readonly string[]> {
  const { client, lease, signal, note } = options;
  const { objects, resources, findings } = await readCluster(client, { namespaces: [lease.namespace], signal });
  const byKind = new Map<KindId, ApiResource>(resources.map((resource) => [kindId(resource), resource]));
  const failures = findings.map(({ message }) => message);
  const wantedOf = nothingWanted(objects, options);
  const withdrawn = new Set<string>();
  const attempt = async (resource: ApiResource, name: ApiObjectName, step: () => Promise<boolean>): Promise<void> => {
    if (signal.aborted) return;
    const where = `${resourceName(resource)} ${name.namespace === undefined ? "" : `${name.namespace}/`}${name.name}`;
    try {
      if (await step()) withdrawn.add(where);
    } catch (error) {
      failures.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const leftBehind = await findLeftBehind(byKind, options, failures);
  for (const part of PARTS) {
    for (const object of objects) {
      const resource = byKind.get(kindId(writtenRef(object)));
      if (resource === undefined) continue;
      const how = { ...options, ...wantedOf(resource), part };
      await attempt(resource, nameOf(object), () => withdraw(object, resource, how));
    }
    for (const { resource, name } of leftBehind)
      await attempt(resource, name, () => withdrawNamed(name, resource, { ...options, ...wantedOf(resource), part }));
  }
  const of = `conditions, entries and annotations of ${withdrawn.size} ${withdrawn.size === 1 ? "object" : "objects"}`;
  note(`${options.isDryRun ? "would withdraw" : "withdrew"} ${of}`);
  return failures;
}

/** Objects of kinds that no definition names any more, in which this controller's field manager has written. */
async function findLeftBehind(
  known: ReadonlyMap<KindId, unknown>,
  { client, controllerName, signal }: CleanupOptions,
  failures: string[],
): Promise<readonly { readonly resource: ApiResource; readonly name: ApiObjectName }[]> {
  const { resources } = await discoverResources(client, signal);
  const found: { readonly resource: ApiResource; readonly name: ApiObjectName }[] = [];
  for (const resource of resources) {
    if (known.has(kindId(resource)) || !mayBeWritten(resource)) continue;
    try {
      for (const name of await findWritten(client, resource, controllerName, signal)) found.push({ resource, name });
    } catch (error) {
      if (signal.aborted) return [];
      failures.push(`${resourceName(resource)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return found;
}

/** Where the kind is owned, all conditions of a policy without ancestors are withdrawn; elsewhere those that this controller wrote, as managed fields say. */
function nothingWanted(objects: readonly unknown[], owner: KindOwner): (kind: GroupKind) => Withdrawn {
  const { rulebook } = worldOf(evaluate(buildSnapshot(objects, { validated: true }), knownDefinitions()));
  const withoutAncestors: WantedStatus = { ...NOTHING_WANTED, conditions: [] };
  const wantedOf = (kind: GroupKind): WantedStatus => {
    if (kindId(kind) === COVERAGE_RULE) return { ...NOTHING_WANTED, isOwn: true };
    const definition = rulebook.byPolicyKind.get(kindId(kind))?.definition;
    if (definition === undefined || definition.status.ancestors !== "None") return NOTHING_WANTED;
    return ownsKind(owner, definition) ? withoutAncestors : NOTHING_WANTED;
  };
  return (kind) => ({ wanted: wantedOf(kind), isPolicyKind: rulebook.byPolicyKind.has(kindId(kind)) });
}

/** The parts of objects in the order in which they are withdrawn. An annotation is a change of the object itself. */
const PARTS = ["status", "annotations"] as const;

interface PartOptions extends CleanupOptions, Withdrawn {
  readonly part: (typeof PARTS)[number];
}

/** Removes our entries and conditions, or our annotations, from one object. True if there were any. */
async function withdraw(seen: JsonObject, resource: ApiResource, options: PartOptions): Promise<boolean> {
  const { controllerName, nowMs, part, wanted } = options;
  const mayHaveFormer = part === "status" && mayBePolicyKind(resource) && policyConditionsIn(seen).length > 0;
  const { changes } = mergeStatus(seen, wanted, withdrawalOptions(controllerName, formatTime(nowMs())));
  if (!changes[part] && !mayHaveFormer) return false;
  return withdrawNamed(nameOf(seen), resource, options);
}

async function withdrawNamed(
  name: ApiObjectName,
  resource: ApiResource,
  { client, controllerName, isReported, isDryRun, nowMs, signal, part, wanted, isPolicyKind }: PartOptions,
): Promise<boolean> {
  const outcome = await withdrawObject({
    client,
    controllerName,
    resource,
    name,
    part,
    wanted,
    isPolicyKind,
    isReported,
    beforeWrite: async () => (isDryRun ? undefined : {}),
    now: () => formatTime(nowMs()),
    signal,
  });
  return outcome !== "Nothing";
}
