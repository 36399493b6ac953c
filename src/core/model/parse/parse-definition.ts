import { once } from "../collections/once.ts";
import type {
  FieldMapping,
  ForbiddenSetting,
  Granularity,
  Hierarchy,
  KindFacts,
  LevelKind,
  LinkRow,
  MergeRules,
  MergeStrategy,
  PolicyDefinition,
  PolicyKind,
  PolicyReference,
  TargetKind,
} from "../definition.ts";
import type { Finding } from "../finding.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../json.ts";
import { kinds as builtInKinds } from "../kinds.ts";
import type { KubeObject } from "../kube-object.ts";
import { lowestLevels, targetLevels } from "../levels.ts";
import { type GroupKind, isGroupName, isKindName, type KindId, kindId } from "../refs.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { CUSTOM_PREFIX, choices, definitionSchema } from "../schema/definition-schema.ts";
import { child, flag, list, mapValues, objects, oneOf, text, texts } from "../schema/read-fields.ts";
import { type SchemaProblem, schemaProblems } from "../schema/schema-problems.ts";
import { didYouMean } from "../words/did-you-mean.ts";
import { formatValue } from "../words/format-value.ts";
import { checkDefinition } from "./check-definition.ts";

const DEFINITION_API_VERSION = "prevail.dev/v1alpha1";

/**
 * Parses a PolicyDefinition. Problems are findings. A definition with an error is not used, because a mistyped field could change
 * which policies take effect.
 */
export function parseDefinition(object: KubeObject): ParsedDefinition {
  const problems: Problem[] = [];
  if (object.apiVersion !== DEFINITION_API_VERSION) {
    const message = `apiVersion is "${object.apiVersion}"; allowed: ${DEFINITION_API_VERSION}`;
    problems.push({ code: "UnknownValue", field: "apiVersion", message });
  }
  const spec = ownValue(object.raw, "spec");
  problems.push(...specProblems(spec));
  if (problems.length > 0 || !isJsonObject(spec)) return { findings: toFindings(object, problems) };

  const definition = readDefinition(object.name, spec, problems);
  const findings = toFindings(object, problems);
  if (definition === undefined || problems.length > 0) return { findings };
  const checked = checkDefinition(definition, object);
  if (checked.some((finding) => finding.severity === "error")) return { findings: [...findings, ...checked] };
  return { definition, findings: [...findings, ...checked] };
}

interface ParsedDefinition {
  readonly definition?: PolicyDefinition;
  readonly findings: Finding[];
}

interface Problem {
  readonly code: "WrongType" | "UnknownField" | "UnknownValue" | "MissingField" | "Misplaced" | "Duplicate";
  readonly field: string;
  readonly message: string;
}

const compiledSchema = once(() => compileSchema(definitionSchema, { origin: "BuiltIn", unknownFields: "Refused" }));

function specProblems(spec: Json | undefined): readonly Problem[] {
  if (spec === undefined) return [{ code: "WrongType", field: "spec", message: "spec is missing; allowed: an object" }];
  return schemaProblems(compiledSchema(), spec, "spec").map(({ problem, field, message }) => ({
    code: CODES[problem],
    field,
    message,
  }));
}

const CODES: Readonly<Record<SchemaProblem["problem"], Problem["code"]>> = {
  missing: "MissingField",
  empty: "MissingField",
  type: "WrongType",
  value: "UnknownValue",
  "unknown field": "UnknownField",
};

const MAX_FINDINGS = 50;

const toFindings = (object: KubeObject, problems: readonly Problem[]): Finding[] =>
  problems.slice(0, MAX_FINDINGS).map(({ code, field, message }) => ({
    code: `Definition${code}`,
    severity: "error",
    object: object.id,
    field,
    message,
    ...(object.source === undefined ? {} : { source: object.source }),
  }));

