/** Reads `spec.targeting` of a PolicyDefinition. */
import type {
  ForbiddenSetting,
  NamingField,
  PolicyKind,
  Targeting,
  TargetKind,
  WorkloadKind,
} from "../../definition.ts";
import { isJsonObject, type Json, type JsonObject, objectAt, ownValue } from "../../json.ts";
import { choices } from "../../schema/own-kinds/definition-schema.ts";
import { flag, list, objects, oneOf, text, texts } from "../../schema/read-fields.ts";
import { didYouMean } from "../../words/did-you-mean.ts";
import {
  checkMappedPath,
  checkNames,
  checkPath,
  checkSection,
  type KindReader,
  readKind,
  readLevel,
} from "./read-definition-kinds.ts";

/** `policies`: the kinds that the definition joins. */
export function readTargeting(targeting: JsonObject, policies: readonly PolicyKind[], reader: KindReader): Targeting {
  const fields = objectAt(targeting, "fields");
  const kinds = list(targeting, "kinds").map((item, i) =>
    readTargetKind(item, `spec.targeting.kinds[${i}]`, policies, reader),
  );
  const namedBy = objects(targeting, "namedBy").map((item, i) =>
    readNamingField(item, `spec.targeting.namedBy[${i}]`, reader),
  );
  if (kinds.length + namedBy.length === 0 && ownValue(targeting, "absent") === undefined) {
    const message =
      "spec.targeting.kinds is missing: list the kinds that a policy may target, or in namedBy the fields of objects that name policies.";
    reader.problems.push({ code: "MissingField", field: "spec.targeting.kinds", message });
  }
  return {
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
    ...readImpliedKind(targeting, kinds, reader),
    ...(namedBy.length === 0 ? {} : { namedBy }),
    ...readSelectorNamespaces(targeting, reader),
    ...readAbsent(targeting, reader),
  };
}

function readImpliedKind(
  targeting: JsonObject,
  kinds: readonly TargetKind[],
  { problems }: KindReader,
): Pick<Targeting, "impliedKind"> {
  const impliedKind = text(targeting, "impliedKind", "");
  if (impliedKind === "") return {};
  const allowed = kinds.map(({ kind }) => kind);
  if (!allowed.includes(impliedKind)) {
    const field = "spec.targeting.impliedKind";
    const message = `${field} is "${impliedKind}"; allowed: ${allowed.join(", ")}, the kinds in spec.targeting.kinds${didYouMean(impliedKind, allowed)}`;
    problems.push({ code: "UnknownValue", field, message });
  }
  return { impliedKind };
}

function readAbsent(targeting: JsonObject, reader: KindReader): Pick<Targeting, "absent"> {
  const value = ownValue(targeting, "absent");
  if (!isJsonObject(value)) return {};
  const [rootNamespace, workloadSelector] = [text(value, "rootNamespace", ""), text(value, "workloadSelector", "")];
  const means = oneOf(value["means"], choices.means, "OwnNamespace");
  if (means === "Nothing" && Object.keys(value).length > 1) {
    const field = "spec.targeting.absent";
    const message = `${field} means Nothing, so it has no other fields. Leave them out, or write means: OwnNamespace.`;
    reader.problems.push({ code: "Misplaced", field, message });
  }
  return {
    absent: {
      means,
      ...(rootNamespace === "" ? {} : { rootNamespace }),
      ...(workloadSelector === "" ? {} : { workloadSelector }),
      ...readWorkloads(value, workloadSelector !== "", reader),
    },
  };
}

