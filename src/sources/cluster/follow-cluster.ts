/** Follows a cluster: its objects once, then each change. Kinds that come and go with their CRDs are followed and dropped. */
import { isNotFound } from "../../adapters/cluster/client/api-error.ts";
import { type Discovery, discoverResources } from "../../adapters/cluster/client/discover-resources.ts";
import type { KubeClient } from "../../adapters/cluster/client/kube-client.ts";
import { type ApiResource, resourceName } from "../../adapters/cluster/client/resource.ts";
import { type FollowCounts, type FollowedChanges, followKind } from "../../adapters/cluster/follow/kind-follower.ts";
import { objectKey } from "../../adapters/cluster/follow/object-key.ts";
import type { Change } from "../../core/apply.ts";
import type { CompleteKind, Completeness } from "../../core/model/completeness.ts";
import type { Finding } from "../../core/model/finding.ts";
import type { JsonObject } from "../../core/model/json.ts";
import { type GroupKind, isNamespace, type KindId, kindId } from "../../core/model/refs.ts";
import type { KnownDefinitions } from "../../definitions/known-definitions.ts";
import { chooseResources, keepRules, kindsBehind, RULE_KINDS } from "./choose-resources.ts";
import {
  completeAsAbsent,
  forbiddenFindings,
  isCrdResource,
  noRights,
  polledFindings,
  staleFindings,
  unpublishedFindings,
  unservedFindings,
} from "./cluster-findings.ts";
import { findPolicyKinds, type PublishedKinds } from "./find-policy-kinds.ts";
import { findScopes, mayList } from "./find-scopes.ts";
import { type Followed, type FollowedScope, forbiddenOf } from "./followed.ts";
import { namespacesOf, type ReadProgress, readCluster } from "./read-cluster.ts";
import { ResourceTroubles } from "./resource-troubles.ts";

/** Everything that is known of a cluster at one moment. */
export interface ClusterState {
  readonly objects: readonly JsonObject[];
  /** The resources that are followed. */
  readonly resources: readonly ApiResource[];
  readonly completeness: Completeness;
  readonly findings: readonly Finding[];
}

export interface FollowClusterOptions {
  /** Where lists over all namespaces and the list of namespaces are forbidden, these are followed. */
  readonly namespaces: readonly string[];
  readonly signal: AbortSignal;
  /** The whole state: first, and again when a kind comes or goes. */
  readonly onState: (state: ClusterState) => void;
  /** Called with the changes since the last call. */
  readonly onChanges: (changes: readonly Change[]) => void;
  /** A resource cannot be followed for now; undefined when it can again. */
  readonly onTrouble?: (resource: string, error: Error | undefined) => void;
  /** Watches at a time; further ones would be a burden for the server, so their objects are read every `pollMs`, and that is a finding. */
  readonly maxWatches?: number | undefined;
  readonly pollMs?: number | undefined;
  /** How long after something could not be listed it is asked for again. */
  readonly askAgainMs?: number | undefined;
  /** Called while the first state is read. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /** The definitions beside those of the cluster. */
  readonly known?: KnownDefinitions | undefined;
  /** Counts lists and watches of all resources. */
  readonly counts?: FollowCounts | undefined;
  /** Kinds that are followed although no policy setting depends on them. */
  readonly also?: readonly GroupKind[] | undefined;
}

/** Changes that arrive together are reported together. */
const TOGETHER_MS = 20;
/** How long after a group did not respond its resources are looked for again. */
const LOOK_AGAIN_MS = 30_000;
/** How long after discovery was behind the CRDs it is asked again, at first. */
const FIRST_LOOK_MS = 500;
const MAX_WATCHES = 500;
/** The name for trouble with discovery, beside the names of resources. */
const DISCOVERY = "discovery";
const POLL_MS = 60_000;

