import type { FieldOrder, OrderKey } from "../../definition/policy-order.ts";
import type { StatusRules, StatusWords } from "../../definition/status-rules.ts";
import type {
  AbsentTarget,
  DefinitionPart,
  FieldMapping,
  Granularity,
  Hierarchy,
  KindFacts,
  LevelKind,
  LinkRow,
  MergedList,
  MergeRules,
  MergeStrategy,
  NamingField,
  PolicyDefinition,
  PolicyReference,
  SelectorNamespaces,
  StrategyAnnotation,
  Targeting,
  TargetKind,
} from "../../definition.ts";
import { type Json, type JsonObject, jsonEqual } from "../../json.ts";
import type { GroupKind } from "../../refs.ts";
import { CUSTOM_PREFIX, partFields } from "../../schema/own-kinds/merge-schema.ts";

/**
 * The PolicyDefinition object that `parseDefinition` reads as this definition. Fields with their default are left out. That a definition is inferred, and
 * `ofReferenceBlocks`, which only inferred definitions have, cannot be written.
 */
export function definitionObject(definition: PolicyDefinition, annotations: JsonObject = {}): JsonObject {
  return {
    apiVersion: "prevail.dev/v1alpha1",
    kind: "PolicyDefinition",
    metadata: { name: definition.name, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: specOf(definition),
  };
}

const absentTarget = ({ workloads = [], ...absent }: AbsentTarget): JsonObject =>
  withoutDefaults({
    ...absent,
    workloads: workloads.map(({ group, kind, labels, nameLabels = [] }) =>
      withoutDefaults({ group, kind, labels: unless("metadata.labels", labels), nameLabels }),
    ),
  });

/** Values by field. Undefined, empty lists and empty objects stand for the default. */
type Fields = Readonly<Record<string, Json | undefined>>;

function withoutDefaults(fields: Fields): JsonObject {
  const entries: [string, Json][] = [];
  for (const [key, value] of Object.entries(fields))
    if (value !== undefined && !(typeof value === "object" && value !== null && Object.keys(value).length === 0))
      entries.push([key, value]);
  return Object.fromEntries(entries);
}

/** The value, unless it is the default. */
const unless = <T extends Json>(byDefault: T, value: T): T | undefined => (value === byDefault ? undefined : value);

function specOf(definition: PolicyDefinition): JsonObject {
  const { targeting, mapsTo, references = [], controllers, visibility, sensitive = [], approximate = [] } = definition;
  return withoutDefaults({
    policies: definition.policies.map(({ group, kind, scope }) => ({ group, kind, scope })),
    class: definition.class,
    targeting: targetingOf(targeting),
    hierarchy: hierarchyOf(definition.hierarchy, targeting.crossNamespace === "Consumer"),
    merge: mergeOf(definition.merge, definition.class === "Direct"),
    parts: (definition.parts ?? []).map((one) => partOf(one, definition.merge)),
    settings: definition.settings,
    mapsTo: mapsTo.map(mapping),
    references: references.map(reference),
    status: statusOf(definition.status),
    controllers,
    visibility: visibility === undefined ? undefined : unless("Readers", visibility),
    sensitive,
    governs: definition.governs,
    governsPaths: Object.fromEntries((definition.governsPaths ?? []).map(({ governs, paths }) => [governs, paths])),
    approximate: approximate.map(({ because, paths, with: others }) =>
      withoutDefaults({ because, paths, with: others }),
    ),
  });
}

function targetingOf(targeting: Targeting): JsonObject {
  const { fields, selectorNamespaces, namedBy = [], absent } = targeting;
  return withoutDefaults({
    fields: withoutDefaults({
      ref: unless("targetRef", fields.ref),
      refs: unless("targetRefs", fields.refs),
      selectors: unless("targetSelectors", fields.selectors),
    }),
    refs: unless("Many", targeting.refs),
    impliedKind: targeting.impliedKind,
    selectors: unless(false, targeting.selectors),
    selectorNamespaces: selectorNamespaces === undefined ? undefined : namespacesOf(selectorNamespaces),
    crossNamespace: unless("Forbidden", targeting.crossNamespace),
    positionalRules: unless(false, targeting.positionalRules),
    kinds: targeting.kinds.map(targetKind),
    namedBy: namedBy.map(namingField),
    absent: absent === undefined ? undefined : absentTarget(absent),
  });
}

const statusOf = ({ vocabulary, ancestors, owner, words }: StatusRules): JsonObject =>
  withoutDefaults({ vocabulary: unless("Enforced", vocabulary), ancestors, owner, words: wordsOf(words) });

const wordsOf = (words: StatusWords = {}): JsonObject =>
  Object.fromEntries(
    Object.entries(words).map(([state, conditions]) => [
      state,
      conditions.map(({ type, status, reason }) => `${type}=${status}${reason === undefined ? "" : `/${reason}`}`),
    ]),
  );

const groupKind = ({ group, kind }: GroupKind): JsonObject => ({ group, kind });
const level = ({ group, kind, section }: LevelKind): JsonObject => withoutDefaults({ group, kind, section });

/** All fields: an object without fields would count as absent. */
const namespacesOf = ({ field, grants, everywhere }: SelectorNamespaces): JsonObject =>
  withoutDefaults({ field, grants, everywhere });

const namingField = ({ level: named, path, annotation, separator }: NamingField): JsonObject =>
  withoutDefaults({ level: level(named), path, annotation, separator });

const targetKind = ({
  group,
  kind,
  sections,
  virtual,
  policies,
  forbids = [],
  sectionRequired = false,
  byPort = false,
}: TargetKind): JsonObject =>
  withoutDefaults({
    group,
    kind,
    sections,
    virtual: unless(false, virtual),
    policies,
    forbids: forbids.map(({ path, bySectionName = false, because }) =>
      withoutDefaults({ path, bySectionName: unless(false, bySectionName), because }),
    ),
    sectionRequired: unless(false, sectionRequired),
    byPort: unless(false, byPort),
  });

function hierarchyOf(hierarchy: Hierarchy, isConsumer: boolean): JsonObject {
  const { effectiveTargets, namespacesAbove, roots, through, mesh, links, kinds } = hierarchy;
  return withoutDefaults({
    effectiveTargets: effectiveTargets.map(level),
    namespaces: withoutDefaults({ above: namespacesAbove.map(groupKind) }),
    roots: roots.map(groupKind),
    mesh: unless(isConsumer, mesh),
    through: through.map(groupKind),
    links: links.map(linkRow),
    kinds: kinds.map(kindFacts),
  });
}

const linkRow = ({ from, to, via, path, attachment, grants = "Needed", anyName, byLabel }: LinkRow): JsonObject =>
  withoutDefaults({
    from: level(from),
    to: level(to),
    via,
    path,
    attachment,
    grants: unless("Needed", grants),
    anyName,
    byLabel: byLabel === undefined ? undefined : { ...byLabel },
  });

const kindFacts = ({ group, kind, scope, plural, shortNames = [], sections, route }: KindFacts): JsonObject =>
  withoutDefaults({
    group,
    kind,
    scope,
    plural,
    shortNames,
    sections: sections.map(({ section, path }) => ({ section, path })),
    route: route === undefined ? undefined : { protocols: route.protocols, hostnames: route.hostnames },
  });

function mergeOf(merge: MergeRules, isDirect: boolean): JsonObject {
  const strategy = merge.none ? "None" : merge.accumulate === undefined ? "DefaultsAndOverrides" : "Accumulate";
  const written = unless(isDirect ? "None" : "DefaultsAndOverrides", strategy);
  const precedence = merge.precedence?.map(orderKey) ?? [];
  const sameTarget = unless("Established", merge.sameTarget);
  // With these strategies the other fields have no meaning.
  if (merge.none) return withoutDefaults({ strategy: written, precedence, sameTarget });
  if (merge.accumulate !== undefined) {
    const { order, groupBy } = merge.accumulate;
    return withoutDefaults({
      strategy: written,
      order: order.map(orderKey),
      groupBy: groupBy === undefined ? undefined : fieldOrder(groupBy),
      precedence,
      atomicPaths: merge.atomicPaths,
      limit: merge.limit,
    });
  }
  const { granularity, annotation } = merge;
  return withoutDefaults({
    strategy: written,
    granularity: withoutDefaults({
      default: unless("Atomic", granularityWord(granularity.default)),
      base: granularity.base,
      field: unless("strategy", granularity.field),
      values: wordsIn(granularity),
    }),
    rules: merge.rules,
    ruleNames: unless("Free", merge.ruleNames ?? "Free"),
    atomicPaths: merge.atomicPaths,
    lists: (merge.lists ?? []).map(mergedList),
    blocks: unless("Combined", merge.blocks),
    bare: unless("AtomicDefaults", merge.bare),
    decidedBy: unless("Higher", merge.decidedBy),
    annotation: annotation === undefined ? undefined : annotationOf(annotation),
    words: merge.words === undefined ? undefined : { ...merge.words },
    parents: unless("All", merge.parents ?? "All"),
    skip: (merge.skip ?? []).map(level),
    mostSpecific: (merge.mostSpecific ?? []).map(level),
    precedence,
    sameTarget,
    limit: merge.limit,
    empty: unless("GivesWay", merge.empty),
  });
}

/** The rules of a part are those of its kind but for the fields that it has. */
function partOf(
  { name, paths, targets = [], effectiveTargets = [], merge, governs }: DefinitionPart,
  ofKind: MergeRules,
): JsonObject {
  const fields = withoutDefaults({
    name,
    paths,
    targets: targets.map(level),
    effectiveTargets: effectiveTargets.map(level),
    governs,
  });
  if (merge === undefined) return fields;
  if (merge.accumulate !== undefined) {
    const own = mergeOf(merge, false);
    return { ...fields, merge: Object.fromEntries(Object.entries(own).filter(([key]) => partFields.includes(key))) };
  }
  const kindRules = rulesOf(ofKind);
  const own = Object.entries(rulesOf(merge)).filter(([key, value]) => !jsonEqual(value, kindRules[key] ?? null));
  return { ...fields, merge: { strategy: "DefaultsAndOverrides", ...Object.fromEntries(own) } };
}

/** The fields of rules that parts may have, with their defaults. */
const rulesOf = ({ granularity, rules, atomicPaths, lists = [], ...merge }: MergeRules): JsonObject => ({
  granularity: withoutDefaults({
    default: granularityWord(granularity.default),
    base: granularity.base,
    field: granularity.field,
    values: wordsIn(granularity),
  }),
  rules,
  atomicPaths,
  lists: lists.map(mergedList),
  decidedBy: merge.decidedBy,
  parents: merge.parents ?? "All",
  mostSpecific: (merge.mostSpecific ?? []).map(level),
});

const wordsIn = ({ values, bases = {} }: MergeRules["granularity"]): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([word, value]) => {
      const base = bases[word];
      return [word, base === undefined ? granularityWord(value) : { base, granularity: granularityWord(value) }];
    }),
  );

