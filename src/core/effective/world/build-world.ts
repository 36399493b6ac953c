/** The tables of a first evaluation, built in bulk. `update-world.ts` keeps them up to date. */

import { resolveTargets, type TargetContext } from "../../attachment/resolve-targets.ts";
import { type ResolvedTargets, targetsNamed } from "../../attachment/resolved-targets.ts";
import { IdSets } from "../../model/collections/id-set.ts";
import { LayeredMap } from "../../model/collections/layered-map.ts";
import { LazyTable, type TableObjects } from "../../model/collections/lazy-table.ts";
import type { ObjectIndex } from "../../model/collections/object-index.ts";
import { ObjectTable, TableDraft } from "../../model/collections/object-table.ts";
import { ObjectsByKind } from "../../model/collections/objects-by-kind.ts";
import { once } from "../../model/collections/once.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { type KindId, kindId, type ObjectId, type PolicyId, parseKindId } from "../../model/refs.ts";
import type { SnapshotTables } from "../../model/snapshot.ts";
import { findPlan } from "../../topology/compile-rows.ts";
import { forEachMention, type ObjectLinks, type ParentLinks } from "../../topology/links.ts";
import { ObjectLinker } from "../../topology/object-links.ts";
import { type Grant, grantOf } from "../../topology/reference-grants.ts";
import { AttachedDraft } from "./attached.ts";
import { findTangles } from "./find-tangles.ts";
import { homeObjects } from "./home-objects.ts";
import { linkContext, targetContext } from "./lookups.ts";
import type { PolicyRecord, Rulebook, World, WorldObjects } from "./world.ts";

export const NO_TARGETS: ResolvedTargets = {
  attachments: [],
  rejections: [],
  alsoNamed: [],
  grantsOf: [],
  selects: [],
};

/** `countTallies`: counts the paths of every policy. Called at most once, when verdicts are first read. */
export function buildWorld(
  snapshot: SnapshotTables,
  rulebook: Rulebook,
  countTallies: (world: World) => World["tallies"],
): World {
  const { byId, refused, doubles } = homeObjects(snapshot, rulebook);
  const objects = buildObjects(byId);
  const grants = buildGrants(objects);
  const placed = { rulebook, objects, grants, refused };
  const { parents, labelReaders } = buildParents(placed);
  const linked = new LinkedTables(placed, parents, lazyLinks(placed));
  const policies = buildPolicies(linked);
  const others = { documentFindings: snapshot.findings, doubles, labelReaders };
  return new FirstWorld(linked, policies, others, countTallies);
}

/** What there is before policies are read. */
class LinkedTables implements Placed, Pick<World, "parents" | "links"> {
  readonly rulebook: World["rulebook"];
  readonly objects: World["objects"];
  readonly grants: World["grants"];
  readonly refused: World["refused"];
  readonly parents: World["parents"];
  readonly links: World["links"];
  #names: NameIndexes | undefined;

  constructor({ rulebook, objects, grants, refused }: Placed, parents: World["parents"], links: World["links"]) {
    this.rulebook = rulebook;
    this.objects = objects;
    this.grants = grants;
    this.refused = refused;
    this.parents = parents;
    this.links = links;
  }

  /** Who names an object in its links, policies aside; asked for seldom. */
  get linkedBy(): World["mentionedBy"] {
    this.#names ??= indexNames(this.links);
    return this.#names.mentionedBy;
  }
}

/**
 * Many questions need neither who names an object (changes ask, and paths that go on to backends) nor verdicts, for which
 * every path is walked: both are worked out when somebody asks.
 */
class FirstWorld extends LinkedTables implements World {
  readonly documentFindings: World["documentFindings"];
  readonly doubles: World["doubles"];
  readonly labelReaders: World["labelReaders"];
  readonly policies: World["policies"];
  readonly selectors: World["selectors"];
  readonly missing: World["missing"];
  readonly attached: World["attached"];
  readonly tangles: World["tangles"];
  #namesAndTargets: NameIndexes | undefined;
  #tallies: World["tallies"] | undefined;
  readonly #countTallies: (world: World) => World["tallies"];

  constructor(
    linked: LinkedTables,
    { policies, selectors, missing, attached }: PolicyTables,
    { documentFindings, doubles, labelReaders }: Pick<World, "documentFindings" | "doubles" | "labelReaders">,
    countTallies: (world: World) => World["tallies"],
  ) {
    super(linked, linked.parents, linked.links);
    this.documentFindings = documentFindings;
    this.doubles = doubles;
    this.labelReaders = labelReaders;
    this.policies = policies;
    this.selectors = selectors;
    this.missing = missing;
    this.attached = attached;
    this.tangles = findTangles(linked);
    this.#countTallies = countTallies;
  }

  get mentionedBy(): World["mentionedBy"] {
    return this.#indexes().mentionedBy;
  }

  get grantReaders(): World["grantReaders"] {
    return this.#indexes().grantReaders;
  }

  #indexes(): NameIndexes {
    this.#namesAndTargets ??= indexNames(this.links, this.policies);
    return this.#namesAndTargets;
  }

  get tallies(): World["tallies"] {
    this.#tallies ??= this.#countTallies(this);
    return this.#tallies;
  }
}

type Placed = Pick<World, "rulebook" | "objects" | "grants" | "refused">;