function readDefinition(name: string, spec: JsonObject, problems: Problem[]): PolicyDefinition | undefined {
  const policies = objects(spec, "policies").map(readPolicyKind);
  policies.forEach((kind, i) => checkNames(kind, `spec.policies[${i}]`, problems));
  const [first, ...joined] = policies;
  if (first === undefined) return undefined;
  const policyClass = oneOf(spec["class"], choices.class, "Inherited");
  const targeting = child(spec, "targeting");
  const hierarchy = child(spec, "hierarchy");
  const declaredKinds = objects(hierarchy, "kinds").map(readKindFacts);
  declaredKinds.forEach((kind, i) => checkNames(kind, `spec.hierarchy.kinds[${i}]`, problems));
  const reader: Reader = { problems, known: knownKinds(declaredKinds, targeting) };
  const kinds = list(targeting, "kinds").map((item, i) =>
    readTargetKind(item, `spec.targeting.kinds[${i}]`, policies, reader),
  );
  const fields = child(targeting, "fields");
  return {
    name,
    policies: [first, ...joined],
    class: policyClass,
    targeting: {
      fields: {
        ref: text(fields, "ref", "targetRef"),
        refs: text(fields, "refs", "targetRefs"),
        selectors: text(fields, "selectors", "targetSelectors"),
      },
      refs: oneOf(targeting["refs"], choices.refs, "Many"),
      selectors: flag(targeting, "selectors", { byDefault: false }),
      crossNamespace: oneOf(targeting["crossNamespace"], choices.crossNamespace, "Forbidden"),
      positionalRules: flag(targeting, "positionalRules", { byDefault: false }),
      kinds,
    },
    hierarchy: readHierarchy(hierarchy, { kinds, declaredKinds, direct: policyClass === "Direct" }, reader),
    merge: readMerge(child(spec, "merge"), { direct: policyClass === "Direct" }, problems),
    mapsTo: objects(spec, "mapsTo").map((item, i) => readMapping(item, `spec.mapsTo[${i}]`, reader)),
    ...readReferences(spec, reader),
    status: readStatus(child(spec, "status")),
    inferred: false,
  };
}

function readReferences(spec: JsonObject, reader: Reader): Pick<PolicyDefinition, "references"> {
  const references = objects(spec, "references").map((item, i): PolicyReference => {
    const field = `spec.references[${i}]`;
    const path = text(item, "path", "");
    checkPath(path, `${field}.path`, reader.problems);
    const kinds = list(item, "kinds").map((one, at) => {
      const { group, kind } = readKind(one, `${field}.kinds[${at}]`, reader);
      return { group, kind };
    });
    return {
      path,
      kinds,
      keys: texts(item, "keys"),
      format: oneOf(item["format"], choices.format, "Any"),
      reason: text(item, "reason", "InvalidReference"),
      noneValid: text(item, "noneValid", "Invalid"),
    };
  });
  return references.length === 0 ? {} : { references };
}

function readStatus(status: JsonObject): PolicyDefinition["status"] {
  const vocabulary = oneOf(status["vocabulary"], choices.vocabulary, "Enforced");
  const ancestors = choices.ancestors.find((one) => one === status["ancestors"]);
  return ancestors === undefined ? { vocabulary } : { vocabulary, ancestors };
}

/** Reports names that cannot be part of an id. */
function checkNames({ group, kind }: GroupKind, field: string, problems: Problem[]): void {
  if (!isGroupName(group)) {
    const message = `${field}.group is ${formatValue(group)}; allowed: an API group, without a version`;
    problems.push({ code: "UnknownValue", field: `${field}.group`, message });
  }
  if (!isKindName(kind)) {
    const message = `${field}.kind is ${formatValue(kind)}; allowed: the name of a kind, without dots, slashes and '#'`;
    problems.push({ code: "UnknownValue", field: `${field}.kind`, message });
  }
}

const readPolicyKind = (item: JsonObject): PolicyKind => ({
  group: text(item, "group", ""),
  kind: text(item, "kind", ""),
  scope: oneOf(item["scope"], choices.scope, "Namespaced"),
});

