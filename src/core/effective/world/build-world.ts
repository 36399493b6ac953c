/** The tables of a first evaluation, stage by stage. `update/update-world.ts` makes the tables of the next one. */

import { NO_REFERENCES, resolveReferences } from "../../attachment/resolve-references.ts";
import { resolveTargets } from "../../attachment/resolve-targets.ts";
import { NO_TARGETS } from "../../attachment/resolved-targets.ts";
import { once } from "../../model/collections/once.ts";
import { PersistentMap } from "../../model/collections/persistent-map.ts";
import { type KindId, kindId, type ObjectId, type PolicyId } from "../../model/refs.ts";
import type { SnapshotTables } from "../../model/snapshot.ts";
import { linkChildren } from "../../topology/link-children.ts";
import { linkParents } from "../../topology/link-parents.ts";
import type { ChildLinks, ParentLinks } from "../../topology/links.ts";
import { type Grant, grantOf } from "../../topology/reference-grants.ts";
import { AttachedDraft } from "./attached-policies.ts";
import { linkContext, targetContext } from "./contexts.ts";
import { findUnfollowedLinks } from "./find-unfollowed-links.ts";
import { buildChildIndexes, buildLinkIndexes } from "./link-indexes.ts";
import { nameLookup } from "./name-lookup.ts";
import { buildNamers, buildPolicyIndexes } from "./policy-indexes.ts";
import type { Rulebook } from "./rulebook.ts";
import { scopeObjects } from "./scope-objects.ts";
import type { PolicyRecord, WithLinks, WithObjects, WithPolicies, World } from "./world.ts";

/** Values that are computed from the tables when they are first read, each at most once. */
export interface Readings {
  readonly countTallies: (tables: WithPolicies) => ReturnType<World["countTallies"]>;
  readonly findUnenforced: (tables: WithPolicies) => ReturnType<World["findUnenforced"]>;
}

export function buildWorld(
  snapshot: SnapshotTables,
  rulebook: Rulebook,
  { countTallies, findUnenforced }: Readings,
): World {
  const tables = buildPolicies(buildLinks(buildObjects(snapshot, rulebook)));
  return {
    ...tables,
    countTallies: once(() => countTallies(tables)),
    findUnenforced: once(() => findUnenforced(tables)),
  };
}

function buildObjects(snapshot: SnapshotTables, rulebook: Rulebook): WithObjects {
  const { objects, refused, unevaluated, duplicates } = scopeObjects(snapshot, rulebook);
  const grants = new Map<string, Grant[]>();
  for (const { ref, raw } of objects.ofKind(REFERENCE_GRANT)) {
    const list = grants.get(ref.namespace) ?? [];
    list.push(grantOf(raw));
    grants.set(ref.namespace, list);
  }
  return {
    rulebook,
    objects,
    refused,
    unevaluated,
    judging: snapshot.judging,
    documentFindings: snapshot.findings,
    duplicates,
    grants: PersistentMap.from(grants),
    completeness: snapshot.completeness,
    deleted: snapshot.deleted,
  };
}

export const REFERENCE_GRANT: KindId = kindId({ group: "gateway.networking.k8s.io", kind: "ReferenceGrant" });

function buildLinks(tables: WithObjects): WithLinks {
  const { rulebook, objects } = tables;
  const all = new Map<ObjectId, ParentLinks>();
  const parentsOf = linkParents(linkContext(tables));
  for (const kind of objects.kinds()) {
    if (!rulebook.rows.has(kind)) continue;
    for (const object of objects.ofKind(kind)) all.set(object.id, parentsOf(object));
  }
  const links = PersistentMap.from(all);
  const children = buildChildTables({ ...tables, links });
  return {
    ...tables,
    links,
    ...children,
    unfollowed: findUnfollowedLinks({ rulebook, objects, links, ...children }),
    indexLinks: once(() => buildLinkIndexes(links)),
    names: nameLookup({ rulebook, objects, links }),
  };
}

/** The tables of links to children. Each link is computed when it is first read, alone or with all others. */
export function buildChildTables(
  tables: WithObjects & Pick<WithLinks, "links">,
): Pick<WithLinks, "linkChildren" | "childLinksOf" | "indexChildren"> {
  const childrenOf = childLinksIn(tables);
  const known = new Map<ObjectId, ChildLinks>();
  const find = (id: ObjectId): ChildLinks | undefined => {
    const children = known.get(id) ?? childrenOf(id);
    if (children !== undefined) known.set(id, children);
    return children;
  };
  const linkChildren = once(() => {
    tables.links.forEach((_, id) => void find(id));
    return PersistentMap.from(known);
  });
  return {
    linkChildren,
    childLinksOf: (id) => (linkChildren.isMade() ? linkChildren().get(id) : find(id)),
    indexChildren: once(() => buildChildIndexes(linkChildren())),
  };
}

/** Returns a function that computes the links of one object to its children. */
export function childLinksIn(tables: WithObjects & Pick<WithLinks, "links">): (id: ObjectId) => ChildLinks | undefined {
  const childrenOf = linkChildren(linkContext(tables));
  return (id) => {
    const [object, parents] = [tables.objects.get(id), tables.links.get(id)];
    return object === undefined || parents === undefined ? undefined : childrenOf(object, parents);
  };
}

function buildPolicies(tables: WithLinks): WithPolicies {
  const { rulebook, objects } = tables;
  const all = new Map<PolicyId, PolicyRecord>();
  const attached = rulebook.kinds.map((kind) => new AttachedDraft(kind, objects));
  const namers = buildNamers(tables);
  const context = targetContext(tables, namers);
  for (const kind of rulebook.kinds) {
    for (const policyKind of kind.definition.policies) {
      for (const object of objects.ofKind(kindId(policyKind))) {
        const { policy, findings } = rulebook.parsePolicy(object);
        const targets = policy === undefined ? NO_TARGETS : resolveTargets(policy, kind.definition, context);
        const references = policy === undefined ? NO_REFERENCES : resolveReferences(object, kind.definition, context);
        all.set(object.id as PolicyId, { kind, object, policy, findings, targets, references });
        if (policy !== undefined) attached[kind.index]?.add(policy, targets.attachments);
      }
    }
  }
  const policies = PersistentMap.from(all);
  return {
    ...tables,
    policies,
    namers,
    attached: attached.map((draft) => draft.build()),
    indexPolicies: once(() => buildPolicyIndexes(policies)),
  };
}
