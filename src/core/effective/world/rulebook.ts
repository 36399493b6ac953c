/** From definitions, CRDs and kinds to the rules of a lineage of evaluations. */

import type { CustomStrategies } from "../../merge/custom-strategy.ts";
import type { EvaluateCondition } from "../../model/cel.ts";
import { once } from "../../model/collections/once.ts";
import type { Granularity, KindFacts, LinkRow, PolicyDefinition } from "../../model/definition.ts";
import type { Finding } from "../../model/finding.ts";
import { kinds as builtInKinds, findKind } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { inferDefinition } from "../../model/parse/infer-definition.ts";
import { type CrdFacts, parseCrd } from "../../model/parse/parse-crd.ts";
import { parseDefinition } from "../../model/parse/parse-definition.ts";
import { type PolicyReader, parsePolicy, policyReader } from "../../model/parse/parse-policy.ts";
import { compareText, displayRef, type GroupKind, type KindId, kindId } from "../../model/refs.ts";
import { compileRows } from "../../topology/compile-rows.ts";
import { linkTable } from "../../topology/link-table.ts";
import { type CompiledKind, compileKind } from "./compiled-kind.ts";
import { KindPlaces } from "./kind-places.ts";
import type { Rulebook } from "./world.ts";

export interface RulebookOptions {
  readonly definitions: readonly PolicyDefinition[];
  readonly evaluateCondition: EvaluateCondition;
  readonly strategies: CustomStrategies;
}

/** Kinds of objects that make the rules: when one of them changes, everything is evaluated anew. */
export const RULES: readonly GroupKind[] = [
  { kind: "PolicyDefinition", group: "prevail.dev" },
  { kind: "CustomResourceDefinition", group: "apiextensions.k8s.io" },
];

export const isRule = ({ group, kind }: GroupKind): boolean =>
  RULES.some((rule) => rule.kind === kind && rule.group === group);

export function buildRulebook(rules: readonly KubeObject[], options: RulebookOptions): Rulebook {
  const findings: Finding[] = [];
  const { crds, unused } = crdTable(rules, findings);
  const used = unused.size === 0 ? rules : rules.filter((object) => !unused.has(object));
  const definitions = collectDefinitions(used, options.definitions, findings).map(({ definition, object }) =>
    withKnownStrategies(definition, object, options.strategies, findings),
  );
  const described = kindTable(definitions);
  const table = withCrds(described, crds);
  const facts = [...table.values()];
  const added = definitions.flatMap(({ hierarchy }) => hierarchy.links);
  const rows = added.length === 0 ? linkTable : [...linkTable, ...added];
  const findFacts = finder(facts);
  const kinds = definitions.map((definition, index) =>
    compileKind(definition, index, {
      evaluateCondition: options.evaluateCondition,
      strategies: options.strategies,
      rows,
      crd: (kind) => crds.get(kindId(kind)),
      facts: ({ group, kind }) => findFacts(group, kind),
    }),
  );
  const factsOf = (kind: KindId): KindFacts | undefined => table.get(kind);
  const links = added.length === 0 ? builtInLinks() : linkRules(rows, facts, added);
  const { isRoot, isChildByRef } = links;
  return {
    kinds,
    places: kinds.map((kind) => new KindPlaces(kind, { factsOf, isRoot, isChildByRef })),
    byPolicyKind: new Map(
      kinds.flatMap((kind) => kind.definition.policies.map((policy) => [kindId(policy), kind] as const)),
    ),
    findKind: findFacts,
    factsOf,
    isDescribed: (kind) => described.has(kind),
    ...links,
    parsePolicy: policyParser(kinds, crds),
    findings,
  };
}

function policyParser(kinds: readonly CompiledKind[], crds: ReadonlyMap<KindId, CrdFacts>): Rulebook["parsePolicy"] {
  const readers = new Map<KindId, PolicyReader>();
  for (const { definition } of kinds) {
    for (const policy of definition.policies)
      readers.set(kindId(policy), policyReader(definition, crds.get(kindId(policy))));
  }
  return (object) => parsePolicy(object, readers.get(object.family.kindId) as PolicyReader);
}

interface CrdTable {
  readonly crds: ReadonlyMap<KindId, CrdFacts>;
  readonly unused: ReadonlySet<KubeObject>;
}

/** Of two CRDs for one kind the first by name counts: the API server serves but one of them. */
function crdTable(rules: readonly KubeObject[], findings: Finding[]): CrdTable {
  const crds = new Map<KindId, CrdFacts>();
  const first = new Map<KindId, KubeObject>();
  const unused = new Set<KubeObject>();
  const objects = rules.filter(({ family }) => family.kind === "CustomResourceDefinition");
  for (const object of objects.sort((a, b) => compareText(a.id, b.id))) {
    const crd = parseCrd(object);
    if (crd === undefined) continue;
    const id = kindId(crd);
    const used = first.get(id);
    if (used === undefined) {
      first.set(id, object);
      crds.set(id, crd);
      continue;
    }
    unused.add(object);
    findings.push({
      code: "CrdClash",
      severity: "error",
      object: object.id,
      field: "spec.names.kind",
      message: `${displayRef(used.ref)} already describes ${crd.kind} (${crd.group}); this one is not used. Remove one of them`,
      ...(object.source === undefined ? {} : { source: object.source }),
    });
  }
  return { crds, unused };
}

