/** The status to write for each object, kept while the cluster changes. */
import { isDeepStrictEqual } from "node:util";
import { coverageStatuses } from "../../core/check/coverage/coverage-status.ts";
import { BACKEND_TLS_POLICY } from "../../core/dataplane/compile/compile-backend.ts";
import type { CompiledKind } from "../../core/effective/world/compiled-kind.ts";
import type { Rulebook } from "../../core/effective/world/rulebook.ts";
import type { World } from "../../core/effective/world/world.ts";
import { type Evaluation, optionsOf, worldOf } from "../../core/evaluation.ts";
import type { OwnStatusChanges } from "../../core/gateway-status/gateway-status-tracker.ts";
import { joinStatuses } from "../../core/gateway-status/join-statuses.ts";
import { remember } from "../../core/model/collections/remember.ts";
import {
  type GroupKind,
  type KindId,
  kindId,
  type ObjectId,
  objectId,
  parseKindId,
  splitId,
} from "../../core/model/refs.ts";
import type { AncestorRef, PolicyStatus, TargetStatus } from "../../core/status/status-report.ts";
import { type StatusChanges, type StatusScope, StatusTracker } from "../../core/status/status-tracker.ts";
import { NOTHING_WANTED, type WantedStatus } from "../../core/status/wanted-status.ts";
import { inSlices } from "./in-slices.ts";
import { type KindOwner, ownsKind } from "./owns-kind.ts";

/** The status of owned kinds is written, and targets are `Affected` on their account. */
export interface LiveStatusesOptions extends KindOwner {
  /** Kinds other than Gateway API's that get `Affected` conditions or annotations. */
  readonly isReported: (kind: GroupKind) => boolean;
  /**
   * The status of the objects of this controller's GatewayClasses, and of the routes behind them, after each change, in steps. Absent: the controller has no
   * GatewayClass.
   */
  readonly ownStatuses?: ((world: World, scope: StatusScope) => Generator<void, OwnStatusChanges>) | undefined;
  /** True if the Gateway is one of this controller's: only behind these it reports on policies of Gateway API. Absent: it has no GatewayClass. */
  readonly isOwnGateway?: ((world: World, gateway: ObjectId) => boolean) | undefined;
}

/** The result of an update. */
export interface UpdatedStatuses {
  /** The objects about which something else is wanted. */
  readonly changed: Set<ObjectId>;
  /** The time that it took, without that of CoverageRules. */
  readonly ms: number;
  /** The time after which CoverageRules have to be computed; undefined if they have been. */
  readonly againAfterMs: number | undefined;
}

/** Computations of CoverageRules take at most a twentieth of the time. */
const COVERAGE_PAUSE_FACTOR = 20;
const NO_STATUSES: ReadonlyMap<ObjectId, readonly TargetStatus[]> = new Map();
const NO_OWN = { result: { isWhole: false, statuses: NO_STATUSES }, ms: 0 };

export class LiveStatuses {
  readonly #options: LiveStatusesOptions;
  readonly #policies = new Map<ObjectId, PolicyStatus>();
  readonly #targets = new Map<ObjectId, readonly TargetStatus[]>();
  readonly #own = new Map<ObjectId, readonly TargetStatus[]>();
  /** The status of CoverageRules, and when it is due again. */
  readonly #coverage = new Map<ObjectId, readonly TargetStatus[]>();
  #coverageDueMs = 0;
  #tracked: { readonly rulebook: Rulebook; readonly tracker: StatusTracker } | undefined;
  #owned: { readonly rulebook: Rulebook; readonly kinds: readonly CompiledKind[] } | undefined;

  constructor(options: LiveStatusesOptions) {
    this.#options = options;
  }

