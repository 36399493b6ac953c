import type { KindFacts } from "../model/definition.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/kube-object.ts";
import { displayRef, type GroupKind, idOf, type ObjectId, type ObjectRef } from "../model/refs.ts";
import { suggestName } from "../model/words/near-miss.ts";
import type { ChildUses } from "./child-uses.ts";
import type { LinkPlan, RefField, RefTarget } from "./compile-rows.ts";
import type { LinkContext, LinkRefusal, PlacedLink } from "./links.ts";
import type { Listener } from "./listeners-of.ts";
import { isReferenceGranted } from "./reference-grants.ts";

/**
 * The links of one object in the making. There is one for all objects, one after the other: what it holds is used again
 * for the next, and lists that are mostly empty are made when needed.
 */
export interface LinkDraft {
  object: KubeObject;
  /** The object's namespace. */
  home: string;
  plan: LinkPlan;
  readonly context: LinkContext;
  /** The objects named so far are the first `namedCount`; one may be among them several times, where there are many. */
  readonly named: NamedObject[];
  namedCount: number;
  /** The links up so far are the first `upCount`. */
  readonly up: PlacedLink[];
  upCount: number;
  /** Listeners that take every route of a kind and namespace. Kept for the objects that come next. */
  openTo: { readonly listeners: readonly Listener[]; readonly facts: KindFacts; readonly home: string } | undefined;
  refusals: LinkRefusal[] | undefined;
  absentParents: ObjectRef[] | undefined;
  impliedParents: ObjectRef[] | undefined;
  /** Whether the labels of its namespace were read: no others ever are. */
  labelsRead: boolean;
  grantsOf: Set<string> | undefined;
}

export interface NamedObject {
  target: RefTarget;
  namespace: string;
  name: string;
  object: KubeObject | undefined;
  permitted: boolean | undefined;
  isParent: boolean;
  /** By which sections it is used as a child, if it is one. */
  uses: ChildUses | undefined;
}

export function addUp(draft: LinkDraft, link: PlacedLink): void {
  draft.up[draft.upCount++] = link;
}

/** So many are looked through for one that is named again: others are looked up in the tables instead. */
const REMEMBERED = 32;

/** The kind that a reference means, by the field's defaults; spelled just as it is, as Gateway API compares them. */
export function findTarget(field: RefField, ref: JsonObject): RefTarget | undefined {
  const { byDefault } = field;
  if (byDefault !== undefined && isDefault(byDefault, ref)) return byDefault;
  const group = ref["group"] ?? (field.groupByDefault ? byDefault?.facts.group : undefined);
  const kind = ref["kind"] ?? byDefault?.facts.kind;
  if (typeof kind !== "string" || (group !== undefined && typeof group !== "string")) return undefined;
  let found: RefTarget | undefined;
  for (const target of field.targets) {
    if (target.facts.kind !== kind || (group !== undefined && target.facts.group !== group)) continue;
    if (found !== undefined) return undefined;
    found = target;
  }
  return found;
}

/** By far the most common: nothing said, or the default spelled out, as the API server does. */
const isDefault = ({ facts }: RefTarget, { group, kind }: JsonObject): boolean =>
  (kind === undefined || kind === facts.kind) && (group === undefined || group === facts.group);

/** The object that a reference names. `undefined`: the reference itself is no good. */
export function findNamed(draft: LinkDraft, target: RefTarget, ref: JsonObject): NamedObject | undefined {
  const name = ref["name"];
  if (typeof name !== "string" || name === "") return undefined;
  return lookUp(draft, target, namespaceOf(draft, target, ref["namespace"]), name);
}

function namespaceOf(draft: LinkDraft, target: RefTarget, namespace: Json | undefined): string {
  if (target.facts.scope === "Cluster") return "";
  return typeof namespace === "string" && namespace !== "" ? namespace : draft.home;
}

