/**
 * The tables of one evaluation: objects, what they are linked to, which policies are attached where, and how each policy
 * fares. All persistent: the next evaluation shares what did not change, and this one stays readable.
 */

import type { ResolvedTargets } from "../../attachment/resolved-targets.ts";
import type { IdSet } from "../../model/collections/id-set.ts";
import type { LayeredMap } from "../../model/collections/layered-map.ts";
import type { ObjectIndex } from "../../model/collections/object-index.ts";
import type { ObjectTable } from "../../model/collections/object-table.ts";
import type { ObjectsByKind } from "../../model/collections/objects-by-kind.ts";
import type { KindFacts } from "../../model/definition.ts";
import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import type { ParsedPolicy } from "../../model/parse/parse-policy.ts";
import type { Policy } from "../../model/policy.ts";
import type { KindId, ObjectId, PolicyId } from "../../model/refs.ts";
import type { LinkRows } from "../../topology/compile-rows.ts";
import type { ObjectLinks, ParentLinks } from "../../topology/links.ts";
import type { Grant } from "../../topology/reference-grants.ts";
import type { CompiledKind } from "./compiled-kind.ts";
import type { Double } from "./double.ts";
import type { HierarchyFacts, KindPlaces } from "./kind-places.ts";
import type { PolicyTally } from "./policy-tally.ts";
import type { NodeSets } from "./stack.ts";
import type { Tangle } from "./tangle.ts";

/** What holds for a whole lineage of evaluations; when it changes, everything is evaluated anew. */
export interface Rulebook extends HierarchyFacts {
  readonly kinds: readonly CompiledKind[];
  /** Of each of the kinds, the places of others in its hierarchy. */
  readonly places: readonly KindPlaces[];
  readonly byPolicyKind: ReadonlyMap<KindId, CompiledKind>;
  readonly findKind: (group: string | undefined, kind: string) => KindFacts | undefined;
  /** Whether the kind is built in, or a definition says something about it: more than a CRD does. */
  readonly isDescribed: (kind: KindId) => boolean;
  readonly rows: LinkRows;
  /** Kinds whose objects others name as their parent and hang under. */
  readonly isParentByRef: (kind: KindId) => boolean;
  /** Kinds of rows that definitions added: only among these can links form a cycle. */
  readonly isForeign: (kind: KindId) => boolean;
  readonly parsePolicy: (object: KubeObject) => ParsedPolicy;
  readonly findings: readonly Finding[];
}

export interface WorldObjects {
  readonly byId: ObjectIndex;
  readonly byKind: ObjectsByKind;
  /** How many objects each namespace has: one that is used exists, defined or not. */
  readonly namespaces: LayeredMap<string, number>;
}

export interface PolicyRecord {
  readonly kind: CompiledKind;
  readonly object: KubeObject;
  /** Absent: Invalid, as the findings say. */
  readonly policy: Policy | undefined;
  readonly findings: readonly Finding[];
  readonly targets: ResolvedTargets;
}

export interface World {
  readonly rulebook: Rulebook;
  readonly objects: WorldObjects;
  /** Objects that are there but cannot be used. */
  readonly refused: LayeredMap<ObjectId, readonly Finding[]>;
  /** About documents without an identity, and about duplicates. */
  readonly documentFindings: readonly Finding[];
  /** Documents for objects that others describe as well, which only the rulebook could tell. */
  readonly doubles: LayeredMap<ObjectId, readonly Double[]>;
  /** What objects hang under, of those that link to others. */
  readonly parents: ObjectTable<ObjectId, ParentLinks>;
  /** The same and what hangs under them, with what they asked for in vain: worked out when somebody asks. */
  readonly links: ObjectTable<ObjectId, ObjectLinks>;
  /** Who names an object, whether it exists or not: routes, policies. */
  readonly mentionedBy: LayeredMap<ObjectId, IdSet<ObjectId>>;
  /** Whose links rest on a namespace's labels; on its ReferenceGrants. */
  readonly labelReaders: LayeredMap<string, IdSet<ObjectId>>;
  readonly grantReaders: LayeredMap<string, IdSet<ObjectId>>;
  readonly grants: LayeredMap<string, readonly Grant[]>;
  readonly policies: ObjectTable<PolicyId, PolicyRecord>;
  /** Policies that select targets of a kind by label. */
  readonly selectors: LayeredMap<KindId, IdSet<PolicyId>>;
  /** Policies that name something of a kind that is not there: their messages guess among all names of that kind. */
  readonly missing: LayeredMap<KindId, IdSet<PolicyId>>;
  /** By the index of the policy kind. */
  readonly attached: readonly ObjectTable<ObjectId, NodeSets>[];
  /** Objects some of whose links are not followed: on a cycle, or nested without end. */
  readonly tangles: ReadonlyMap<ObjectId, Tangle>;
  readonly tallies: ObjectTable<PolicyId, PolicyTally>;
}
