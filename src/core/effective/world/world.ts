/**
 * The tables of one evaluation. All tables are persistent: the next evaluation shares what did not change, and this one stays
 * readable.
 *
 * Tables are made in four stages, and each stage is a type: a function that takes `WithLinks` cannot read a table of policies
 * that is not up to date. `build-world.ts` makes the stages of a first evaluation, `update/update-world.ts` those of the next.
 */

import type { ResolvedReferences } from "../../attachment/resolve-references.ts";
import type { ResolvedTargets } from "../../attachment/resolved-targets.ts";
import type { IdIndex } from "../../model/collections/id-index.ts";
import type { ObjectIndex } from "../../model/collections/object-index.ts";
import type { Once } from "../../model/collections/once.ts";
import type { PersistentMap } from "../../model/collections/persistent-map.ts";
import type { KnownAbsence } from "../../model/completeness.ts";
import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { Policy } from "../../model/policy.ts";
import type { KindId, ObjectId, PolicyId } from "../../model/refs.ts";
import type { UnevaluatedRule } from "../../model/schema/judge/check-node.ts";
import type { Judging } from "../../model/schema/judge/judging.ts";
import type { RefusedObject } from "../../model/snapshot.ts";
import type { NameLookup } from "../../model/words/near-miss.ts";
import type { ChildLinks, ParentLinks } from "../../topology/links.ts";
import type { Grant } from "../../topology/reference-grants.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import type { DuplicateDocument } from "./duplicate-document.ts";
import type { PolicyTally, Unenforced } from "./policy-tally.ts";
import type { Rulebook } from "./rulebook.ts";
import type { NodeSets } from "./stack.ts";
import type { UnfollowedLinks } from "./unfollowed-links.ts";

/** Stage 1: the objects and the rules. */
export interface WithObjects extends KnownAbsence {
  readonly rulebook: Rulebook;
  readonly objects: ObjectIndex;
  /** Objects that exist but cannot be used. */
  readonly refused: PersistentMap<ObjectId, RefusedObject>;
  /** Rules of schemas that could not be evaluated on an object. */
  readonly unevaluated: PersistentMap<ObjectId, readonly UnevaluatedRule[]>;
  /** How objects that change are judged. */
  readonly judging: Judging;
  /** Findings about documents without an identity, and about duplicates. */
  readonly documentFindings: readonly Finding[];
  /** Documents for objects that another document describes too, as far as the scope of a kind in the rulebook decides it. */
  readonly duplicates: PersistentMap<ObjectId, readonly DuplicateDocument[]>;
  /** The ReferenceGrants of each namespace. */
  readonly grants: PersistentMap<string, readonly Grant[]>;
}

/** Stage 2: what each object is linked to. */
export interface WithLinks extends WithObjects {
  /** The links to parents of the objects whose kind can have any links. */
  readonly links: PersistentMap<ObjectId, ParentLinks>;
  /** The links to children of the same objects. Most paths, verdicts and changes need parents only. */
  readonly linkChildren: Once<PersistentMap<ObjectId, ChildLinks>>;
  /** The links of one object to its children. A question about one object does not need those of all others. */
  readonly childLinksOf: (id: ObjectId) => ChildLinks | undefined;
  /** Objects some of whose links are not followed: they are on a cycle, or nested too deep. */
  readonly unfollowed: ReadonlyMap<ObjectId, UnfollowedLinks>;
  /** The links to parents, by what they depend on. Only changes need it. */
  readonly indexLinks: Once<LinkIndexes>;
  /** The links to children, by what they depend on. Only paths to backends, and changes of backends and grants, need it. */
  readonly indexChildren: Once<ChildIndexes>;
  /** For "did you mean" in messages. */
  readonly names: NameLookup;
}

export interface ChildIndexes {
  /** The objects that refer to an object, whether it exists or not. */
  readonly referrers: IdIndex<ObjectId, ObjectId>;
  /** The objects whose links depend on the ReferenceGrants of a namespace. */
  readonly grantReaders: IdIndex<string, ObjectId>;
}

export interface LinkIndexes extends ChildIndexes {
  /** The objects whose links depend on the labels of a namespace. */
  readonly labelReaders: IdIndex<string, ObjectId>;
}

/** Stage 3: the policies, and where they are attached. */
export interface WithPolicies extends WithLinks {
  readonly policies: PersistentMap<PolicyId, PolicyRecord>;
  /** The objects that name a policy, whether it exists or not. */
  readonly namers: IdIndex<ObjectId, ObjectId>;
  /** The policies on each object, for each policy kind by its index. */
  readonly attached: readonly PersistentMap<ObjectId, NodeSets>[];
  /** Computed on the first call: only changes need it. */
  readonly indexPolicies: () => PolicyIndexes;
}

export interface PolicyRecord {
  readonly kind: CompiledKind;
  readonly object: KubeObject;
  /** Undefined: the policy is Invalid, for the reasons in `findings`. */
  readonly policy: Policy | undefined;
  readonly findings: readonly Finding[];
  readonly targets: ResolvedTargets;
  readonly references: ResolvedReferences;
}

/** The policies, by what their targets depend on. */
export interface PolicyIndexes {
  /** The policies that name an object as their target, or refer to it, whether it exists or not. */
  readonly targetedBy: IdIndex<ObjectId, PolicyId>;
  /** The policies whose targets depend on the ReferenceGrants of a namespace. */
  readonly grantReaders: IdIndex<string, PolicyId>;
  /** The policies that select targets of a kind by label. */
  readonly selectors: IdIndex<KindId, PolicyId>;
  /** The policies that name an object of a kind that does not exist: their messages suggest other names of that kind. */
  readonly missing: IdIndex<KindId, PolicyId>;
}

/** Stage 4: all tables of an evaluation. */
export interface World extends WithPolicies {
  /** Where and how far each policy takes effect. Computed on the first call: it visits every path. */
  readonly countTallies: () => PersistentMap<PolicyId, PolicyTally>;
  /** The policies behind Gateways of controllers that do not carry their kind out. Computed on the first call. */
  readonly findUnenforced: () => ReadonlyMap<PolicyId, Unenforced>;
}