const annotationOf = ({ key, values, absent, fields, between = "Levels", on = [] }: StrategyAnnotation): JsonObject =>
  withoutDefaults({
    key,
    values: mapped(values, strategyObject),
    absent: absent === undefined ? undefined : strategyObject(absent),
    fields: fields === undefined ? undefined : strategyObject(fields),
    between: unless("Levels", between),
    on: on.map(groupKind),
  });

const strategyObject = ({ base, granularity }: MergeStrategy): JsonObject => ({
  base,
  granularity: granularityWord(granularity),
});

const mergedList = ({ path, by, items, except }: MergedList): JsonObject =>
  withoutDefaults({ path, by, join: by === undefined ? "Append" : undefined, items: unless("Whole", items), except });

const orderKey = (key: OrderKey): Json => (typeof key === "string" ? key : fieldOrder(key));

const fieldOrder = ({ path, annotation, values, descending, absent }: FieldOrder): JsonObject =>
  withoutDefaults({
    path,
    annotation,
    values,
    descending: unless(false, descending),
    absent: unless("0", absent),
  });

const granularityWord = (granularity: Granularity): string =>
  typeof granularity === "string" ? granularity : `${CUSTOM_PREFIX}${granularity.custom}`;

const mapped = <T>(values: Readonly<Record<string, T>>, write: (value: T) => Json): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, write(value)]));

const mapping = ({ from, to, create }: FieldMapping): JsonObject =>
  withoutDefaults({
    from: unless("", from),
    to: { level: level(to.level), path: to.path },
    create: unless(true, create),
  });

const reference = ({ path, kinds, keys, format, reason, noneValid }: PolicyReference): JsonObject =>
  withoutDefaults({
    path,
    kinds: kinds.map(groupKind),
    keys,
    format: unless("Any", format),
    reason: unless("InvalidReference", reason),
    noneValid: unless("Invalid", noneValid),
  });
