/** The tables of a first evaluation, built in bulk. `update-world.ts` keeps them up to date. */

import { type ResolvedTargets, resolveTargets } from "../attachment/resolve-targets.ts";
import type { Finding } from "../model/finding.ts";
import { type IdSet, IdSets } from "../model/id-set.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { LayeredMap } from "../model/layered-map.ts";
import {
  type KindId,
  kindId,
  type ObjectId,
  type ObjectRef,
  objectId,
  type PolicyId,
  parseObjectId,
} from "../model/refs.ts";
import { namespaceFor, type Snapshot } from "../model/snapshot.ts";
import { SortedMap } from "../model/sorted-map.ts";
import { findPlan } from "../topology/compile-rows.ts";
import type { ObjectLinks } from "../topology/links.ts";
import { objectLinks } from "../topology/object-links.ts";
import { type Grant, grantOf } from "../topology/reference-grants.ts";
import { type Attached, buildNodeSets } from "./attached.ts";
import { countAll } from "./count-paths.ts";
import { findTangles } from "./find-tangles.ts";
import { linkContext, targetContext } from "./lookups.ts";
import type { PolicyTally } from "./tally.ts";
import type { NodeSets, ObjectTable, PolicyRecord, Rulebook, World } from "./world.ts";

export const NO_TARGETS: ResolvedTargets = { attachments: [], rejections: [], mentions: [], grantsOf: [], selects: [] };

export function buildWorld(snapshot: Snapshot, rulebook: Rulebook): World {
  const objects = buildObjects(snapshot, rulebook);
  const grants = buildGrants(objects);
  const refused = buildRefused(snapshot, rulebook);
  const index = new MentionIndex();
  const links = new Map<ObjectId, ObjectLinks>();
  const context = linkContext({ rulebook, objects, grants, refused });
  objects.byKind.forEach((all) => {
    const [first] = all.values();
    if (first === undefined || findPlan(rulebook.rows, first.ref) === undefined) return;
    all.forEach((id, object) => {
      const found = objectLinks(object, context);
      links.set(id, found);
      index.add(id, found);
    });
  });
  const linked = {
    rulebook,
    objects,
    refused,
    documentFindings: snapshot.findings,
    grants,
    links: LayeredMap.from(links),
  };
  const policies = buildPolicies({ ...linked, mentionedBy: LayeredMap.from(index.mentioned()) }, index);
  const tangles = findTangles(linked);
  const world: World = {
    ...linked,
    ...policies,
    ...index.tables(),
    tangles,
    tallies: LayeredMap.from(new Map<PolicyId, PolicyTally>()),
  };
  return lazilyCounted(world);
}

/** Counting walks every path, and many questions need no verdicts: it is done once, when somebody asks. */
function lazilyCounted(world: World): World {
  let tallies: World["tallies"] | undefined;
  return {
    ...world,
    get tallies() {
      tallies ??= countAll(world);
      return tallies;
    },
  };
}

function homedId(ref: ObjectRef, rulebook: Rulebook): ObjectId {
  return objectId({ ...ref, namespace: homeOf(ref, rulebook) });
}

const homeOf = (ref: ObjectRef, { factsOf }: Rulebook): string =>
  namespaceFor(factsOf(kindId(ref))?.scope, ref.namespace);

/** Kinds that definitions and CRDs know the scope of are put where they belong; built-in ones already are. */
export function homed(object: KubeObject, rulebook: Rulebook): KubeObject {
  const { ref } = object;
  const namespace = homeOf(ref, rulebook);
  if (namespace === ref.namespace) return object;
  const moved = { ...ref, namespace };
  return { ...object, ref: moved, id: objectId(moved) };
}

function buildRefused(snapshot: Snapshot, rulebook: Rulebook): World["refused"] {
  const refused = new Map<ObjectId, readonly Finding[]>();
  for (const [id, findings] of snapshot.refused) refused.set(homedId(parseObjectId(id), rulebook), findings);
  return LayeredMap.from(refused);
}

function buildObjects(snapshot: Snapshot, rulebook: Rulebook): ObjectTable {
  const byId = homedObjects(snapshot, rulebook);
  const byKind = new Map<KindId, KubeObject[]>();
  const namespaces = new Map<string, number>();
  // Objects mostly come kind by kind and namespace by namespace.
  let like: ObjectRef | undefined;
  let list: KubeObject[] = [];
  let count = 0;
  for (const object of byId.values()) {
    const { ref } = object;
    if (like === undefined || ref.kind !== like.kind || ref.group !== like.group) {
      list = byKind.get(kindId(ref)) ?? [];
      byKind.set(kindId(ref), list);
    }
    list.push(object);
    if (like !== undefined && ref.namespace !== like.namespace) {
      add(namespaces, like.namespace, count);
      count = 0;
    }
    count++;
    like = ref;
  }
  if (like !== undefined) add(namespaces, like.namespace, count);
  namespaces.delete("");
  const sorted = new Map([...byKind].map(([kind, all]) => [kind, SortedMap.by(all, ({ id }) => id)] as const));
  return { byId: LayeredMap.from(byId), byKind: LayeredMap.from(sorted), namespaces: LayeredMap.from(namespaces) };
}