function readWorkloads(
  absent: JsonObject,
  hasSelector: boolean,
  reader: KindReader,
): Pick<NonNullable<Targeting["absent"]>, "workloads"> {
  const field = "spec.targeting.absent.workloads";
  const workloads = list(absent, "workloads").map((item, i): WorkloadKind => {
    const { group, kind } = readKind(item, `${field}[${i}]`, reader);
    const record = isJsonObject(item) ? item : {};
    const labels = text(record, "labels", "metadata.labels");
    checkPath(labels, `${field}[${i}].labels`, reader.problems);
    const nameLabels = texts(record, "nameLabels");
    return { group, kind, labels, ...(nameLabels.length === 0 ? {} : { nameLabels }) };
  });
  if (workloads.length === 0) return {};
  if (!hasSelector) {
    const message = `${field} has no meaning without workloadSelector: name the field of a policy that selects workloads.`;
    reader.problems.push({ code: "Misplaced", field, message });
  }
  return { workloads };
}

function readSelectorNamespaces(
  targeting: JsonObject,
  { problems }: KindReader,
): Pick<Targeting, "selectorNamespaces"> {
  const value = ownValue(targeting, "selectorNamespaces");
  if (!isJsonObject(value)) return {};
  const field = "spec.targeting.selectorNamespaces";
  if (!flag(targeting, "selectors", { byDefault: false })) {
    const message = `${field} has no meaning: spec.targeting.selectors is not true. Leave it out, or allow selectors.`;
    problems.push({ code: "Misplaced", field, message });
  }
  const name = text(value, "field", "");
  return {
    selectorNamespaces: {
      ...(name === "" ? {} : { field: name }),
      grants: oneOf(value["grants"], choices.grants, "Needed"),
      everywhere: texts(value, "everywhere"),
    },
  };
}

function readNamingField(item: JsonObject, field: string, reader: KindReader): NamingField {
  const level = readLevel(item["level"] ?? null, `${field}.level`, reader);
  const [path, annotation, separator] = ["path", "annotation", "separator"].map((key) => ownValue(item, key));
  if ((path === undefined) === (annotation === undefined)) {
    const message = `${field} has ${path === undefined ? "neither" : "both"} path ${path === undefined ? "nor" : "and"} annotation; give one of them.`;
    reader.problems.push({ code: path === undefined ? "MissingField" : "Misplaced", field, message });
  }
  if (typeof path === "string") checkMappedPath(path, `${field}.path`, reader.problems);
  if (annotation !== undefined && level.section !== undefined) {
    const message = `${field}.level is a section, and only objects have annotations: leave out the section, or give a path.`;
    reader.problems.push({ code: "Misplaced", field: `${field}.level`, message });
  }
  return {
    level,
    ...(typeof path === "string" ? { path } : {}),
    ...(typeof annotation === "string" ? { annotation } : {}),
    ...(typeof separator === "string" ? { separator } : {}),
  };
}

function readTargetKind(item: Json, field: string, joined: readonly PolicyKind[], reader: KindReader): TargetKind {
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
  const target: TargetKind = {
    group,
    kind,
    sections,
    virtual: flag(record, "virtual", { byDefault: false }),
    policies,
    ...(forbids.length === 0 ? {} : { forbids }),
    ...(flag(record, "byPort", { byDefault: false }) ? { byPort: true } : {}),
    ...(flag(record, "sectionRequired", { byDefault: false }) ? { sectionRequired: true } : {}),
  };
  if (target.virtual) checkNames(target, field, reader.problems);
  for (const key of ["sectionRequired", "byPort"] as const) {
    if (!target[key] || sections.length > 0) continue;
    const message = `${field}.${key} is true, but ${field}.sections is empty: list the sections of a ${kind} that may be targeted.`;
    reader.problems.push({ code: "Misplaced", field: `${field}.${key}`, message });
  }
  return target;
}

function readForbidden(item: JsonObject, field: string, { problems }: KindReader): ForbiddenSetting {
  const path = text(item, "path", "");
  checkPath(path, `${field}.path`, problems);
  const because = text(item, "because", "");
  return {
    path,
    ...(flag(item, "bySectionName", { byDefault: false }) ? { bySectionName: true } : {}),
    ...(because === "" ? {} : { because }),
  };
}