function readKindFacts(item: JsonObject): KindFacts {
  const route = ownValue(item, "route");
  const plural = ownValue(item, "plural");
  return {
    group: text(item, "group", ""),
    kind: text(item, "kind", ""),
    scope: oneOf(item["scope"], choices.scope, "Namespaced"),
    ...(typeof plural === "string" ? { plural } : {}),
    shortNames: texts(item, "shortNames"),
    sections: objects(item, "sections").map((section) => ({
      section: text(section, "section", ""),
      path: text(section, "path", ""),
    })),
    ...(isJsonObject(route)
      ? { route: { protocols: texts(route, "protocols"), hostnames: flag(route, "hostnames", { byDefault: false }) } }
      : {}),
  };
}

/** A kind that levels may refer to. */
interface KnownKind extends GroupKind {
  readonly id: KindId;
  readonly sections: readonly string[];
  /** The words for the kind and for each of its sections as a level, in lower case. */
  readonly words: readonly string[];
}

function knownKind(group: string, kind: string, sections: readonly string[]): KnownKind {
  const words = [kind, ...sections.map((section) => `${kind}${section}`)].map((word) => word.toLowerCase());
  return { group, kind, id: kindId({ group, kind }), sections, words };
}

const knownFrom = ({ group, kind, sections }: KindFacts): KnownKind =>
  knownKind(
    group,
    kind,
    sections.map(({ section }) => section),
  );

const builtInKnown: readonly KnownKind[] = builtInKinds.map(knownFrom);
interface Reader {
  readonly problems: Problem[];
  readonly known: readonly KnownKind[];
}

/** The declared kinds, the built-in kinds and the virtual targets of a definition. The first one of each id counts. */
function knownKinds(declared: readonly KindFacts[], targeting: JsonObject): readonly KnownKind[] {
  const virtual = objects(targeting, "kinds")
    .filter((item) => flag(item, "virtual", { byDefault: false }))
    .map((item) => knownKind(text(item, "group", ""), text(item, "kind", ""), texts(item, "sections")));
  if (declared.length === 0 && virtual.length === 0) return builtInKnown;
  const ids = new Set<KindId>();
  return [...declared.map(knownFrom), ...builtInKnown, ...virtual].filter(({ id }) => {
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew;
  });
}

function readTargetKind(item: Json, field: string, joined: readonly PolicyKind[], reader: Reader): TargetKind {
  const record = isJsonObject(item) ? item : {};
  const known = readKind(item, field, reader);
  const sections = texts(record, "sections");
  for (const [i, section] of sections.entries()) checkSection(known, section, `${field}.sections[${i}]`, reader);
  const policies = texts(record, "policies");
  const names = joined.map((policy) => policy.kind);
  for (const [i, name] of policies.entries()) {
    if (names.includes(name)) continue;
    const message = `${field}.policies[${i}] is "${name}"; allowed: ${names.join(", ")}${didYouMean(name, names)}`;
    reader.problems.push({ code: "UnknownValue", field: `${field}.policies[${i}]`, message });
  }
  const { group, kind } = known;
  const forbids = objects(record, "forbids").map((one, i) => readForbidden(one, `${field}.forbids[${i}]`, reader));
  const target = { group, kind, sections, virtual: flag(record, "virtual", { byDefault: false }), policies };
  if (target.virtual) checkNames(target, field, reader.problems);
  return forbids.length === 0 ? target : { ...target, forbids };
}

function readForbidden(item: JsonObject, field: string, { problems }: Reader): ForbiddenSetting {
  const path = text(item, "path", "");
  checkPath(path, `${field}.path`, problems);
  const because = text(item, "because", "");
  return because === "" ? { path } : { path, because };
}

/** Reads `Gateway` or `{group, kind}`. The group may be absent if only one group has the kind. */
function readKind(item: Json, field: string, reader: Reader): KnownKind {
  const record: JsonObject = isJsonObject(item) ? item : { kind: item };
  const kind = text(record, "kind", "");
  const group = ownValue(record, "group");
  const word = kind.toLowerCase();
  const sameName = reader.known.filter(({ words }) => words[0] === word);
  const matches = sameName.filter((known) => group === undefined || known.group === group);
  if (matches.length === 1 && matches[0] !== undefined) return matches[0];
  const names = reader.known.map((known) => known.kind);
  const message =
    matches.length > 1
      ? `${field}: several groups have a kind ${kind} (${matches.map((known) => known.group).join(", ")}); give the group.`
      : sameName.length > 0
        ? `${field}: the group of ${kind} is ${formatValue(group)}; known: ${sameName.map((known) => `"${known.group}"`).join(", ")}. Declare it under hierarchy.kinds.`
        : `${field}: unknown kind "${kind}". Declare it under hierarchy.kinds, or make the target virtual${didYouMean(kind, names)}`;
  reader.problems.push({ code: "UnknownValue", field, message });
  return knownKind(typeof group === "string" ? group : "", kind, []);
}

