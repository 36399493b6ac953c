/** Identities of kinds, objects and targets. Each branded identifier has one constructor. */

/** The group and the name of a kind. The group of core kinds is empty. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A Kubernetes object by name. `namespace` is empty for cluster-scoped objects. */
export interface ObjectRef extends GroupKind {
  readonly namespace: string;
  readonly name: string;
}

export type KindId = string & { readonly __brand: "KindId" };

/** The identity of an object as text, which `objectId` builds and `parseObjectId` reads. */
export type ObjectId = string & { readonly __brand: "ObjectId" };
/** An object, or a named section of one (listener, route rule, service port): `<ObjectId>` or `<ObjectId>#<section>`. */
export type TargetId = string & { readonly __brand: "TargetId" };
/** The object identity of a policy. */
export type PolicyId = ObjectId & { readonly __policy: true };

export const kindId = (kind: GroupKind): KindId => `${kind.kind}.${kind.group}` as KindId;

/** The kind of an id. Only `kindId` makes ids, and no kind has a dot in its name. */
export function parseKindId(id: KindId): GroupKind {
  const dot = id.indexOf(".");
  return { kind: id.slice(0, dot), group: id.slice(dot + 1) };
}

/**
 * The id by which results name an object: `HTTPRoute.gateway.networking.k8s.io/bakery/baker`.
 *
 * @example
 * ```ts
 * const till = objectId({ group: "", kind: "Service", namespace: "shop", name: "till" });
 * console.log([...effectivePolicies(evaluation, { object: till })].length);
 * ```
 */
export const objectId = (ref: ObjectRef): ObjectId =>
  `${ref.kind}.${ref.group}/${ref.namespace}/${ref.name}` as ObjectId;

export const isNamespace = ({ group, kind }: GroupKind): boolean => group === "" && kind === "Namespace";

export const namespaceRef = (name: string): ObjectRef => ({ group: "", kind: "Namespace", namespace: "", name });

/** `objectId` from a kind's id. `join` makes one flat string; `+` would keep all parts in memory. */
export const idOf = (kind: KindId, namespace: string, name: string): ObjectId =>
  [kind, namespace, name].join("/") as ObjectId;

/**
 * The reference of an object, from its id. Only `objectId` makes ids, so every id has this form.
 *
 * @example
 * ```ts
 * for (const { policy } of verdicts(evaluation)) console.log(parseObjectId(policy).name);
 * ```
 */
export function parseObjectId(id: ObjectId): ObjectRef {
  const slash = id.indexOf("/");
  const second = id.indexOf("/", slash + 1);
  const dot = id.indexOf(".");
  return {
    kind: id.slice(0, dot),
    group: id.slice(dot + 1, slash),
    namespace: id.slice(slash + 1, second),
    name: id.slice(second + 1),
  };
}

/** `parseObjectId` with the kind as its id. */
export function splitId(id: ObjectId): { readonly kind: KindId; readonly namespace: string; readonly name: string } {
  const slash = id.indexOf("/");
  const second = id.indexOf("/", slash + 1);
  return {
    kind: id.slice(0, slash) as KindId,
    namespace: id.slice(slash + 1, second),
    name: id.slice(second + 1),
  };
}

/** `join` makes one flat string, as in `idOf`. */
export const targetId = (object: ObjectId, sectionName?: string): TargetId =>
  (sectionName === undefined ? object : [object, sectionName].join("#")) as TargetId;

/**
 * The object of a target, and the name of the section if the target is one. No object has a `#` in its name.
 *
 * @example
 * ```ts
 * for (const { target } of effectivePolicies(evaluation)) console.log(parseTargetId(target).sectionName);
 * ```
 */
export function parseTargetId(target: TargetId): { readonly object: ObjectId; readonly sectionName?: string } {
  const hash = target.indexOf("#");
  if (hash === -1) return { object: target as string as ObjectId };
  return { object: target.slice(0, hash) as ObjectId, sectionName: target.slice(hash + 1) };
}

/** `HTTPRoute bakery/baker#rule-1`. */
export const formatRef = (ref: ObjectRef, sectionName?: string): string =>
  `${ref.kind} ${ref.namespace === "" ? "" : `${ref.namespace}/`}${ref.name}${sectionName === undefined ? "" : `#${sectionName}`}`;

/** Compares by UTF-16 code units, independent of the locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The limit of the API server. */
export const MAX_NAME_LENGTH = 253;

/** A dot would end the kind in an id. */
export const isKindName = (kind: string): boolean => isPlainName(kind) && !kind.includes(".");

export const isGroupName = (group: string): boolean => group === "" || isPlainName(group);

/** True if a name may be part of an id, whose separators are `/` and `#`. */
export const isPlainName = (name: string): boolean =>
  name !== "" && name.length <= MAX_NAME_LENGTH && !name.includes("/") && !name.includes("#");