const add = (counts: Map<string, number>, key: string, count: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + count);

/** The snapshot's own table, unless one of its objects belongs elsewhere. */
function homedObjects({ objects }: Snapshot, rulebook: Rulebook): ReadonlyMap<ObjectId, KubeObject> {
  let like: ObjectRef | undefined;
  let isHome = true;
  for (const { ref } of objects.values()) {
    if (like?.kind === ref.kind && like.group === ref.group && like.namespace === ref.namespace) continue;
    like = ref;
    isHome &&= homeOf(ref, rulebook) === ref.namespace;
  }
  if (isHome) return objects;
  const byId = new Map<ObjectId, KubeObject>();
  for (const given of objects.values()) {
    const object = homed(given, rulebook);
    byId.set(object.id, object);
  }
  return byId;
}

export const REFERENCE_GRANT: KindId = kindId({ group: "gateway.networking.k8s.io", kind: "ReferenceGrant" });

function buildGrants(objects: ObjectTable): LayeredMap<string, readonly Grant[]> {
  const grants = new Map<string, Grant[]>();
  objects.byKind.get(REFERENCE_GRANT)?.forEach((_, { ref, raw }) => {
    const list = grants.get(ref.namespace) ?? [];
    list.push(grantOf(raw));
    grants.set(ref.namespace, list);
  });
  return LayeredMap.from(grants);
}

type PolicyTables = Pick<World, "policies" | "selectors" | "missing" | "attached">;

function buildPolicies(
  tables: Omit<World, keyof PolicyTables | "tangles" | "tallies" | "labelReaders" | "grantReaders">,
  index: MentionIndex,
): PolicyTables {
  const { rulebook, objects } = tables;
  const policies = new Map<PolicyId, PolicyRecord>();
  const selectors = new IdSets<KindId, PolicyId>();
  const missing = new IdSets<KindId, PolicyId>();
  const attached: Map<ObjectId, Attached[]>[] = rulebook.kinds.map(() => new Map<ObjectId, Attached[]>());
  const context = targetContext(tables);
  for (const kind of rulebook.kinds) {
    for (const policyKind of kind.definition.policies) {
      objects.byKind.get(kindId(policyKind))?.forEach((id, object) => {
        const { policy, findings } = rulebook.parsePolicy(object, kind);
        const targets = policy === undefined ? NO_TARGETS : resolveTargets(policy, kind.definition, context);
        policies.set(id as PolicyId, { kind, object, policy, findings, targets });
        index.add(id, targets);
        for (const selected of targets.selects) selectors.add(selected, id as PolicyId);
        for (const absent of missingKinds(targets)) missing.add(absent, id as PolicyId);
        if (policy === undefined) return;
        const table = attached[kind.index] as Map<ObjectId, Attached[]>;
        for (const { object: target, sectionName, consumer } of targets.attachments)
          append(table, target, { policy, sectionName, consumer });
      });
    }
  }
  return {
    policies: LayeredMap.from(policies),
    selectors: LayeredMap.from(selectors.toMap()),
    missing: LayeredMap.from(missing.toMap()),
    attached: rulebook.kinds.map((kind) => {
      const sets = new Map<ObjectId, NodeSets>();
      for (const [id, all] of attached[kind.index] as Map<ObjectId, Attached[]>)
        sets.set(id, buildNodeSets(all, objects.byId.get(id), kind));
      return LayeredMap.from(sets);
    }),
  };
}

/** The kinds among whose names the messages about a policy's targets guess. */
export function missingKinds({ rejections }: ResolvedTargets): readonly KindId[] {
  return rejections.flatMap((rejection) => (rejection.missing === undefined ? [] : [rejection.missing.kind]));
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

type Dependencies = Pick<ResolvedTargets, "mentions" | "grantsOf"> & { readonly labelsOf?: readonly string[] };

/** Who rests on what, collected. */
class MentionIndex {
  readonly #mentioned: IdSets<ObjectId, ObjectId> = new IdSets();
  readonly #labels: IdSets<string, ObjectId> = new IdSets();
  readonly #grants: IdSets<string, ObjectId> = new IdSets();

  add(id: ObjectId, { mentions, labelsOf, grantsOf }: Dependencies): void {
    for (const mention of mentions) this.#mentioned.add(mention, id);
    if (labelsOf !== undefined) for (const namespace of labelsOf) this.#labels.add(namespace, id);
    for (const namespace of grantsOf) this.#grants.add(namespace, id);
  }

  /** So far: enough to tell which classes are implied. More is added while it is read, and `tables` takes it over. */
  mentioned(): ReadonlyMap<ObjectId, IdSet<ObjectId>> {
    return this.#mentioned.soFar();
  }

  tables(): Pick<World, "mentionedBy" | "labelReaders" | "grantReaders"> {
    return {
      mentionedBy: LayeredMap.from(this.#mentioned.toMap()),
      labelReaders: LayeredMap.from(this.#labels.toMap()),
      grantReaders: LayeredMap.from(this.#grants.toMap()),
    };
  }
}
