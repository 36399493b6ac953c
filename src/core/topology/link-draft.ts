/** The links of one object while they are computed, and what references to parents and to children have in common. */
import type { Json, JsonObject } from "../model/json.ts";
import { kinds as builtInKinds, GATEWAY_API } from "../model/kinds.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { formatRef, type GroupKind, idOf, type ObjectId, type ObjectRef } from "../model/refs.ts";
import { suggestName } from "../model/words/near-miss.ts";
import type { LinkPlan, RefField, RefTarget } from "./compile-rows.ts";
import type { ChildUse, LinkContext, LinkRefusal, ParentLinks, RefusalCode, UpLink } from "./links.ts";
import type { Listener } from "./listeners-of.ts";
import { isReferencePermitted, needsGrant } from "./reference-grants.ts";

export interface LinkDraft {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly plan: LinkPlan;
  readonly context: LinkContext;
  /** Every object that was named so far. */
  readonly named: Map<ObjectId, NamedObject>;
  readonly refusals: LinkRefusal[];
  /** Namespaces whose ReferenceGrants were read. */
  readonly grantsOf: string[];
}

/** The links to parents while they are computed. */
export interface ParentDraft extends LinkDraft {
  readonly listenersOf: (owner: KubeObject, target: RefTarget, section: string) => readonly Listener[];
  readonly up: ParentLink[];
  readonly absentParents: ObjectRef[];
  readonly impliedParents: ObjectRef[];
  /** True if the labels of the object's own namespace were read. No other labels are. */
  labelsRead: boolean;
}

/** The links to children while they are computed. */
export interface ChildDraft extends LinkDraft {
  readonly parents: ParentLinks;
}

export const newParentDraft = (
  object: KubeObject,
  plan: LinkPlan,
  context: LinkContext,
  listenersOf: ParentDraft["listenersOf"],
): ParentDraft => ({
  object,
  namespace: object.family.namespace,
  plan,
  context,
  named: new Map(),
  refusals: [],
  grantsOf: [],
  listenersOf,
  up: [],
  absentParents: [],
  impliedParents: [],
  labelsRead: false,
});

export const newChildDraft = (
  object: KubeObject,
  plan: LinkPlan,
  context: LinkContext,
  parents: ParentLinks,
): ChildDraft => ({
  object,
  namespace: object.family.namespace,
  plan,
  context,
  named: new Map(),
  refusals: [],
  grantsOf: [],
  parents,
});

/** The named objects that are not linked. */
export function unlinkedIn({ named }: LinkDraft): readonly ObjectId[] {
  const unlinked: ObjectId[] = [];
  for (const { id, isParent, uses } of named.values()) if (!isParent && uses.length === 0) unlinked.push(id);
  return orNone(unlinked);
}

const NONE: readonly never[] = [];

/** One empty list for all: most objects have nothing refused, absent or implied, and links are kept for every object. */
export const orNone = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : list);

/** A link up, and the index of the section among its parent's sections; -1: the parent itself. */
export interface ParentLink {
  readonly order: number;
  readonly link: UpLink;
}

export interface NamedObject {
  readonly id: ObjectId;
  readonly target: RefTarget;
  readonly ref: ObjectRef;
  /** Undefined if there is no such object. */
  readonly object: KubeObject | undefined;
  permitted: boolean | undefined;
  isParent: boolean;
  /** The sections that use the object as a child; empty if it is not a child. */
  readonly uses: ChildUse[];
}

/** The kind that a reference means, by the defaults of the field. Kinds and groups compare exactly, as in Gateway API. */
export function findTarget(field: RefField, ref: JsonObject): RefTarget | undefined {
  const { byDefault } = field;
  const group = ref["group"] ?? (field.groupByDefault ? byDefault?.facts.group : undefined);
  const kind = ref["kind"] ?? byDefault?.facts.kind;
  if (typeof kind !== "string" || (group !== undefined && typeof group !== "string")) return undefined;
  let meant: RefTarget | undefined;
  for (const target of field.targets) {
    if (target.facts.kind !== kind || (group !== undefined && target.facts.group !== group)) continue;
    if (meant !== undefined) return undefined;
    meant = target;
  }
  return meant;
}

/** The object that a reference names. `undefined`: the reference has no name. */
export function findNamed(draft: LinkDraft, target: RefTarget, ref: JsonObject): NamedObject | undefined {
  const name = ref["name"];
  if (typeof name !== "string" || name === "") return undefined;
  return lookUp(draft, target, namespaceOf(draft, target, ref["namespace"]), name);
}

function namespaceOf(draft: LinkDraft, target: RefTarget, namespace: Json | undefined): string {
  if (target.facts.scope === "Cluster") return "";
  return typeof namespace === "string" && namespace !== "" ? namespace : draft.namespace;
}

