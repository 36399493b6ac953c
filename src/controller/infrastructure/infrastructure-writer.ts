/** Applies what Gateways need, and removes what they do not need any more. */
import { isConflict, isNotFound } from "../../adapters/cluster/client/api-error.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { applyObject, deleteObject, getObject } from "../../adapters/cluster/client/object-requests.ts";
import type { ApiResource } from "../../adapters/cluster/client/resource.ts";
import { trimObject } from "../../adapters/cluster/client/trim-object.ts";
import { type FollowCounts, followKind } from "../../adapters/cluster/follow/kind-follower.ts";
import { objectKey } from "../../adapters/cluster/follow/object-key.ts";
import type { ObservedInfrastructure } from "../../core/infrastructure/infrastructure-state.ts";
import type { GatewayInfrastructure } from "../../core/infrastructure/infrastructure-types.ts";
import { fingerprint, gatewayOfObject, INFRASTRUCTURE_LABEL } from "../../core/infrastructure/object-names.ts";
import { canonicalJson, type Json, type JsonObject, jsonEqual, objectAt, textAt } from "../../core/model/json.ts";
import { WorkQueue } from "../report/work-queue.ts";
import { type ClientAuthority, type ClientCertificateOptions, clientSecretData } from "./client-certificates.ts";
import { hasAll, projectOnto } from "./same-object.ts";

export interface InfrastructureWriterOptions {
  readonly client: KubeClient;
  /** Objects of other controllers are left alone. */
  readonly controllerName: string;
  /** The namespace in which the objects are. */
  readonly namespace: string;
  /** How much longer this process may write; 0 if it does not lead. */
  readonly remainingMs: () => number;
  /** The subject and the names of the certificate for the Envoys of a Gateway. */
  readonly certificateOf: (infrastructure: GatewayInfrastructure) => Omit<ClientCertificateOptions, "nowMs">;
  /** An object of a Gateway has changed, or could not be written. */
  readonly onChange: () => void;
  readonly note: (message: string) => void;
  /** Something cannot be followed for now; undefined when it can again. */
  readonly onTrouble: (what: string, error: Error | undefined) => void;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly counts?: FollowCounts | undefined;
}

/** The wanted objects of a Gateway. `kept`: its objects stay as they are, and the reason why the wanted ones are not known. */
export type WantedInfrastructure = GatewayInfrastructure | { readonly kept: string };

/** The manager of the fields that are applied (Kubernetes, "Server-Side Apply"). */
const FIELD_MANAGER = "prevail-infrastructure";
/** The annotation with a fingerprint of what was applied: what is not wanted any more has to be applied, too. */
const APPLIED = "prevail.dev/applied";

const resource = (group: string, kind: string, plural: string): ApiResource => ({
  group,
  version: "v1",
  kind,
  plural,
  isNamespaced: true,
  verbs: ["get", "list", "watch", "patch", "delete"],
  shortNames: [],
  hasStatus: false,
});
const SECRETS = resource("", "Secret", "secrets");
const DEPLOYMENTS = resource("apps", "Deployment", "deployments");
const SERVICES = resource("", "Service", "services");
/** The kinds of the objects of a Gateway. */
export const INFRASTRUCTURE_RESOURCES: readonly ApiResource[] = [
  resource("", "ServiceAccount", "serviceaccounts"),
  resource("", "ConfigMap", "configmaps"),
  SECRETS,
  DEPLOYMENTS,
  resource("policy", "PodDisruptionBudget", "poddisruptionbudgets"),
  SERVICES,
];

const WORKERS = 4;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const WRITE_DEADLINE_MS = 10_000;
/** A Gateway that is gone may come back, with its class or after a restart of the API server. */
const REMOVE_AFTER_MS = 5000;
/** How often certificates are looked at. */
const RENEW_MS = 30 * 60_000;

/** The state of one Gateway, by `namespace/name`. */
interface Record {
  wanted: WantedInfrastructure | undefined;
  /** Since when it is not wanted. */
  goneMs: number | undefined;
  failures: number;
  problem: string | undefined;
}

/**
 * Writing is level-triggered. After each change of what is wanted, and of an object of its own, the objects of the Gateway are compared,
 * and those that differ are applied. What equals is not written. A Gateway whose objects cannot be written says why, and there are further
 * attempts; others do not wait for it.
 */