function checkSection(
  kind: Pick<KnownKind, "kind" | "sections">,
  section: string,
  field: string,
  reader: Reader,
): void {
  if (kind.sections.includes(section)) return;
  const allowed = kind.sections.length === 0 ? `${kind.kind} has no sections` : `allowed: ${kind.sections.join(", ")}`;
  const message = `${field} is "${section}"; ${allowed}${didYouMean(section, kind.sections)}`;
  reader.problems.push({ code: "UnknownValue", field, message });
}

/** Reads `HTTPRoute`, `HTTPRouteRule` or `{group, kind, section}`. */
function readLevel(item: Json, field: string, reader: Reader): LevelKind {
  if (typeof item === "string") return readLevelWord(item, field, reader);
  const { group, kind, sections } = readKind(item, field, reader);
  const section = isJsonObject(item) ? ownValue(item, "section") : undefined;
  if (typeof section !== "string") return { group, kind };
  checkSection({ kind, sections }, section, `${field}.section`, reader);
  return { group, kind, section };
}

function readLevelWord(word: string, field: string, { problems, known }: Reader): LevelKind {
  const wanted = word.toLowerCase();
  const matches = known.filter(({ words }) => words.includes(wanted));
  const [match] = matches;
  if (match !== undefined && matches.length === 1) {
    const { group, kind, sections, words } = match;
    const section = sections[words.indexOf(wanted) - 1];
    return section === undefined ? { group, kind } : { group, kind, section };
  }
  const message =
    match !== undefined
      ? `${field}: "${word}" is a level of several groups; write it as {group, kind, section}.`
      : `${field}: "${word}" is not a known level (a kind, or kind and section in one word). Declare other kinds under hierarchy.kinds${didYouMean(
          word,
          known.flatMap(({ kind, sections }) => [kind, ...sections.map((section) => `${kind}${section}`)]),
        )}`;
  problems.push({ code: "UnknownValue", field, message });
  return { group: "", kind: word };
}

function readHierarchy(
  hierarchy: JsonObject,
  facts: { kinds: readonly TargetKind[]; declaredKinds: readonly KindFacts[]; direct: boolean },
  reader: Reader,
): Hierarchy {
  const groupKinds = (items: readonly Json[], field: string): GroupKind[] =>
    items.map((item, i) => {
      const { group, kind } = readKind(item, `${field}[${i}]`, reader);
      return { group, kind };
    });
  const links = objects(hierarchy, "links").map((item, i) => readLink(item, `spec.hierarchy.links[${i}]`, reader));
  const declared = list(hierarchy, "effectiveTargets").map((item, i) =>
    readLevel(item, `spec.hierarchy.effectiveTargets[${i}]`, reader),
  );
  const implied = (): readonly LevelKind[] =>
    facts.direct ? targetLevels(facts.kinds) : lowestLevels(facts.kinds, links);
  return {
    effectiveTargets: declared.length > 0 ? declared : implied(),
    namespacesAbove: groupKinds(list(child(hierarchy, "namespaces"), "above"), "spec.hierarchy.namespaces.above"),
    roots: groupKinds(list(hierarchy, "roots"), "spec.hierarchy.roots"),
    through: groupKinds(list(hierarchy, "through"), "spec.hierarchy.through"),
    links,
    kinds: facts.declaredKinds,
  };
}

