/** Policies that the evaluation ignores because no usable definition describes their kind. */

import type { Finding } from "../../model/finding.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { compareText, type GroupKind, isKindName, kindId, type ObjectId } from "../../model/refs.ts";
import { TARGET_FIELDS } from "../../model/schema/crd-schemas.ts";
import type { World } from "../world/world.ts";

/** A PolicyDefinition or CRD with an error, and the policies that depend on it. */
export interface BrokenDefinition {
  readonly object: ObjectId;
  /** The errors of the definition, in their order in the document. */
  readonly errors: readonly [Finding, ...Finding[]];
  readonly kinds: readonly BrokenKind[];
}

/** A kind of a broken definition. */
export interface BrokenKind extends GroupKind {
  /** The objects of the kind. */
  readonly policies: readonly KubeObject[];
  readonly effect: BrokenEffect;
}

/** The treatment of the objects. `NotChecked`: they count, and what the schema of their CRD says about them is not known. */
export type BrokenEffect = "Ignored" | "ReadByAnotherDefinition" | "NotChecked";

type Tables = Pick<World, "rulebook" | "objects" | "refused">;

/** The definitions with errors, in the order of their ids. */
export function brokenDefinitions(tables: Tables): readonly BrokenDefinition[] {
  const byObject = new Map<ObjectId, [Finding, ...Finding[]]>();
  for (const finding of tables.rulebook.findings) {
    if (finding.severity !== "error" || finding.object === undefined) continue;
    const known = byObject.get(finding.object);
    if (known === undefined) byObject.set(finding.object, [finding]);
    else known.push(finding);
  }
  tables.refused.forEach(({ object, findings: [first, ...others] }, id) => {
    if (isCrd(object) && first !== undefined) byObject.set(id, [first, ...others]);
  });
  return [...byObject]
    .sort(([a], [b]) => compareText(a, b))
    .map(([object, errors]) => ({ object, errors, kinds: kindsOf(tables, object) }));
}

export const isCrd = ({ family }: KubeObject): boolean =>
  family.kind === "CustomResourceDefinition" && family.group === "apiextensions.k8s.io";

function kindsOf(tables: Tables, definition: ObjectId): readonly BrokenKind[] {
  const refused = tables.refused.get(definition)?.object;
  const kinds = new Map(namedKinds(refused ?? tables.objects.get(definition)).map((kind) => [kindId(kind), kind]));
  return [...kinds].map(([id, { group, kind }]) => {
    const policies = tables.objects.ofKind(id);
    const isDescribed = tables.rulebook.byPolicyKind.has(id);
    const effect = isDescribed ? "ReadByAnotherDefinition" : "Ignored";
    return { group, kind, policies, effect: refused === undefined ? effect : effectOfCrd(policies, isDescribed) };
  });
}

/** Without its CRD the definition of a policy kind cannot be inferred. */
const effectOfCrd = (policies: readonly KubeObject[], isDescribed: boolean): BrokenEffect =>
  !isDescribed && policies.some(looksLikePolicy) ? "Ignored" : "NotChecked";

/** The policy kinds that a definition names, read leniently: the definition has errors. */
export function namedKinds(definition: KubeObject | undefined): readonly GroupKind[] {
  const spec = definition === undefined ? undefined : ownValue(definition.raw, "spec");
  if (!isJsonObject(spec)) return [];
  if (definition?.family.kind === "CustomResourceDefinition") {
    const names = ownValue(spec, "names");
    return kindIn(spec, isJsonObject(names) ? ownValue(names, "kind") : undefined);
  }
  const policies = ownValue(spec, "policies");
  return (isJsonList(policies) ? policies : []).flatMap((item) =>
    isJsonObject(item) ? kindIn(item, ownValue(item, "kind")) : [],
  );
}

function kindIn(object: JsonObject, kind: Json | undefined): readonly GroupKind[] {
  const group = ownValue(object, "group");
  return typeof group === "string" && typeof kind === "string" && isKindName(kind) ? [{ group, kind }] : [];
}

/** Policies of one kind that no definition describes, not even a broken one. */
export interface UnknownKind extends GroupKind {
  readonly policies: readonly [KubeObject, ...KubeObject[]];
  /** True if a CRD of the kind is there, without the label of a policy kind. */
  readonly hasCrd: boolean;
}

/** The kinds of objects that look like policies and that nothing describes, in the order of their ids. */
export function unknownPolicyKinds(tables: Tables): readonly UnknownKind[] {
  const { rulebook, objects } = tables;
  const broken = new Set(brokenDefinitions(tables).flatMap(({ kinds }) => kinds.map((kind) => kindId(kind))));
  const found: UnknownKind[] = [];
  for (const id of [...objects.kinds()].sort(compareText)) {
    if (rulebook.isDescribed(id) || broken.has(id)) continue;
    const [first, ...others] = objects.ofKind(id).filter(looksLikePolicy);
    if (first === undefined) continue;
    const { group, kind } = first.family;
    found.push({ group, kind, policies: [first, ...others], hasCrd: rulebook.factsOf(id) !== undefined });
  }
  return found;
}

export function looksLikePolicy({ raw }: KubeObject): boolean {
  const spec = ownValue(raw, "spec");
  return isJsonObject(spec) && TARGET_FIELDS.some((field) => ownValue(spec, field) !== undefined);
}

/** A target of an ignored policy, as far as it can be read. */
export interface WrittenTarget {
  readonly kind: string;
  readonly namespace: string;
  /** Undefined: every object of the kind, because a selector or an unknown field selects it. */
  readonly name: string | undefined;
}

/** The targets of an ignored policy. Undefined: they cannot be read, so the policy may be about any object. */
export function writtenTargets({ raw, family }: KubeObject): readonly WrittenTarget[] | undefined {
  const spec = ownValue(raw, "spec");
  if (!isJsonObject(spec)) return undefined;
  const items = TARGET_FIELDS.flatMap((field): readonly Json[] => {
    const value = ownValue(spec, field);
    return value === undefined ? [] : isJsonList(value) ? value : [value];
  });
  const targets: WrittenTarget[] = [];
  for (const item of items) {
    const kind = isJsonObject(item) ? ownValue(item, "kind") : undefined;
    if (!isJsonObject(item) || typeof kind !== "string") return undefined;
    const [namespace, name] = [ownValue(item, "namespace"), ownValue(item, "name")];
    targets.push({
      kind: kind.toLowerCase(),
      namespace: typeof namespace === "string" && namespace !== "" ? namespace : family.namespace,
      name: typeof name === "string" ? name : undefined,
    });
  }
  return targets.length === 0 ? undefined : targets;
}