export class InfrastructureWriter {
  readonly #options: InfrastructureWriterOptions;
  readonly #records = new Map<string, Record>();
  /** The objects with our label, by resource and `namespace/name`. */
  readonly #live = new Map<ApiResource, Map<string, JsonObject>>(
    INFRASTRUCTURE_RESOURCES.map((one) => [one, new Map()]),
  );
  readonly #synced = new Set<ApiResource>();
  /** The values that the API server stored for an object that was applied: it may write a value in another way. */
  readonly #settled = new Map<string, { readonly wanted: Json; readonly projection: Json }>();
  readonly #queue: WorkQueue<string>;
  #authority: ClientAuthority | undefined;
  #isComplete = false;

  constructor(options: InfrastructureWriterOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({
      workers: WORKERS,
      work: (key) => this.#work(key),
      monotonicMs: options.monotonicMs,
    });
  }

  /** `isComplete`: Gateways that are not in the table do not exist, so that their objects are removed. */
  want(wanted: ReadonlyMap<string, WantedInfrastructure>, { isComplete }: { readonly isComplete: boolean }): void {
    const becomesComplete = isComplete && !this.#isComplete;
    this.#isComplete = isComplete;
    const nowMs = this.#options.monotonicMs();
    for (const [key, record] of this.#records) {
      if (wanted.has(key) || record.wanted === undefined) continue;
      record.wanted = undefined;
      record.goneMs = nowMs;
      this.#queue.add(key);
    }
    for (const [key, infrastructure] of wanted) {
      const record = this.#recordOf(key);
      if (record.wanted === infrastructure) continue;
      record.wanted = infrastructure;
      record.goneMs = undefined;
      this.#queue.add(key);
    }
    if (!becomesComplete) return;
    // Only from now on it is known what is gone.
    for (const record of this.#records.values()) if (record.wanted === undefined) record.goneMs = nowMs;
    this.#addAll();
  }

  /** This authority signs certificates from now on. */
  useAuthority(authority: ClientAuthority): void {
    this.#authority = authority;
    this.#addAll();
  }

  /** This replica writes from now on. */
  lead(): void {
    this.#addAll();
  }

  /** The objects of a Gateway as they are. */
  observe({ namespace, name }: { readonly namespace: string; readonly name: string }): ObservedInfrastructure {
    const record = this.#records.get(`${namespace}/${name}`);
    const wanted = record?.wanted;
    const found =
      wanted !== undefined && "name" in wanted
        ? `${wanted.namespace}/${wanted.name}`
        : this.#keptName(`${namespace}/${name}`);
    const deployment = this.#live.get(DEPLOYMENTS)?.get(found);
    const kept = wanted !== undefined && "kept" in wanted && deployment === undefined ? wanted.kept : undefined;
    return { service: this.#live.get(SERVICES)?.get(found), deployment, problem: record?.problem ?? kept };
  }

  /** Follows and writes until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#queue.open();
    const renewing = setInterval(() => this.#addAll(), RENEW_MS);
    renewing.unref();
    try {
      await Promise.all(INFRASTRUCTURE_RESOURCES.map((one) => this.#follow(one, signal)));
    } finally {
      clearInterval(renewing);
      await this.#queue.close();
    }
  }

  #follow(followed: ApiResource, signal: AbortSignal): Promise<void> {
    const { client, namespace, controllerName, onChange, onTrouble, counts } = this.#options;
    return followKind({
      client,
      resource: followed,
      namespace,
      labelSelector: INFRASTRUCTURE_LABEL,
      signal,
      ...(counts === undefined ? {} : { counts }),
      onTrouble: (error) => onTrouble(`${followed.plural} of Gateways`, error),
      onChanges: ({ upserted, deleted }) => {
        const live = this.#live.get(followed) ?? new Map<string, JsonObject>();
        for (const object of upserted) live.set(objectKey(object), object);
        for (const object of deleted) live.delete(objectKey(object));
        const isFirst = !this.#synced.has(followed);
        this.#synced.add(followed);
        if (isFirst) this.#addAll();
        for (const object of [...upserted, ...deleted]) {
          const key = gatewayOfObject(object, controllerName);
          if (key !== undefined) this.#queue.add(key);
        }
        onChange();
      },
    });
  }

  #addAll(): void {
    const { controllerName } = this.#options;
    for (const key of this.#records.keys()) this.#queue.add(key);
    for (const objects of this.#live.values()) {
      for (const object of objects.values()) {
        const key = gatewayOfObject(object, controllerName);
        if (key !== undefined) this.#queue.add(key);
      }
    }
  }

  #recordOf(key: string): Record {
    let record = this.#records.get(key);
    if (record === undefined) {
      record = { wanted: undefined, goneMs: this.#options.monotonicMs(), failures: 0, problem: undefined };
      this.#records.set(key, record);
    }
    return record;
  }

  /** The name of the objects of a Gateway whose own name says nothing now. */
  #keptName(key: string): string {
    for (const object of this.#live.get(DEPLOYMENTS)?.values() ?? []) {
      if (gatewayOfObject(object, this.#options.controllerName) === key) return objectKey(object);
    }
    return "";
  }

  /** Undefined: done; a number: again after that time. */
  async #work(key: string): Promise<number | undefined> {
    const record = this.#recordOf(key);
    if (this.#options.remainingMs() <= 0 || this.#synced.size < INFRASTRUCTURE_RESOURCES.length) return undefined;
    try {
      const againMs = await this.#attempt(key, record);
      record.failures = 0;
      this.#report(key, record, undefined);
      return againMs;
    } catch (error) {
      // The object has changed since it was read: the watch brings the newer one.
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(record.failures, 10), LONGEST_WAIT_MS);
      record.failures++;
      if (!isConflict(error)) this.#report(key, record, error instanceof Error ? error.message : String(error));
      return waitMs;
    }
  }

  #report(key: string, record: Record, problem: string | undefined): void {
    if (record.problem === problem) return;
    record.problem = problem;
    this.#options.note(
      problem === undefined
        ? `the objects of Gateway ${key} can be written again`
        : `the objects of Gateway ${key} cannot be written: ${problem}`,
    );
    this.#options.onChange();
  }

  async #attempt(key: string, record: Record): Promise<number | undefined> {
    const { wanted, goneMs } = record;
    if (wanted !== undefined && "kept" in wanted) return undefined;
    if (wanted === undefined) return this.#removeAll(key, record, goneMs ?? 0);
    const objects = await this.#withSecret(wanted);
    if (objects === undefined) return FIRST_WAIT_MS;
    const names = new Set(objects.map((object) => `${textAt(object, "kind")} ${objectKey(object)}`));
    for (const object of objects) await this.#ensure(key, object);
    for (const [from, live] of this.#live) {
      if (wanted.keeps.includes(from.kind)) continue;
      for (const [name, object] of live) {
        const isOurs = gatewayOfObject(object, this.#options.controllerName) === key;
        if (isOurs && !names.has(`${from.kind} ${name}`)) await this.#remove(from, object);
      }
    }
    return undefined;
  }

  /** The objects with the Secret of the Envoys, which is there before the Pods that mount it. Undefined: there is no authority yet. */
  async #withSecret(wanted: GatewayInfrastructure): Promise<readonly JsonObject[] | undefined> {
    if (this.#authority === undefined) return undefined;
    const { namespace, name, secretMetadata, objects } = wanted;
    const existing = this.#live.get(SECRETS)?.get(`${namespace}/${name}`);
    const data = await clientSecretData(existing, this.#authority, {
      ...this.#options.certificateOf(wanted),
      nowMs: this.#options.nowMs(),
    });
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { ...secretMetadata },
      type: "kubernetes.io/tls",
      data,
    };
    return [secret, ...objects];
  }

  async #ensure(key: string, object: JsonObject): Promise<void> {
    const { client, remainingMs, controllerName } = this.#options;
    const of = INFRASTRUCTURE_RESOURCES.find(({ kind }) => kind === object["kind"]);
    if (of === undefined) throw new Error(`no resource for ${textAt(object, "kind")}`);
    const wanted = withMark(object);
    const name = objectKey(wanted);
    const live = this.#live.get(of);
    const seen = live?.get(name);
    const id = `${of.kind} ${name}`;
    if (seen !== undefined && this.#isSettled(id, seen, wanted)) return;
    const [namespace = "", own = ""] = name.split("/");
    // An object without our label is not followed.
    const existing = seen ?? (await getObject(client, of, { namespace, name: own }));
    if (existing !== undefined && gatewayOfObject(existing, controllerName) !== key)
      throw new Error(`${of.kind} ${name} exists and is not an object of the Gateway: rename or delete it`);
    if (remainingMs() <= 0) return;
    const deadlineMs = Math.max(1, Math.floor(Math.min(WRITE_DEADLINE_MS, remainingMs())));
    const applied = trimObject(
      await applyObject(client, of, wanted, { fieldManager: FIELD_MANAGER, force: true, deadlineMs }),
    );
    this.#settled.set(id, { wanted, projection: projectOnto(applied, wanted) });
    // Until the watch has it, nothing is written again.
    if (live?.get(name) === seen) live?.set(name, applied);
  }

  #isSettled(id: string, seen: JsonObject, wanted: JsonObject): boolean {
    if (hasAll(seen, wanted)) return true;
    const settled = this.#settled.get(id);
    return (
      settled !== undefined &&
      jsonEqual(settled.wanted, wanted) &&
      jsonEqual(projectOnto(seen, wanted), settled.projection)
    );
  }

  async #removeAll(key: string, record: Record, goneMs: number): Promise<number | undefined> {
    if (!this.#isComplete) return undefined;
    const leftMs = goneMs + REMOVE_AFTER_MS - this.#options.monotonicMs();
    if (leftMs > 0) return leftMs;
    let count = 0;
    for (const [from, live] of this.#live) {
      for (const object of live.values()) {
        if (gatewayOfObject(object, this.#options.controllerName) !== key) continue;
        count++;
        await this.#remove(from, object);
      }
    }
    if (count > 0) this.#options.note(`removed the objects of Gateway ${key}, which is gone`);
    if (record.wanted === undefined) this.#records.delete(key);
    return undefined;
  }

  async #remove(from: ApiResource, object: JsonObject): Promise<void> {
    if (this.#options.remainingMs() <= 0 || textAt(objectAt(object, "metadata"), "deletionTimestamp") !== "") return;
    this.#settled.delete(`${from.kind} ${objectKey(object)}`);
    await deleteObject(this.#options.client, from, object).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

function withMark(object: JsonObject): JsonObject {
  const metadata = objectAt(object, "metadata");
  const annotations = { ...objectAt(metadata, "annotations"), [APPLIED]: fingerprint(canonicalJson(object)) };
  return { ...object, metadata: { ...metadata, annotations } };
}