export function lookUp(draft: LinkDraft, target: RefTarget, namespace: string, name: string): NamedObject {
  const { named } = draft;
  for (let i = 0; i < draft.namedCount && i < REMEMBERED; i++) {
    const known = named[i] as NamedObject;
    if (known.name === name && known.target === target && known.namespace === namespace) return known;
  }
  const object = draft.context.find(target.id, namespace, name);
  const next = named[draft.namedCount++];
  if (next === undefined) {
    const made = { target, namespace, name, object, permitted: undefined, isParent: false, uses: undefined };
    named.push(made);
    return made;
  }
  next.target = target;
  next.namespace = namespace;
  next.name = name;
  next.object = object;
  next.permitted = undefined;
  next.isParent = false;
  next.uses = undefined;
  return next;
}

/** There or not. */
export const idOfNamed = ({ target, namespace, name, object }: NamedObject): ObjectId =>
  object?.id ?? idOf(target.id, namespace, name);

/** References within a namespace need no permission; those of cluster-scoped objects come from those who may do anything. */
export function isPermitted(draft: LinkDraft, named: NamedObject): boolean {
  const { home, object } = draft;
  if (named.namespace === home || named.namespace === "" || home === "") return true;
  if (named.permitted === undefined) {
    draft.grantsOf = (draft.grantsOf ?? new Set()).add(named.namespace);
    named.permitted = isReferenceGranted(draft.context.grantsIn(named.namespace), object.ref, refOf(named));
  }
  return named.permitted;
}

export const refOf = ({ target, namespace, name }: NamedObject): ObjectRef => ({
  group: target.facts.group,
  kind: target.facts.kind,
  namespace,
  name,
});

export function refuse(draft: LinkDraft, refusal: LinkRefusal): void {
  draft.refusals ??= [];
  draft.refusals.push(refusal);
}

/** `no Service 'bakr' in namespace 'bakery'; did you mean 'baker'?` */
export function describeMissing(context: LinkContext, named: NamedObject): string {
  const { target, namespace, name } = named;
  if (context.isInvalid?.(target.id, namespace, name) === true) {
    return `${displayRef(refOf(named))} is not valid, so nothing can be linked to it`;
  }
  const where = namespace === "" ? "" : ` in namespace '${namespace}'`;
  const guess = context.names === undefined ? "" : suggestName(context.names, target.id, namespace, name);
  return `no ${target.facts.kind} '${name}'${where}${guess}`;
}

/** `HTTPRoute bakery/baker may not refer to Service prod/db: …` */
export function describeForbidden({ object }: LinkDraft, named: NamedObject): string {
  const { kind, namespace } = object.ref;
  const to = displayRef(refOf(named));
  return `${displayRef(object.ref)} may not refer to ${to}: no ReferenceGrant in namespace '${named.namespace}' allows it from ${kind} in namespace '${namespace}'`;
}

/** Why a reference to a kind that no row of the link table knows is refused. */
export function describeUnknownKind(
  draft: LinkDraft,
  field: RefField,
  ref: JsonObject,
  role: "parent" | "child",
): string {
  const group = ref["group"] ?? (field.groupByDefault ? field.byDefault?.facts.group : undefined);
  const kind = ref["kind"] ?? field.byDefault?.facts.kind;
  if (kind === undefined) return `the reference must say its kind: ${kindsOf(field)}`;
  const shown = `${typeof kind === "string" ? `'${kind}'` : "?"}${typeof group === "string" ? ` of group '${group}'` : ""}`;
  const meant = field.targets.find(
    ({ facts }) => typeof kind === "string" && facts.kind.toLowerCase() === kind.toLowerCase(),
  );
  const hint = meant === undefined ? "" : `; for ${meant.facts.kind} write ${wordsOf(meant.facts, kind, group)}`;
  return `a ${draft.object.family.kind} has no ${role} of kind ${shown}, only ${kindsOf(field)}${hint}`;
}

/** What is to be written otherwise: the kind, if only its case is wrong; the group, without a version; or both. */
function wordsOf(meant: GroupKind, kind: Json, group: Json | undefined): string {
  const words = [
    ...(kind === meant.kind ? [] : [`kind: ${meant.kind}`]),
    ...(group === meant.group ? [] : [`group: '${meant.group}'`]),
  ];
  return words.join(", ");
}

const kindsOf = (field: RefField): string => field.targets.map(({ facts }) => facts.kind).join(", ");