function readLink(item: JsonObject, field: string, reader: Reader): LinkRow {
  const attachment = choices.attachment.find((name) => name === ownValue(item, "attachment"));
  const path = text(item, "path", "");
  checkPath(path, `${field}.path`, reader.problems);
  return {
    from: readLevel(item["from"] ?? null, `${field}.from`, reader),
    to: readLevel(item["to"] ?? null, `${field}.to`, reader),
    via: oneOf(item["via"], choices.via, "ParentRefs"),
    path,
    ...(attachment === undefined ? {} : { attachment }),
  };
}

function readMerge(merge: JsonObject, { direct }: { direct: boolean }, problems: Problem[]): MergeRules {
  const none = oneOf(merge["strategy"], choices.strategy, direct ? "None" : "DefaultsAndOverrides") === "None";
  if (none) {
    for (const key of Object.keys(merge).filter((name) => name !== "strategy")) {
      const message = `spec.merge.${key} has no meaning with strategy None, which never merges. Leave it out.`;
      problems.push({ code: "Misplaced", field: `spec.merge.${key}`, message });
    }
  }
  const granularity = child(merge, "granularity");
  const annotation = ownValue(merge, "annotation");
  for (const key of ["rules", "atomicPaths"]) {
    for (const [i, path] of texts(merge, key).entries()) checkPath(path, `spec.merge.${key}[${i}]`, problems);
  }
  return {
    none,
    granularity: {
      default: readGranularity(granularity["default"]),
      field: text(granularity, "field", "strategy"),
      values: mapValues(child(granularity, "values"), readGranularity),
    },
    rules: texts(merge, "rules"),
    atomicPaths: texts(merge, "atomicPaths"),
    blocks: oneOf(merge["blocks"], choices.blocks, "Combined"),
    bare: oneOf(merge["bare"], choices.bare, "AtomicDefaults"),
    decidedBy: oneOf(merge["decidedBy"], choices.decidedBy, "Higher"),
    ...(isJsonObject(annotation)
      ? {
          annotation: {
            key: text(annotation, "key", ""),
            values: mapValues(child(annotation, "values"), readStrategy),
          },
        }
      : {}),
    sameTarget: oneOf(merge["sameTarget"], choices.sameTarget, "Established"),
  };
}

function readGranularity(value: Json | undefined): Granularity {
  if (typeof value === "string" && value.startsWith(CUSTOM_PREFIX))
    return { custom: value.slice(CUSTOM_PREFIX.length) };
  return oneOf(value, choices.granularity, "Atomic");
}

function readStrategy(value: Json | undefined): MergeStrategy {
  const record = isJsonObject(value) ? value : {};
  return { base: oneOf(record["base"], choices.base, "Defaults"), granularity: readGranularity(record["granularity"]) };
}

function readMapping(item: JsonObject, field: string, reader: Reader): FieldMapping {
  const to = item["to"] ?? null;
  const from = text(item, "from", "");
  if (from !== "") checkPath(from, `${field}.from`, reader.problems);
  const create = flag(item, "create", { byDefault: true });
  if (isJsonObject(to)) {
    const path = text(to, "path", "");
    checkMappedPath(path, `${field}.to.path`, reader.problems);
    return { from, to: { level: readLevel(to["level"] ?? null, `${field}.to.level`, reader), path }, create };
  }
  const [word = "", path = ""] = typeof to === "string" ? to.split(/ +/, 2) : [];
  checkMappedPath(path, `${field}.to`, reader.problems);
  return { from, to: { level: readLevel(word, `${field}.to`, reader), path }, create };
}

function checkPath(path: string, field: string, problems: Problem[]): void {
  if (path.split(".").every((segment) => segment !== "")) return;
  problems.push({
    code: "UnknownValue",
    field,
    message: `${field} is "${path}"; allowed: a dotted path such as rules.authentication`,
  });
}

/** Segments are `name`, `name[]` (every item) or `name[key=value]` (the items with that value). */
function checkMappedPath(path: string, field: string, problems: Problem[]): void {
  if (path.split(".").every((segment) => /^[^[\]]+(\[([^=[\]]+=[^=[\]]+)?\])?$/.test(segment))) return;
  const message = `${field} has the path "${path}"; allowed: a path such as retry or spec.rules[].filters[type=RetryFilter].retryOn`;
  problems.push({ code: "UnknownValue", field, message });
}