  /** The policy kinds that the controller owns. */
  ownedKinds({ rulebook }: World): readonly CompiledKind[] {
    if (this.#owned?.rulebook !== rulebook)
      this.#owned = {
        rulebook,
        kinds: rulebook.kinds.filter(({ definition }) => ownsKind(this.#options, definition)),
      };
    return this.#owned.kinds;
  }

  /** The owned policy kinds whose status has conditions and no ancestors. */
  kindsWithConditions(world: World): ReadonlySet<KindId> {
    const without = this.ownedKinds(world).filter(({ definition }) => definition.status.ancestors === "None");
    return new Set(without.flatMap(({ definition }) => definition.policies.map(kindId)));
  }

  /** The wanted status of an object. */
  find(id: ObjectId): WantedStatus {
    const [policy, affected = [], own] = [this.#policies.get(id), this.#targets.get(id), this.#ownOf(id)];
    const { ancestors = [], conditions } = policy ?? {};
    const wanted = { ancestors, targets: affected, ...(conditions === undefined ? {} : { conditions }) };
    if (own !== undefined) return { ...wanted, targets: joinStatuses(own, affected), isOwn: true };
    return policy === undefined && affected.length === 0 ? NOTHING_WANTED : wanted;
  }

  has(id: ObjectId): boolean {
    return this.#policies.has(id) || this.#targets.has(id) || this.#ownOf(id) !== undefined;
  }

  /** CoverageRules are not among the objects that gateways are made of. */
  #ownOf(id: ObjectId): readonly TargetStatus[] | undefined {
    return this.#own.get(id) ?? this.#coverage.get(id);
  }

  /**
   * Computes what the scope reaches, in slices: webhooks and the view API are served by the same process.
   */
  async update(
    evaluation: Evaluation,
    scope: StatusScope,
    isHeld: (policyKind: GroupKind) => boolean,
  ): Promise<UpdatedStatuses> {
    const changed = new Set<ObjectId>();
    const world = worldOf(evaluation);
    const { rulebook } = world;
    if (scope.isAll || this.#tracked?.rulebook !== rulebook) {
      const ownedKinds = this.ownedKinds(world).flatMap(({ definition }) => definition.policies);
      const { controllerName } = this.#options;
      this.#tracked = { rulebook, tracker: new StatusTracker({ controllerName, ownedKinds }) };
    }
    const tracked = await inSlices(this.#tracked.tracker.update(world, scope));
    this.#use(tracked.result, world, changed);
    const steps = this.#options.ownStatuses?.(world, scope);
    const own = steps === undefined ? NO_OWN : await inSlices(steps);
    const againAfterMs = await this.#updateCoverage(evaluation, isHeld, changed);
    putAll(this.#own, own.result, changed);
    return { changed, ms: tracked.ms + own.ms, againAfterMs };
  }

  /** A CoverageRule is about all paths below its targets, so it is computed less often. Returns when it has to be computed, if it is not due yet. */
  async #updateCoverage(
    evaluation: Evaluation,
    isHeld: (policyKind: GroupKind) => boolean,
    changed: Set<ObjectId>,
  ): Promise<number | undefined> {
    const waitMs = this.#coverageDueMs - performance.now();
    if (waitMs > 0) return waitMs;
    const steps = coverageStatuses(worldOf(evaluation), optionsOf(evaluation).evaluateCondition, isHeld);
    const { result, ms } = await inSlices(collect(steps));
    const statuses = new Map<ObjectId, TargetStatus[]>();
    for (const status of result) remember(statuses, status.object, () => []).push(status);
    putAll(this.#coverage, { isWhole: true, statuses }, changed);
    this.#coverageDueMs = performance.now() + ms * COVERAGE_PAUSE_FACTOR;
    return undefined;
  }

  #use({ isWhole, policies, targets }: StatusChanges, world: World, changed: Set<ObjectId>): void {
    const isReported = this.#isReported(world);
    if (isWhole) {
      const known: ReadonlyMap<ObjectId, unknown> = policies;
      for (const id of this.#policies.keys()) if (!known.has(id)) put(this.#policies, id, undefined, changed);
      for (const id of this.#targets.keys()) if (!targets.has(id)) put(this.#targets, id, undefined, changed);
    }
    for (const [id, status] of policies) put(this.#policies, id, status && this.#atOwnGateways(status, world), changed);
    for (const [id, statuses] of targets) {
      const reported = statuses.filter(isReported);
      put(this.#targets, id, reported.length === 0 ? undefined : reported, changed);
    }
  }

  /**
   * Ancestors of a BackendTLSPolicy
   *
   * Each controller reports on the Gateways that it serves. Behind the Gateways of another one the policy is that controller's to report on.
   * Gateway API, "PolicyAncestorStatus"
   */
  #atOwnGateways(policy: PolicyStatus, world: World): PolicyStatus {
    const { isOwnGateway } = this.#options;
    if (isOwnGateway === undefined || kindId(policy.policyKind) !== TLS_POLICY) return policy;
    const isOwn = ({ group, kind, namespace = "", name }: AncestorRef): boolean =>
      isOwnGateway(world, objectId({ group, kind, namespace, name }));
    return { ...policy, ancestors: policy.ancestors.filter(({ ancestorRef }) => isOwn(ancestorRef)) };
  }

  /** Gateways, ListenerSets, GatewayClasses and routes; other kinds only where the operator asks for it. */
  #isReported({ rulebook }: World): (target: TargetStatus) => boolean {
    return ({ object, location }) => {
      const { kind } = splitId(object);
      if (this.#options.isReported(parseKindId(kind))) return true;
      if (location.at === "Listener" || location.at === "Parent") return true;
      return location.at === "Conditions" && GATEWAY_KINDS.has(kind) && rulebook.factsOf(kind) !== undefined;
    };
  }
}

const TLS_POLICY = kindId(BACKEND_TLS_POLICY);

const GATEWAY_KINDS: ReadonlySet<KindId> = new Set(
  [
    { group: "gateway.networking.k8s.io", kind: "GatewayClass" },
    { group: "gateway.networking.k8s.io", kind: "Gateway" },
    { group: "gateway.networking.k8s.io", kind: "ListenerSet" },
    { group: "gateway.networking.x-k8s.io", kind: "XListenerSet" },
  ].map(kindId),
);

function* collect<Item>(items: Iterable<Item>): Generator<void, readonly Item[]> {
  const list: Item[] = [];
  for (const item of items) {
    list.push(item);
    yield;
  }
  return list;
}

function putAll(
  known: Map<ObjectId, readonly TargetStatus[]>,
  { isWhole, statuses }: OwnStatusChanges,
  changed: Set<ObjectId>,
): void {
  if (isWhole) for (const id of known.keys()) if (!statuses.has(id)) put(known, id, undefined, changed);
  for (const [id, next] of statuses) put(known, id, next.length === 0 ? undefined : next, changed);
}

/** Undefined: there is none. */
function put<Value>(known: Map<ObjectId, Value>, id: ObjectId, next: Value | undefined, changed: Set<ObjectId>): void {
  if (isDeepStrictEqual(known.get(id), next)) return;
  if (next === undefined) known.delete(id);
  else known.set(id, next);
  changed.add(id);
}
