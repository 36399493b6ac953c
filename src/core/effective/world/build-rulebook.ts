/** Builds the rules of an evaluation from PolicyDefinitions, CRDs and the built-in kinds. */
import type { CustomStrategies } from "../../merge/custom-strategy.ts";
import type { EvaluateCondition } from "../../model/cel.ts";
import type { DefinitionLibrary, KindFacts, LinkRow, PolicyDefinition } from "../../model/definition.ts";
import type { Finding } from "../../model/finding.ts";
import { kinds as builtInKinds, findKind } from "../../model/kinds.ts";
import { type KubeObject, objectFamily } from "../../model/kube-object.ts";
import type { CrdFacts } from "../../model/parse/definition/parse-crd.ts";
import { parsePolicy } from "../../model/parse/policy/parse-policy.ts";
import { type PolicyReader, policyReader } from "../../model/parse/policy/policy-reader.ts";
import { type GroupKind, type KindId, kindId } from "../../model/refs.ts";
import type { Judging } from "../../model/schema/judge/judging.ts";
import type { CompiledSchema } from "../../model/schema/schema.ts";
import { compileRows } from "../../topology/compile-rows.ts";
import { linkTable } from "../../topology/link-table.ts";
import { collectCrds } from "./collect-crds.ts";
import { collectDefinitions, withKnownStrategies } from "./collect-definitions.ts";
import { type CompiledKind, compileKind, kindLinks } from "./compiled-kind.ts";
import { KindLevels } from "./kind-levels.ts";
import type { Rulebook } from "./rulebook.ts";

export interface RulebookOptions {
  readonly definitions: readonly PolicyDefinition[];
  /** More definitions, for the kinds that there are objects or CRDs of. */
  readonly library?: DefinitionLibrary | undefined;
  readonly evaluateCondition: EvaluateCondition;
  readonly strategies: CustomStrategies;
}

/** `judging`: how policies are judged by the schemas of their kinds. */
export function buildRulebook(rules: readonly KubeObject[], judging: Judging, options: RulebookOptions): Rulebook {
  const findings: Finding[] = [];
  const { crds, unused } = collectCrds(rules, findings);
  const used = unused.size === 0 ? rules : rules.filter((object) => !unused.has(object));
  const definitions = collectDefinitions(used, options.definitions, findings).map(({ definition, object }) =>
    withKnownStrategies(definition, object, options.strategies, findings),
  );
  const described = kindTable(definitions);
  const table = withCrds(described, crds);
  const facts = [...table.values()];
  const added = definitions.flatMap(({ hierarchy }) => hierarchy.links);
  const rows = added.length === 0 ? linkTable : [...linkTable, ...added];
  const findFacts = kindFinder(facts);
  const kindsLinked = kindLinks(rows);
  const kinds = definitions.map((definition, index) =>
    compileKind(definition, index, {
      evaluateCondition: options.evaluateCondition,
      strategies: options.strategies,
      links: kindsLinked,
      crd: (kind) => crds.get(kindId(kind)),
      facts: ({ group, kind }) => findFacts(group, kind),
      schemaOf: (kind) => storedSchema(kind, crds.get(kindId(kind)), judging),
    }),
  );
  const factsOf = (kind: KindId): KindFacts | undefined => table.get(kind);
  const links = linkRules(rows, facts, added);
  const { isRoot, isChildByRef, isFrontend } = links;
  return {
    kinds,
    levels: kinds.map((kind) => new KindLevels(kind, { factsOf, isRoot, isChildByRef, isFrontend })),
    byPolicyKind: new Map(
      kinds.flatMap((kind) => kind.definition.policies.map((policy) => [kindId(policy), kind] as const)),
    ),
    findKind: findFacts,
    factsOf,
    isDescribed: (kind) => described.has(kind),
    ...links,
    parsePolicy: policyParser(kinds, crds, judging, options.evaluateCondition),
    findings,
  };
}