export function lookUp(draft: LinkDraft, target: RefTarget, namespace: string, name: string): NamedObject {
  const object = draft.context.find(target.id, namespace, name);
  const id = object?.id ?? idOf(target.id, namespace, name);
  const known = draft.named.get(id);
  if (known !== undefined) return known;
  const { group, kind } = target.facts;
  const ref = { group, kind, namespace, name };
  const named: NamedObject = { id, target, ref, object, permitted: undefined, isParent: false, uses: [] };
  draft.named.set(id, named);
  return named;
}

export function isPermitted(draft: LinkDraft, named: NamedObject): boolean {
  if (named.permitted === undefined) {
    const { family } = draft.object;
    const { namespace } = named.ref;
    if (needsGrant(family, named.ref) && !draft.grantsOf.includes(namespace)) draft.grantsOf.push(namespace);
    named.permitted = isReferencePermitted(family, named.ref, draft.context.grantsIn);
  }
  return named.permitted;
}

/** `no Service 'bakr' in namespace 'bakery'; did you mean 'baker'?` */
export function formatMissing(context: LinkContext, { target, ref }: NamedObject): string {
  const { namespace, name } = ref;
  if (context.isInvalid?.(target.id, namespace, name) === true) {
    return `${formatRef(ref)} is not valid, so nothing can be linked to it`;
  }
  const where = namespace === "" ? "" : ` in namespace '${namespace}'`;
  const guess = context.names === undefined ? "" : suggestName(context.names, target.id, namespace, name);
  return `no ${target.facts.kind} '${name}'${where}${guess}`;
}

/** `HTTPRoute bakery/baker may not refer to Service prod/db: …` */
export function formatForbidden({ object }: LinkDraft, { ref: to }: NamedObject): string {
  const { kind, namespace } = object.ref;
  return `${formatRef(object.ref)} may not refer to ${formatRef(to)}: no ReferenceGrant in namespace '${to.namespace}' allows it from ${kind} in namespace '${namespace}'`;
}

/** Why a reference to a kind that no row of the link table has is refused. */
export function unknownKind(
  draft: LinkDraft,
  field: RefField,
  ref: JsonObject,
  role: "parent" | "child",
): { readonly code: RefusalCode; readonly reason: string } {
  if (isLeftToImplementations(draft, field, ref)) {
    const reason = `kind '${ref.kind}' of group '${ref.group ?? ""}' is left to implementations: it is not known here, and the path ends`;
    return { code: "ImplementationSpecificKind", reason };
  }
  return { code: "InvalidKind", reason: formatUnknownKind(draft, field, ref, role) };
}

/** A kind of multicluster.x-k8s.io, which some implementations take without its group. */
const SERVICE_IMPORT = "ServiceImport";

/**
 * Kinds that are left to implementations
 *
 * A route may refer to kinds that Gateway API does not define, and to kinds of Gateway API beyond those that it supports there: support is
 * implementation-specific. Such a reference is not known to be wrong, unless its kind or group is misspelt.
 * Gateway API, "BackendObjectReference"
 */
function isLeftToImplementations(
  { object }: LinkDraft,
  { targets }: RefField,
  ref: JsonObject,
): ref is JsonObject & { readonly group?: string; readonly kind: string } {
  const { group, kind } = ref;
  if (!object.family.group.startsWith("gateway.networking.")) return false;
  if (typeof kind !== "string") return false;
  if ((group ?? "") === "") return kind === SERVICE_IMPORT;
  if (typeof group !== "string" || !group.includes(".")) return false;
  if (targets.some(({ facts }) => facts.kind.toLowerCase() === kind.toLowerCase())) return false;
  return group !== GATEWAY_API || builtInKinds.some((known) => known.group === group && known.kind === kind);
}

function formatUnknownKind(draft: LinkDraft, field: RefField, ref: JsonObject, role: "parent" | "child"): string {
  const group = ref["group"] ?? (field.groupByDefault ? field.byDefault?.facts.group : undefined);
  const kind = ref["kind"] ?? field.byDefault?.facts.kind;
  if (kind === undefined) return `the reference must have a kind: ${kindsOf(field)}`;
  const shown = `${typeof kind === "string" ? `'${kind}'` : "?"}${typeof group === "string" ? ` of group '${group}'` : ""}`;
  const meant = field.targets.find(
    ({ facts }) => typeof kind === "string" && facts.kind.toLowerCase() === kind.toLowerCase(),
  );
  const hint = meant === undefined ? "" : `; for ${meant.facts.kind} write ${formatFix(meant.facts, kind, group)}`;
  return `a ${draft.object.family.kind} has no ${role} of kind ${shown}, only ${kindsOf(field)}${hint}`;
}

/** The fields to change: the kind if only its case is wrong; the group without a version; or both. */
function formatFix(meant: GroupKind, kind: Json, group: Json | undefined): string {
  const words = [
    ...(kind === meant.kind ? [] : [`kind: ${meant.kind}`]),
    ...(group === meant.group ? [] : [`group: '${meant.group}'`]),
  ];
  return words.join(", ");
}

const kindsOf = (field: RefField): string => field.targets.map(({ facts }) => facts.kind).join(", ");
