import { once } from "../../collections/once.ts";
import { type StatusState, type StatusWord, statusStates } from "../../definition/status-rules.ts";
import type {
  ChildSelection,
  FieldMapping,
  Hierarchy,
  KindFacts,
  LevelKind,
  LinkRow,
  PolicyDefinition,
  PolicyKind,
  PolicyReference,
  Targeting,
} from "../../definition.ts";
import type { Finding } from "../../finding.ts";
import { isJsonObject, type Json, type JsonObject, objectAt, ownValue } from "../../json.ts";
import type { KubeObject } from "../../kube-object.ts";
import { attachableLevels, lowestLevels } from "../../levels.ts";
import type { GroupKind } from "../../refs.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import { choices, definitionSchema } from "../../schema/own-kinds/definition-schema.ts";
import { flag, list, objects, oneOf, text, texts } from "../../schema/read-fields.ts";
import { type SchemaProblem, schemaProblems } from "../../schema/schema-problems.ts";
import { checkDefinition } from "./check-definition.ts";
import { readApproximations } from "./read-approximations.ts";
import {
  checkMappedPath,
  checkNames,
  checkPath,
  type DefinitionProblem,
  type KindReader,
  knownKinds,
  readKind,
  readLevel,
} from "./read-definition-kinds.ts";
import { readGoverns } from "./read-governs.ts";
import { readMerge } from "./read-merge.ts";
import { readParts, withoutBlocks } from "./read-parts.ts";
import { readTargeting } from "./read-targeting.ts";

const DEFINITION_API_VERSION = "prevail.dev/v1alpha1";

/**
 * Parses a PolicyDefinition. Problems are findings. A definition with an error is not used, because a mistyped field could change
 * which policies take effect.
 */