/** A definition, and its document if it has one. */
interface Collected {
  readonly definition: PolicyDefinition;
  readonly object: KubeObject | undefined;
}

/** Documents win over what the caller brings (they are nearer to the policies), and both over what a CRD's label suggests. */
function collectDefinitions(
  rules: readonly KubeObject[],
  given: readonly PolicyDefinition[],
  findings: Finding[],
): readonly Collected[] {
  const taken = new Map<KindId, PolicyDefinition>();
  const definitions: Collected[] = [];
  const take = (definition: PolicyDefinition, object: KubeObject | undefined): void => {
    const clash = definition.policies.find((policy) => taken.has(kindId(policy)));
    if (clash === undefined) {
      definitions.push({ definition, object });
      for (const policy of definition.policies) taken.set(kindId(policy), definition);
    } else if (object !== undefined && !definition.inferred) {
      const other = taken.get(kindId(clash))?.name ?? "";
      findings.push({
        code: "DefinitionClash",
        severity: "error",
        object: object.id,
        field: "spec.policies",
        message: `${clash.kind} is already defined by PolicyDefinition '${other}'; this one is not used`,
        ...(object.source === undefined ? {} : { source: object.source }),
      });
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
    const inferred = inferDefinition(object);
    findings.push(...inferred.findings);
    if (inferred.definition !== undefined) take(inferred.definition, object);
  }
  // Everything is told kind by kind in this order, whatever the order in which definitions came.
  const keyOf = ({ definition }: Collected): KindId => kindId(definition.policies[0]);
  return definitions.sort((a, b) => compareText(keyOf(a), keyOf(b)));
}

/** A strategy that nobody registered is taken as Atomic, the least surprising one, and a finding says so. */
function withKnownStrategies(
  definition: PolicyDefinition,
  object: KubeObject | undefined,
  strategies: CustomStrategies,
  findings: Finding[],
): PolicyDefinition {
  const { granularity } = definition.merge;
  /** Each once, where it stands first. */
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

const builtInTable: ReadonlyMap<KindId, KindFacts> = new Map(builtInKinds.map((facts) => [kindId(facts), facts]));

/** The kinds that are built in, or that a definition says something about. */
function kindTable(definitions: readonly PolicyDefinition[]): ReadonlyMap<KindId, KindFacts> {
  const table = new Map(builtInTable);
  const add = (facts: KindFacts): void => {
    const id = kindId(facts);
    if (!table.has(id)) table.set(id, facts);
  };
  for (const { hierarchy, policies } of definitions) {
    for (const facts of hierarchy.kinds) add(facts);
    for (const { group, kind, scope } of policies) add({ group, kind, scope, sections: [] });
  }
  return table;
}

/** Of the others CRDs say at least whether they are in a namespace. */
function withCrds(
  described: ReadonlyMap<KindId, KindFacts>,
  crds: ReadonlyMap<KindId, CrdFacts>,
): ReadonlyMap<KindId, KindFacts> {
  const table = new Map(described);
  for (const [id, { group, kind, scope }] of crds)
    if (!table.has(id)) table.set(id, { group, kind, scope, sections: [] });
  return table;
}

/** Remembers answers: kinds are asked for over and over, and by few names. */
function finder(facts: readonly KindFacts[]): Rulebook["findKind"] {
  const known = new Map<string, KindFacts | undefined>();
  let last: { group: string | undefined; kind: string; found: KindFacts | undefined } | undefined;
  return (group, kind) => {
    if (last !== undefined && last.kind === kind && last.group === group) return last.found;
    const key = `${kind}.${group ?? "*"}`;
    const found = known.has(key) ? known.get(key) : findKind(facts, kind, group);
    if (known.size < 10_000) known.set(key, found);
    last = { group, kind, found };
    return found;
  };
}

type LinkRules = Pick<Rulebook, "rows" | "isRoot" | "isChildByRef" | "isParentByRef" | "isForeign">;

/** Most definitions add no links, and the built-in ones are between built-in kinds. */
const builtInLinks = once((): LinkRules => linkRules(linkTable, builtInKinds, []));

/** `added`: those of the rows that definitions brought. */
function linkRules(rows: readonly LinkRow[], facts: readonly KindFacts[], added: readonly LinkRow[]): LinkRules {
  const withParents = new Set(rows.map(({ to }) => kindId(to)));
  const childrenByRef = new Set(rows.filter(({ via }) => via === "ChildRefs").map(({ to }) => kindId(to)));
  // A mesh Service is the root of its routes, not what they hang under in its role as a backend.
  const parentsByRef = rows.filter(({ via, attachment }) => via !== "ChildRefs" && attachment !== "RouteToService");
  const parents = new Set(parentsByRef.map(({ from }) => kindId(from)));
  const foreign = new Set(added.flatMap(({ from, to }) => [kindId(from), kindId(to)]));
  return {
    rows: compileRows(rows, facts),
    isRoot: (kind) => !withParents.has(kind),
    isChildByRef: (kind) => childrenByRef.has(kind),
    isParentByRef: (kind) => parents.has(kind),
    isForeign: (kind) => foreign.has(kind),
  };
}