function buildParents(tables: Placed): Pick<World, "parents" | "labelReaders"> {
  const parents = new TableDraft<ObjectId, ParentLinks>(tables.objects.byId.order);
  const labelReaders = new IdSets<string, ObjectId>();
  const linker = new ObjectLinker(linkContext(tables));
  forEachLinked(tables, (object) => {
    const own = linker.parentsOf(object);
    parents.set(object, own);
    for (const namespace of own.labelsOf) labelReaders.add(namespace, object.id);
  });
  return { parents: ObjectTable.from(parents), labelReaders: LayeredMap.from(labelReaders.toMap()) };
}

/** Most answers need what is below an object as little as what it asked for in vain. */
function lazyLinks(tables: Placed): World["links"] {
  const { rulebook, objects } = tables;
  const linker = once(() => new ObjectLinker(linkContext(tables)));
  let size = 0;
  forEachLinkedFamily(tables, (own) => {
    size += own.size;
  });
  const linked: TableObjects = {
    size,
    get: (id) => {
      const object = objects.byId.get(id);
      return object !== undefined && findPlan(rulebook.rows, object.family) !== undefined ? object : undefined;
    },
    forEach: (visit) => forEachLinked(tables, visit),
  };
  return ObjectTable.from(new LazyTable(linked, (object): ObjectLinks => linker().linksOf(object)));
}

/** Each object that may be linked to others, in no particular order. */
function forEachLinked(tables: Placed, visit: (object: KubeObject) => void): void {
  forEachLinkedFamily(tables, (own) => own.forEach((object) => visit(object)));
}

function forEachLinkedFamily(
  { rulebook, objects }: Placed,
  visit: (own: Pick<LayeredMap<string, KubeObject>, "forEach" | "size">) => void,
): void {
  objects.byId.forEachNamespace((kind, _namespace, own) => {
    if (findPlan(rulebook.rows, parseKindId(kind)) !== undefined) visit(own);
  });
}

function buildObjects(byId: ObjectIndex): WorldObjects {
  const namespaces = new Map<string, number>();
  byId.forEachNamespace((_, namespace, { size }) => {
    if (namespace !== "") namespaces.set(namespace, (namespaces.get(namespace) ?? 0) + size);
  });
  return { byId, byKind: ObjectsByKind.of(byId), namespaces: LayeredMap.from(namespaces) };
}

export const REFERENCE_GRANT: KindId = kindId({ group: "gateway.networking.k8s.io", kind: "ReferenceGrant" });

function buildGrants(objects: WorldObjects): LayeredMap<string, readonly Grant[]> {
  const grants = new Map<string, Grant[]>();
  objects.byKind.get(REFERENCE_GRANT)?.forEach((_, { ref, raw }) => {
    const list = grants.get(ref.namespace) ?? [];
    list.push(grantOf(raw));
    grants.set(ref.namespace, list);
  });
  return LayeredMap.from(grants);
}

type PolicyTables = Pick<World, "policies" | "selectors" | "missing" | "attached">;

function buildPolicies(tables: LinkedTables): PolicyTables {
  const { rulebook, objects } = tables;
  const policies = new TableDraft<PolicyId, PolicyRecord>(objects.byId.order);
  const selectors = new IdSets<KindId, PolicyId>();
  const missing = new IdSets<KindId, PolicyId>();
  const attached = rulebook.kinds.map((kind) => new AttachedDraft(kind, objects));
  const lookups = targetContext(tables, () => tables.linkedBy);
  for (const kind of rulebook.kinds) {
    const draft = attached[kind.index] as AttachedDraft;
    const context: TargetContext = {
      ...lookups,
      noteAttachment: (policy, target, attachment) => draft.add(policy, target, attachment),
    };
    for (const policyKind of kind.definition.policies) {
      for (const object of objects.byKind.inOrder(kindId(policyKind))) {
        const { policy, targets: named, findings } = rulebook.parsePolicy(object);
        const targets = policy === undefined ? NO_TARGETS : resolveTargets(policy, kind.definition, context, named);
        policies.set(object, { kind, object, policy, findings, targets });
        for (const selected of targets.selects) selectors.add(selected, object.id as PolicyId);
        for (const absent of missingKinds(targets)) missing.add(absent, object.id as PolicyId);
      }
    }
  }
  return {
    policies: ObjectTable.from(policies),
    selectors: LayeredMap.from(selectors.toMap()),
    missing: LayeredMap.from(missing.toMap()),
    attached: attached.map((draft) => draft.toTable()),
  };
}

const NO_KINDS: readonly KindId[] = [];

/** The kinds among whose names the messages about a policy's targets guess. */
export function missingKinds({ rejections }: ResolvedTargets): readonly KindId[] {
  if (rejections.length === 0) return NO_KINDS;
  return rejections.flatMap((rejection) => (rejection.missing === undefined ? [] : [rejection.missing.kind]));
}

type NameIndexes = Pick<World, "mentionedBy" | "grantReaders">;

/** Who names an object: whoever links to it, or would like to, and policies. And who rests on a namespace's ReferenceGrants. In one go: links are worked out for it. */
function indexNames(links: World["links"], policies?: World["policies"]): NameIndexes {
  const mentioned = new IdSets<ObjectId, ObjectId>();
  const readers = new IdSets<string, ObjectId>();
  links.forEach((own, id) => {
    forEachMention(own, (mention) => mentioned.add(mention, id));
    for (const namespace of own.grantsOf) readers.add(namespace, id);
  });
  policies?.forEach(({ targets }, id) => {
    for (const mention of targetsNamed(targets)) mentioned.add(mention, id);
    for (const namespace of targets.grantsOf) readers.add(namespace, id);
  });
  return { mentionedBy: LayeredMap.from(mentioned.toMap()), grantReaders: LayeredMap.from(readers.toMap()) };
}
