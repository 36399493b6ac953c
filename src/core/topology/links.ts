/** What one object is linked to, what it asked for in vain, and what the answer rested on. */
import type { JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import type { KindId, ObjectId, ObjectRef } from "../model/refs.ts";
import type { NameLookup } from "../model/words/near-miss.ts";
import type { ChildUse } from "./child-uses.ts";
import type { LinkRows } from "./compile-rows.ts";
import type { Grant } from "./reference-grants.ts";
import type { SectionNames } from "./section-names.ts";

/** What an object's links are looked up in. */
export interface LinkContext {
  /** Valid objects only. */
  find(kind: KindId, namespace: string, name: string): KubeObject | undefined;
  /** With `kubernetes.io/metadata.name`, for implied namespaces too. */
  namespaceLabels(namespace: string): JsonObject;
  grantsIn(namespace: string): readonly Grant[];
  readonly rows: LinkRows;
  /** The list of the object before, if the first `count` are the same links: routes mostly hang where the one before does. */
  sharedUp(up: readonly PlacedLink[], count: number): readonly UpLink[] | undefined;
  readonly sectionNames: SectionNames;
  /** Remembers a list for the next object. */
  shareUp(up: readonly UpLink[]): void;
  /** Whether such an object exists but was refused as invalid; asked only for messages. */
  isInvalid?(kind: KindId, namespace: string, name: string): boolean;
  /**
   * For near misses in the reasons. Whoever keeps links up to date leaves it out, and calls `suggestName` when a refusal
   * is shown: the guess depends on every name of the kind, which `mentions` cannot say.
   */
  readonly names?: NameLookup;
}

export interface UpLink {
  readonly parent: ObjectId;
  /** Name of the parent's section that it hangs under: a listener. */
  readonly section?: string;
  /** The parent is a mesh Service, in its role as frontend (GEP-1294). */
  readonly frontend?: true;
}

/** `order`: place of the section among its parent's; -1: the parent itself. */
export interface PlacedLink {
  readonly order: number;
  readonly link: UpLink;
}

export interface DownLink {
  readonly child: ObjectId;
  readonly childKind: KindId;
  /** In the order of the sections, each once. Objects that use their children alike share the list. */
  readonly uses: readonly ChildUse[];
}

/** Reasons that Gateway API has are its own words. */
export type RefusalCode =
  | "NoMatchingParent"
  | "NotAllowedByListeners"
  | "NoMatchingListenerHostname"
  | "NotAllowed"
  | "BackendNotFound"
  | "RefNotPermitted"
  | "InvalidKind"
  | "InvalidRef"
  | "ParentNotFound"
  | "SelfReference";

/** A link that the object asks for and does not get. */
export interface LinkRefusal {
  readonly field: string;
  readonly reason: string;
  readonly code: RefusalCode;
  readonly parent?: ObjectRef;
  readonly child?: ObjectRef;
}

/** What an object hangs under: all that paths to it need. Objects that hang under the same share it. */
export interface ParentLinks extends ParentNotes {
  /** Sorted by the parent's id, then by the order of its sections. */
  readonly up: readonly UpLink[];
  /** The names of its own sections, in order. Objects that name theirs alike share the list. */
  readonly sections: readonly string[];
}

/** What is to be said beside the links up; of most objects nothing. */
export interface ParentNotes {
  /** Parents that the object names and the snapshot does not have. */
  readonly absentParents: readonly ObjectRef[];
  /** Cluster-scoped parents named by their bare name that no document defines (GatewayClass): linked all the same. */
  readonly impliedParents: readonly ObjectRef[];
  /** Namespaces whose labels were read. */
  readonly labelsOf: readonly string[];
}

export interface ObjectLinks extends ParentLinks, LinkNotes {
  /** Sorted by the child's id, each child once. */
  readonly down: readonly DownLink[];
}

/** What is to be said beside the links; of most objects nothing. */
export interface LinkNotes extends ParentNotes {
  readonly refusals: readonly LinkRefusal[];
  /** Objects named, there or not, that there is no link to. `forEachMention` tells all that are named. */
  readonly unlinked: readonly ObjectId[];
  /** Namespaces whose ReferenceGrants were read. */
  readonly grantsOf: readonly string[];
}

/** Every object that is named, there or not; some perhaps more than once. */
export function forEachMention({ up, down, unlinked }: ObjectLinks, visit: (id: ObjectId) => void): void {
  let last: ObjectId | undefined;
  for (const { parent } of up) {
    // The links to the listeners of one Gateway stand side by side.
    if (parent !== last) visit(parent);
    last = parent;
  }
  for (const { child } of down) visit(child);
  for (const id of unlinked) visit(id);
}

export function mentionsOf(links: ObjectLinks): readonly ObjectId[] {
  const mentions = new Set<ObjectId>();
  forEachMention(links, (id) => mentions.add(id));
  return [...mentions];
}
