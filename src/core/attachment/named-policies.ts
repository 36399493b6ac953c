/** Policies that objects name: filters of rules, references to parameters, annotations. */
import type { KindFacts, NamingField, PolicyDefinition } from "../model/definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../model/json.ts";
import { annotationOf, type KubeObject } from "../model/kube-object.ts";
import { parseSteps, type ValueAt, valuesAtSteps } from "../model/path-steps.ts";
import { type GroupKind, isPlainName, type ObjectRef } from "../model/refs.ts";
import { sectionsOf } from "../topology/sections-of.ts";

/** A name in a field of an object. */
export interface NamedPolicy {
  /** The section that has the field; absent: the object itself. */
  readonly sectionName?: string;
  /** The policies that the name can mean. The first one that exists is meant. */
  readonly meanings: readonly ObjectRef[];
  /** Where the name is: `spec.rules[0].filters[1].extensionRef`. */
  readonly field: string;
}

type FindFacts = (kind: GroupKind) => KindFacts | undefined;

/**
 * An object may name its policies
 *
 * A filter of a rule (`ExtensionRef`), a reference to parameters (`parametersRef`) or an annotation may name a policy instead of the policy
 * its target. The policy is then attached to the object or section that names it. A name without a namespace means one in the namespace of
 * the object; a name without a kind means the first of the definition's kinds that has such a policy.
 * Gateway API, "HTTPRouteFilter.extensionRef", "GatewayClassSpec.parametersRef"
 */
export function namedPolicies(
  object: KubeObject,
  { targeting, policies }: PolicyDefinition,
  factsOf: FindFacts,
): readonly NamedPolicy[] {
  const found: NamedPolicy[] = [];
  for (const row of targeting.namedBy ?? []) {
    if (row.level.kind !== object.family.kind || row.level.group !== object.family.group) continue;
    for (const { raw, start, sectionName } of ownersOf(object, row, factsOf)) {
      for (const { value, field } of writtenNames(object, raw, row, start)) {
        const meanings = policies.flatMap((kind) => meaningOf(value, kind, object.family.namespace));
        if (meanings.length === 0) continue;
        found.push({ ...(sectionName === undefined ? {} : { sectionName }), meanings, field });
      }
    }
  }
  return found;
}

/** The owner of the field: the object, or each of its sections of one kind. */
interface FieldOwner {
  readonly raw: JsonObject;
  /** The path of `raw` in the object. */
  readonly start: string;
  readonly sectionName?: string;
}

function ownersOf(object: KubeObject, { level }: NamingField, factsOf: FindFacts): readonly FieldOwner[] {
  if (level.section === undefined) return [{ raw: object.raw, start: "" }];
  const facts = factsOf(level);
  const list = facts?.sections.find(({ section }) => section === level.section);
  if (facts === undefined || list === undefined) return [];
  return sectionsOf(object, facts)
    .filter(({ section }) => section === level.section)
    .map(({ raw, name, index }) => ({ raw, start: `${list.path}[${index}].`, sectionName: name }));
}

interface NamedValue {
  readonly value: Json;
  readonly field: string;
}

function writtenNames(
  object: KubeObject,
  raw: JsonObject,
  { path, annotation, separator }: NamingField,
  start: string,
): readonly NamedValue[] {
  const texts = (text: string, field: string): readonly NamedValue[] =>
    (separator === undefined ? [text] : text.split(separator)).map((name) => ({ value: name.trim(), field }));
  if (annotation !== undefined) {
    const text = annotationOf(object, annotation);
    return text === undefined ? [] : texts(text, `metadata.annotations["${annotation}"]`);
  }
  const values = path === undefined ? [] : valuesAtSteps(raw, parseSteps(path)).flatMap(itemsOf);
  return values.flatMap(({ value, pointer }): readonly NamedValue[] => {
    const field = `${start}${fieldOf(pointer)}`;
    return typeof value === "string" ? texts(value, field) : [{ value, field }];
  });
}

const itemsOf = ({ value, pointer }: ValueAt): readonly ValueAt[] =>
  isJsonList(value) ? value.map((item, i) => ({ value: item, pointer: `${pointer}/${i}` })) : [{ value, pointer }];

/** `/filters/1/extensionRef` → `filters[1].extensionRef`. */
const fieldOf = (pointer: string): string =>
  pointer
    .slice(1)
    .split("/")
    .map((key, at) => (/^\d+$/.test(key) ? `[${key}]` : `${at === 0 ? "" : "."}${key}`))
    .join("");

/** The policy of one kind that a name or a reference can mean. */
function meaningOf(
  value: Json,
  { group, kind, scope }: PolicyDefinition["policies"][number],
  own: string,
): readonly ObjectRef[] {
  const reference = typeof value === "string" ? { name: value } : value;
  if (!isJsonObject(reference)) return [];
  const text = (key: string): string | undefined => {
    const found = ownValue(reference, key);
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const [name = "", namespace = own] = [text("name"), text("namespace")];
  if ((text("group") ?? group) !== group || (text("kind") ?? kind) !== kind || !isPlainName(name)) return [];
  if (scope === "Cluster") return [{ group, kind, namespace: "", name }];
  return isPlainName(namespace) ? [{ group, kind, namespace, name }] : [];
}