export function parseDefinition(object: KubeObject): ParsedDefinition {
  const problems: DefinitionProblem[] = [];
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

const compiledSchema = once(() => compileSchema(definitionSchema, { origin: "BuiltIn", unknownFields: "Refused" }));

function specProblems(spec: Json | undefined): readonly DefinitionProblem[] {
  if (spec === undefined) return [{ code: "WrongType", field: "spec", message: "spec is missing; allowed: an object" }];
  return schemaProblems(compiledSchema(), spec, "spec").map(({ problem, field, message }) => ({
    code: CODES[problem],
    field,
    message,
  }));
}

const CODES: Readonly<Record<SchemaProblem["problem"], DefinitionProblem["code"]>> = {
  missing: "MissingField",
  empty: "MissingField",
  type: "WrongType",
  value: "UnknownValue",
  "unknown field": "UnknownField",
  rule: "UnknownValue",
};

const MAX_FINDINGS = 50;

const toFindings = (object: KubeObject, problems: readonly DefinitionProblem[]): Finding[] =>
  problems.slice(0, MAX_FINDINGS).map(({ code, field, message }) => ({
    code: `Definition${code}`,
    severity: "error",
    object: object.id,
    field,
    message,
    ...(object.source === undefined ? {} : { source: object.source }),
  }));

/**
 * Without a spec there is no target, so it may be absent only where the target may. Fields beside `metadata` have no names for targets, blocks
 * and removals, so a kind with such settings can have none.
 */
function readSettings(
  spec: JsonObject,
  { kinds, absent, namedBy }: Targeting,
  problems: DefinitionProblem[],
): Pick<PolicyDefinition, "settings"> {
  const settings = oneOf(spec["settings"], choices.settings, "Spec");
  if (settings === "Spec") return {};
  if (settings === "OptionalSpec") {
    if (absent === undefined && namedBy === undefined) {
      const message =
        "spec.settings is OptionalSpec: that needs policies without targets (spec.targeting.absent or spec.targeting.namedBy).";
      problems.push({ code: "Misplaced", field: "spec.settings", message });
    }
    return { settings };
  }
  if (kinds.length > 0 || absent !== undefined || ownValue(objectAt(spec, "merge"), "strategy") !== "Accumulate") {
    const message =
      "spec.settings is Root: that needs spec.merge.strategy Accumulate, and policies that only objects name (spec.targeting.namedBy).";
    problems.push({ code: "Misplaced", field: "spec.settings", message });
  }
  return { settings: "Root" };
}

function readDefinition(name: string, spec: JsonObject, problems: DefinitionProblem[]): PolicyDefinition | undefined {
  const policies = objects(spec, "policies").map(readPolicyKind);
  policies.forEach((kind, i) => checkNames(kind, `spec.policies[${i}]`, problems));
  const [first, ...joined] = policies;
  if (first === undefined) return undefined;
  const policyClass = oneOf(spec["class"], choices.class, "Inherited");
  const targeting = objectAt(spec, "targeting");
  const hierarchy = objectAt(spec, "hierarchy");
  const declaredKinds = objects(hierarchy, "kinds").map(readKindFacts);
  declaredKinds.forEach((kind, i) => checkNames(kind, `spec.hierarchy.kinds[${i}]`, problems));
  const reader: KindReader = { problems, known: knownKinds(declaredKinds, targeting) };
  const readTargets = readTargeting(targeting, policies, reader);
  const merge = readMerge(objectAt(spec, "merge"), { direct: policyClass === "Direct" }, reader);
  const parts = readParts(spec, merge, reader);
  return {
    name,
    policies: [first, ...joined],
    class: policyClass,
    targeting: readTargets,
    hierarchy: readHierarchy(
      hierarchy,
      { targeting: readTargets, declaredKinds, direct: policyClass === "Direct" },
      reader,
    ),
    merge: parts.length === 0 ? merge : withoutBlocks(merge, spec, problems),
    ...(parts.length === 0 ? {} : { parts }),
    ...readSettings(spec, readTargets, problems),
    mapsTo: objects(spec, "mapsTo").map((item, i) => readMapping(item, `spec.mapsTo[${i}]`, reader)),
    ...readReferences(spec, reader),
    status: readStatus(objectAt(spec, "status")),
    controllers: texts(spec, "controllers"),
    ...readVisibility(spec, problems),
    ...readGoverns(spec, problems),
    ...readApproximations(spec, problems),
    inferred: false,
  };
}

function readReferences(spec: JsonObject, reader: KindReader): Pick<PolicyDefinition, "references"> {
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

function readVisibility(
  spec: JsonObject,
  problems: DefinitionProblem[],
): Pick<PolicyDefinition, "visibility" | "sensitive"> {
  const visibility = choices.visibility.find((one) => one === spec["visibility"]);
  const sensitive = texts(spec, "sensitive");
  sensitive.forEach((path, i) => checkPath(path, `spec.sensitive[${i}]`, problems));
  return {
    ...(visibility === undefined ? {} : { visibility }),
    ...(sensitive.length === 0 ? {} : { sensitive }),
  };
}

function readStatus(status: JsonObject): PolicyDefinition["status"] {
  const vocabulary = oneOf(status["vocabulary"], choices.vocabulary, "Enforced");
  const ancestors = choices.ancestors.find((one) => one === status["ancestors"]);
  const owner = text(status, "owner", "");
  const words = objectAt(status, "words");
  const read = statusStates.flatMap((state): readonly [StatusState, readonly StatusWord[]][] => {
    const conditions = texts(words, state).map(readStatusWord);
    return conditions.length === 0 ? [] : [[state, conditions]];
  });
  return {
    vocabulary,
    ...(ancestors === undefined ? {} : { ancestors }),
    ...(owner === "" ? {} : { owner }),
    ...(read.length === 0 ? {} : { words: Object.fromEntries(read) }),
  };
}

/** `Accepted=False/Conflicted`. */
function readStatusWord(word: string): StatusWord {
  const [type = "", rest = ""] = word.split("=");
  const [value, reason] = rest.split("/");
  const status = value === "True" ? "True" : "False";
  return reason === undefined ? { type, status } : { type, status, reason };
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

function readHierarchy(
  hierarchy: JsonObject,
  facts: { targeting: Targeting; declaredKinds: readonly KindFacts[]; direct: boolean },
  reader: KindReader,
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
  const attachable = attachableLevels(facts.targeting);
  const implied = (): readonly LevelKind[] => (facts.direct ? attachable : lowestLevels(attachable, links));
  return {
    effectiveTargets: declared.length > 0 ? declared : implied(),
    namespacesAbove: groupKinds(list(objectAt(hierarchy, "namespaces"), "above"), "spec.hierarchy.namespaces.above"),
    roots: groupKinds(list(hierarchy, "roots"), "spec.hierarchy.roots"),
    through: groupKinds(list(hierarchy, "through"), "spec.hierarchy.through"),
    mesh: flag(hierarchy, "mesh", { byDefault: facts.targeting.crossNamespace === "Consumer" }),
    links,
    kinds: facts.declaredKinds,
  };
}

function readLink(item: JsonObject, field: string, reader: KindReader): LinkRow {
  const attachment = choices.attachment.find((name) => name === ownValue(item, "attachment"));
  const path = text(item, "path", "");
  checkPath(path, `${field}.path`, reader.problems);
  const via = oneOf(item["via"], choices.via, "ParentRefs");
  return {
    from: readLevel(item["from"] ?? null, `${field}.from`, reader),
    to: readLevel(item["to"] ?? null, `${field}.to`, reader),
    via,
    path,
    ...(attachment === undefined ? {} : { attachment }),
    ...readSelection(item, field, via, reader),
  };
}

function readSelection(item: JsonObject, field: string, via: LinkRow["via"], { problems }: KindReader): ChildSelection {
  for (const key of ["grants", "anyName", "byLabel"]) {
    if (via === "ChildRefs" || ownValue(item, key) === undefined) continue;
    const message = `${field}.${key} has no meaning with via: ${via}. Leave it out, or use ChildRefs.`;
    problems.push({ code: "Misplaced", field: `${field}.${key}`, message });
  }
  const anyName = text(item, "anyName", "");
  const label = ownValue(item, "byLabel");
  const allNamespaces = isJsonObject(label) ? text(label, "allNamespaces", "") : "";
  return {
    ...(item["grants"] === "NotNeeded" ? { grants: "NotNeeded" } : {}),
    ...(anyName === "" ? {} : { anyName }),
    ...(isJsonObject(label)
      ? {
          byLabel: {
            group: text(label, "group", ""),
            kind: text(label, "kind", ""),
            label: text(label, "label", ""),
            ...(allNamespaces === "" ? {} : { allNamespaces }),
          },
        }
      : {}),
  };
}

function readMapping(item: JsonObject, field: string, reader: KindReader): FieldMapping {
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