/** The schema of objects of a kind: of its CRD in the input, in the version that is stored, else the built-in one. */
function storedSchema({ group, kind }: GroupKind, crd: CrdFacts | undefined, { schemas }: Judging): CompiledSchema {
  const version = crd?.version ?? "";
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return schemas.of(objectFamily(apiVersion, kind, "")).first.compiled;
}

function policyParser(
  kinds: readonly CompiledKind[],
  crds: ReadonlyMap<KindId, CrdFacts>,
  judging: Judging,
  { problemOf }: EvaluateCondition,
): Rulebook["parsePolicy"] {
  const readers = new Map<KindId, PolicyReader>();
  for (const { definition } of kinds) {
    for (const policy of definition.policies)
      readers.set(kindId(policy), policyReader(definition, { crd: crds.get(kindId(policy)), judging, problemOf }));
  }
  return (object) => parsePolicy(object, readers.get(object.family.kindId) as PolicyReader);
}

/** The kinds that are built in, or that a definition describes. */
function kindTable(definitions: readonly PolicyDefinition[]): ReadonlyMap<KindId, KindFacts> {
  const table = new Map<KindId, KindFacts>(builtInKinds.map((facts) => [kindId(facts), facts]));
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

/** A CRD adds the scope of a kind that is not described otherwise. */
function withCrds(
  described: ReadonlyMap<KindId, KindFacts>,
  crds: ReadonlyMap<KindId, CrdFacts>,
): ReadonlyMap<KindId, KindFacts> {
  const table = new Map(described);
  for (const [id, { group, kind, scope }] of crds)
    if (!table.has(id)) table.set(id, { group, kind, scope, sections: [] });
  return table;
}

/** Most lookups are for a few kinds; hostile input may name any number of them. */
const MAX_KNOWN_KINDS = 10_000;

function kindFinder(facts: readonly KindFacts[]): Rulebook["findKind"] {
  const known = new Map<string, KindFacts | undefined>();
  return (group, kind) => {
    const key = `${kind}.${group ?? "*"}`;
    if (known.has(key)) return known.get(key);
    const found = findKind(facts, kind, group);
    if (known.size < MAX_KNOWN_KINDS) known.set(key, found);
    return found;
  };
}

type LinkRules = Pick<
  Rulebook,
  "rows" | "isRoot" | "isChildByRef" | "isFrontend" | "isParentByRef" | "isForeign" | "isSelectedChild"
>;

/** `added`: the rows that come from definitions. */
function linkRules(rows: readonly LinkRow[], facts: readonly KindFacts[], added: readonly LinkRow[]): LinkRules {
  const withParents = new Set(rows.map(({ to }) => kindId(to)));
  const selecting = added.filter(({ anyName, byLabel }) => anyName !== undefined || byLabel !== undefined);
  const selected = new Set(selecting.map(({ to }) => kindId(to)));
  const childrenByRef = new Set(rows.filter(({ via }) => via === "ChildRefs").map(({ to }) => kindId(to)));
  // A mesh Service is the root of its routes; as a backend it is not their parent.
  const parentsByRef = rows.filter(({ via, attachment }) => via !== "ChildRefs" && attachment !== "RouteToService");
  const frontends = new Set(
    rows.filter(({ attachment }) => attachment === "RouteToService").map(({ from }) => kindId(from)),
  );
  const parents = new Set(parentsByRef.map(({ from }) => kindId(from)));
  const foreign = new Set(added.flatMap(({ from, to }) => [kindId(from), kindId(to)]));
  return {
    rows: compileRows(rows, facts),
    isRoot: (kind) => !withParents.has(kind),
    isChildByRef: (kind) => childrenByRef.has(kind),
    isFrontend: (kind) => frontends.has(kind),
    isParentByRef: (kind) => parents.has(kind),
    isForeign: (kind) => foreign.has(kind),
    isSelectedChild: (kind) => selected.has(kind),
  };
}
