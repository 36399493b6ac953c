import type { CustomStrategies } from "../../merge/custom-strategy.ts";
import type { DefinitionLibrary, Granularity, PolicyDefinition } from "../../model/definition.ts";
import type { Finding } from "../../model/finding.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { inferDefinition } from "../../model/parse/definition/infer-definition.ts";
import { crdKind } from "../../model/parse/definition/parse-crd.ts";
import { parseDefinition } from "../../model/parse/definition/parse-definition.ts";
import { compareText, type GroupKind, type KindId, kindId, parseKindId } from "../../model/refs.ts";
import type { SnapshotTables } from "../../model/snapshot.ts";

/** A definition, and the object it was read from, if any. */
interface CollectedDefinition {
  readonly definition: PolicyDefinition;
  readonly object: KubeObject | undefined;
}

/**
 * The definitions of all policy kinds. A document replaces a definition that the caller gives, with a finding that says so, and both
 * replace a definition that is inferred from the label of a CRD.
 */
export function collectDefinitions(
  rules: readonly KubeObject[],
  given: readonly PolicyDefinition[],
  findings: Finding[],
): readonly CollectedDefinition[] {
  const taken = new Map<KindId, CollectedDefinition>();
  const definitions: CollectedDefinition[] = [];
  const take = (definition: PolicyDefinition, object: KubeObject | undefined): void => {
    const clash = definition.policies.find((policy) => taken.has(kindId(policy)));
    const other = clash === undefined ? undefined : taken.get(kindId(clash));
    if (clash === undefined || other === undefined) {
      definitions.push({ definition, object });
      for (const policy of definition.policies) taken.set(kindId(policy), { definition, object });
    } else if (object !== undefined) {
      const message = `${clash.kind} (${clash.group}) is already defined by PolicyDefinition '${other.definition.name}'; this one is not used`;
      findings.push(aboutDefinition(object, "DefinitionClash", message));
    } else if (other.object !== undefined) {
      const message = `${clash.kind} (${clash.group}) has a built-in definition; PolicyDefinition '${other.definition.name}' is used instead of it`;
      findings.push(aboutDefinition(other.object, "DefinitionReplacesBuiltIn", message));
    }
  };
  const sorted = [...rules].sort((a, b) => compareText(a.id, b.id));
  for (const object of sorted.filter(({ ref }) => ref.kind === "PolicyDefinition")) {
    const parsed = parseDefinition(object);
    findings.push(...parsed.findings);
    if (parsed.definition !== undefined) take(parsed.definition, object);
  }
  for (const definition of given) take(definition, undefined);
  for (const object of sorted.filter(({ ref }) => ref.kind === "CustomResourceDefinition")) {
    const kind = crdKind(object);
    if (kind !== undefined && taken.has(kindId(kind))) continue;
    const inferred = inferDefinition(object);
    findings.push(...inferred.findings);
    if (inferred.definition !== undefined) take(inferred.definition, object);
  }
  // Output is in this order, independent of the order of the input.
  const keyOf = ({ definition }: CollectedDefinition): KindId => kindId(definition.policies[0]);
  return definitions.sort((a, b) => compareText(keyOf(a), keyOf(b)));
}

const aboutDefinition = (
  object: KubeObject,
  code: "DefinitionClash" | "DefinitionReplacesBuiltIn",
  message: string,
): Finding => ({
  code,
  severity: code === "DefinitionClash" ? "error" : "info",
  object: object.id,
  field: "spec.policies",
  message,
  ...(object.source === undefined ? {} : { source: object.source }),
});

type Objects = Pick<SnapshotTables, "objects" | "refused">;

/** The definitions of a library that an evaluation uses: those of the kinds that there are objects or CRDs of. `rules`: the CRDs, among others. */
export function libraryDefinitions(
  library: DefinitionLibrary | undefined,
  { objects, refused }: Objects,
  rules: readonly KubeObject[],
): readonly PolicyDefinition[] {
  if (library === undefined) return [];
  const found = new Set<PolicyDefinition>();
  const add = (kind: GroupKind | undefined): void => {
    const definition = kind === undefined ? undefined : library.find(kind);
    if (definition !== undefined) found.add(definition);
  };
  for (const kind of objects.kinds()) add(parseKindId(kind));
  refused.forEach(({ object }) => add(object.family));
  for (const rule of rules) add(crdKind(rule));
  return [...found];
}

/** Replaces a custom strategy that is not registered by Atomic, with a finding. */
export function withKnownStrategies(
  definition: PolicyDefinition,
  object: KubeObject | undefined,
  strategies: CustomStrategies,
  findings: Finding[],
): PolicyDefinition {
  const { granularity } = definition.merge;
  /** Each unknown strategy, and the first field that names it. */
  const unknown = new Map<string, string>();
  const known = (wanted: Granularity, field: string): Granularity => {
    if (typeof wanted === "string" || Object.hasOwn(strategies, wanted.custom)) return wanted;
    if (!unknown.has(wanted.custom)) unknown.set(wanted.custom, `spec.merge.granularity.${field}`);
    return "Atomic";
  };
  const byDefault = known(granularity.default, "default");
  const values = Object.fromEntries(
    Object.entries(granularity.values).map(([name, value]) => [name, known(value, `values.${name}`)]),
  );
  for (const [name, field] of unknown) {
    findings.push({
      code: "UnknownStrategy",
      severity: "error",
      ...(object === undefined ? {} : { object: object.id }),
      field,
      message: `PolicyDefinition '${definition.name}' uses the custom strategy '${name}', which is not registered; it is taken as Atomic`,
      ...(object?.source === undefined ? {} : { source: object.source }),
    });
  }
  if (unknown.size === 0) return definition;
  return { ...definition, merge: { ...definition.merge, granularity: { ...granularity, default: byDefault, values } } };
}