/** Rejects if the cluster cannot be reached at first; later failures are retried. Returns when the signal aborts. */
export async function followCluster(client: KubeClient, options: FollowClusterOptions): Promise<void> {
  const follower = new ClusterFollower(client, options);
  await follower.start();
  await new Promise<void>((resolve) => {
    if (options.signal.aborted) resolve();
    options.signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

class ClusterFollower {
  readonly #client: KubeClient;
  readonly #options: FollowClusterOptions;
  readonly #rules: Followed[] = [];
  readonly #followed = new Map<string, Followed>();
  #findings: readonly Finding[] = [];
  #completeness: readonly CompleteKind[] = [];
  #namespaces: readonly string[] | undefined;
  /** Namespaces that may be read, but not listed. They are as they were at first. */
  #gotNamespaces: readonly JsonObject[] = [];
  #pending: Change[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #looking: NodeJS.Timeout | undefined;
  #lookMs = FIRST_LOOK_MS;
  #asking: NodeJS.Timeout | undefined;
  #watches = 0;
  readonly #troubles: ResourceTroubles;
  #flushedMs = 0;
  #isReady = false;
  readonly #progress = { kinds: 0, allKinds: 0, objects: 0 };
  /** Kinds are chosen one after the other; a further change of the rules during that begins it anew. */
  #choosing: Promise<void> = Promise.resolve();

  constructor(client: KubeClient, options: FollowClusterOptions) {
    this.#client = client;
    this.#options = options;
    this.#troubles = new ResourceTroubles((resource, error) => options.onTrouble?.(resource, error));
  }

  async start(): Promise<void> {
    const discovery = await discoverResources(this.#client, this.#options.signal);
    const rules = discovery.resources.filter((one) => RULE_KINDS.some((rule) => kindId(rule) === kindId(one)));
    for (const resource of rules) this.#rules.push(await this.#follow(resource, () => this.#rulesChanged()));
    await Promise.all(this.#rules.map(({ synced }) => synced));
    await this.#choose(discovery);
    const all = [...this.#rules, ...this.#followed.values()];
    if (all.every(({ complete }) => complete === undefined)) throw noRights(this.#client);
    this.#reportState();
  }

  /** A CRD or a PolicyDefinition changed: kinds may have come or gone, and every object may mean something else. */
  #rulesChanged(): void {
    if (!this.#isReady) return;
    this.#choosing = this.#choosing.then(async () => {
      if (this.#options.signal.aborted) return;
      try {
        await this.#choose(await discoverResources(this.#client, this.#options.signal));
        this.#options.onTrouble?.(DISCOVERY, undefined);
        this.#reportState();
      } catch (error) {
        this.#options.onTrouble?.(DISCOVERY, error instanceof Error ? error : new Error(String(error)));
        this.#lookSoon();
      }
    });
  }

  /** Discovery may be behind the CRDs, and a group that does not respond now may have policies, so it is asked again. */
  #lookAgain({ staleGroups }: Discovery, behind: ReadonlySet<KindId>): void {
    clearTimeout(this.#looking);
    this.#looking = undefined;
    if (behind.size > 0) this.#lookSoon();
    else {
      this.#lookMs = FIRST_LOOK_MS;
      if (staleFindings(staleGroups).length > 0) this.#lookAfter(LOOK_AGAIN_MS);
    }
  }

  #lookSoon(): void {
    if (this.#looking !== undefined) return;
    this.#lookAfter(this.#lookMs);
    this.#lookMs = Math.min(this.#lookMs * 2, LOOK_AGAIN_MS);
  }

  #lookAfter(ms: number): void {
    this.#looking = setTimeout(() => {
      this.#looking = undefined;
      this.#rulesChanged();
    }, ms);
    this.#looking.unref();
  }

  /** Rights may be given later, and a server may recover: what cannot be listed over all namespaces is asked for again. */
  #askAgainLater(): void {
    clearTimeout(this.#asking);
    const refused = [...this.#followed].filter(([, { complete }]) => complete?.namespaces !== "All");
    if (refused.length === 0) return;
    this.#asking = setTimeout(() => void this.#askAgain(refused), this.#options.askAgainMs ?? LOOK_AGAIN_MS);
    this.#asking.unref();
  }

  async #askAgain(refused: ReadonlyArray<readonly [string, Followed]>): Promise<void> {
    const { signal } = this.#options;
    const allowed = await Promise.all(
      refused.map(([, { resource }]) => mayList(this.#client, resource, undefined, signal).catch(() => false)),
    );
    if (signal.aborted) return;
    const listable = refused.filter((_, index) => allowed[index] === true);
    for (const [name, { stop }] of listable) {
      stop.abort();
      this.#followed.delete(name);
    }
    if (listable.length > 0) this.#rulesChanged();
    else this.#askAgainLater();
  }

  async #choose(discovery: Discovery): Promise<void> {
    const { resources, staleGroups } = discovery;
    const rules = this.#rules.flatMap(({ objects }) => [...objects.values()]);
    const behind = new Set(kindsBehind(resources, rules).map(kindId));
    this.#lookAgain(discovery, behind);
    const published = await this.#findPublished(resources);
    const { chosen, absent } = chooseResources(resources, rules, {
      policyKinds: published.policyKinds,
      known: this.#options.known,
      also: this.#options.also,
    });
    const wanted = new Map(chosen.map((resource) => [resourceName(resource), resource]));
    // A group that does not respond has not gone, nor has a kind with a CRD.
    const isHidden = (kind: GroupKind): boolean => staleGroups.includes(kind.group) || behind.has(kindId(kind));
    for (const [name, { resource, stop }] of this.#followed) {
      // A version that is no longer served, or no longer preferred, is replaced.
      if (wanted.get(name)?.version === resource.version) continue;
      if (!wanted.has(name) && isHidden(resource)) continue;
      stop.abort();
      this.#followed.delete(name);
    }
    for (const resource of chosen.filter(isNamespace)) await this.#followOnce(resource);
    const namespaces = this.#followed.get("namespaces");
    await namespaces?.synced;
    if (namespaces?.complete !== undefined) this.#namespaces = namespacesOf([...namespaces.objects.values()], []);
    else this.#namespaces ??= await this.#findNamespaces();
    await Promise.all(chosen.filter((one) => !isNamespace(one)).map((resource) => this.#followOnce(resource)));
    await Promise.all([...this.#followed.values()].map(({ synced }) => synced));
    const all = [...this.#rules, ...this.#followed.values()];
    this.#completeness = [
      ...all.flatMap(({ complete }) => complete ?? []),
      ...completeAsAbsent(absent, staleGroups, behind),
    ];
    this.#findings = [
      ...all.flatMap(({ failure }) => failure ?? []),
      ...forbiddenFindings(
        all.filter(({ complete, failure }) => complete?.namespaces !== "All" && failure === undefined).map(forbiddenOf),
      ),
      ...staleFindings(staleGroups),
      ...unservedFindings(
        absent.filter(
          (kind) => behind.has(kindId(kind)) && !all.some(({ resource }) => kindId(resource) === kindId(kind)),
        ),
      ),
      ...unpublishedFindings(published.unread),
      ...polledFindings(
        all.filter(({ polled }) => polled > 0).map(({ resource, polled }) => ({ resource, namespaces: polled })),
        this.#options.pollMs ?? POLL_MS,
      ),
    ];
  }

  /** Where CRDs may not be listed, the schemas that the server publishes show which kinds look like policies. */
  async #findPublished(resources: readonly ApiResource[]): Promise<PublishedKinds> {
    const crds = this.#rules.find(({ resource }) => isCrdResource(resource));
    if (crds === undefined || crds.complete !== undefined) return { policyKinds: [], unread: [] };
    return findPolicyKinds(this.#client, resources, this.#options.signal);
  }

  /** Where namespaces may not be listed, objects name others, and so on: reading everything once finds them. */
  async #findNamespaces(): Promise<readonly string[]> {
    const { namespaces, signal } = this.#options;
    const read = await readCluster(this.#client, { namespaces, signal });
    this.#gotNamespaces = read.objects.filter(({ kind, apiVersion }) => kind === "Namespace" && apiVersion === "v1");
    return read.namespaces;
  }

  async #followOnce(resource: ApiResource): Promise<void> {
    const name = resourceName(resource);
    if (this.#followed.has(name)) return;
    this.#followed.set(name, await this.#follow(resource, (changes) => this.#add(changes, resource)));
  }

  async #follow(resource: ApiResource, onChange: (changes: FollowedChanges) => void): Promise<Followed> {
    this.#progress.allKinds++;
    const objects = new Map<string, JsonObject>();
    const stop = new AbortController();
    const { scopes, failure } = await findScopes(this.#client, resource, this.#namespaces ?? [], this.#options.signal);
    let polled = 0;
    const synced = scopes.map((scope) => {
      // A list over all namespaces is one watch, and always worth it.
      const isPolled = scope !== undefined && this.#watches >= (this.#options.maxWatches ?? MAX_WATCHES);
      if (isPolled) polled++;
      return this.#followIn(scope, { resource, objects, stop: stop.signal, onChange, isPolled });
    });
    const { group, kind } = resource;
    const namespaces = scopes.every((scope) => scope === undefined) ? "All" : scopes.flatMap((scope) => scope ?? []);
    return {
      resource,
      objects,
      complete: scopes.length === 0 ? undefined : { group, kind, namespaces },
      failure,
      polled,
      synced: Promise.all(synced).then(() => {
        this.#progress.kinds++;
        this.#progress.objects += objects.size;
        this.#options.onProgress?.(this.#progress);
      }),
      stop,
    };
  }

  /** Follows a resource in one namespace, or in all. Resolves when the first objects are there, or when it is not followed any more. */
  #followIn(
    namespace: string | undefined,
    { resource, objects, stop, onChange, isPolled }: FollowedScope,
  ): Promise<void> {
    const { signal, counts, pollMs = POLL_MS } = this.#options;
    if (!isPolled) this.#watches++;
    return new Promise<void>((resolve) => {
      let isFirst = true;
      const noteTrouble = this.#troubles.ofScope(resourceName(resource));
      void followKind({
        client: this.#client,
        resource,
        namespace,
        signal: AbortSignal.any([signal, stop]),
        ...(counts === undefined ? {} : { counts }),
        pollMs: isPolled ? pollMs : undefined,
        onTrouble: (error) => {
          // The kind, or this version of it, may have gone.
          if (isNotFound(error)) this.#lookSoon();
          noteTrouble(error);
        },
        onChanges: (changes) => {
          for (const object of changes.upserted) objects.set(objectKey(object), object);
          for (const object of changes.deleted) objects.delete(objectKey(object));
          if (!isFirst) return onChange(changes);
          isFirst = false;
          resolve();
        },
      }).finally(() => {
        if (!isPolled) this.#watches--;
        // A resource that is not followed any more is no trouble. If the kind comes back, it is followed anew, and that would not end this trouble.
        if (!signal.aborted) noteTrouble(undefined);
        resolve();
      });
    });
  }

  #add({ upserted, deleted }: FollowedChanges, { group, kind }: ApiResource): void {
    if (!this.#isReady) return;
    for (const object of upserted) this.#pending.push({ upsert: object });
    for (const object of deleted) {
      const [namespace = "", name = ""] = objectKey(object).split("/");
      this.#pending.push({ delete: { group, kind, namespace, name } });
    }
    if (this.#timer !== undefined || this.#immediate !== undefined) return;
    const waitMs = this.#flushedMs + TOGETHER_MS - performance.now();
    // The first change after a pause is reported in the next turn; a timer would take a millisecond.
    if (waitMs <= 0) this.#immediate = setImmediate(() => this.#flush());
    else this.#timer = setTimeout(() => this.#flush(), waitMs);
  }

  #forgetTimer(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
  }

  #flush(): void {
    this.#forgetTimer();
    this.#flushedMs = performance.now();
    const changes = this.#pending;
    this.#pending = [];
    if (changes.length > 0 && !this.#options.signal.aborted) this.#options.onChanges(changes);
  }

  #reportState(): void {
    if (this.#options.signal.aborted) return;
    this.#forgetTimer();
    this.#pending = [];
    this.#isReady = true;
    this.#askAgainLater();
    const rules = this.#rules.flatMap(({ objects }) => [...objects.values()]);
    const followed = [...this.#followed.values()];
    this.#options.onState({
      objects: [
        ...keepRules(
          rules,
          followed.map(({ resource }) => resource),
        ),
        ...this.#gotNamespaces,
        ...followed.flatMap(({ objects }) => [...objects.values()]),
      ],
      resources: followed.map(({ resource }) => resource),
      completeness: this.#completeness,
      findings: this.#findings,
    });
  }
}
