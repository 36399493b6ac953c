import type { Rulebook } from "../../effective/world/rulebook.ts";
import { once } from "../../model/collections/once.ts";
import type { KindFacts, LevelKind } from "../../model/definition.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, objectAt, ownValue, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { parseSelector } from "../../model/parse/parse-selector.ts";
import type { LabelSelector } from "../../model/policy.ts";
import type { GroupKind } from "../../model/refs.ts";
import { compileSchema } from "../../model/schema/compile-schema.ts";
import {
  COVERAGE_ENFORCEMENTS,
  COVERAGE_SEVERITIES,
  coverageRuleSchema,
} from "../../model/schema/own-kinds/coverage-rule-schema.ts";
import { schemaProblems } from "../../model/schema/schema-problems.ts";
import { didYouMean } from "../../model/words/did-you-mean.ts";
import { type CheckFinding, findingAt } from "../check-finding.ts";
import type { CoverageParent, CoverageRule } from "./coverage-rule.ts";

const API_VERSION = "prevail.dev/v1alpha1";
const MAX_FINDINGS = 20;

const compiledSchema = once(() => compileSchema(coverageRuleSchema, { origin: "BuiltIn", unknownFields: "Refused" }));

export interface ParsedCoverageRule {
  readonly rule?: CoverageRule;
  readonly findings: readonly CheckFinding[];
}

interface Reading {
  readonly rulebook: Rulebook;
  readonly report: (field: string, message: string) => void;
}

/** A rule with a mistake is not used, because it may not mean what its author intends. */
export function parseCoverageRule(object: KubeObject, rulebook: Rulebook): ParsedCoverageRule {
  const findings: CheckFinding[] = [];
  const report = (field: string, message: string): void => {
    if (findings.length < MAX_FINDINGS)
      findings.push(findingAt(object, { code: "CoverageRuleInvalid", severity: "error", field, message }));
  };
  if (object.apiVersion !== API_VERSION)
    report("apiVersion", `apiVersion is "${object.apiVersion}"; allowed: ${API_VERSION}`);
  const spec = ownValue(object.raw, "spec") ?? null;
  for (const { field, message } of schemaProblems(compiledSchema(), spec, "spec")) report(field, message);
  if (findings.length > 0 || !isJsonObject(spec)) return { findings };
  const rule = readRule(object, spec, { rulebook, report });
  return findings.length > 0 || rule === undefined ? { findings } : { rule, findings };
}

function readRule(object: KubeObject, spec: JsonObject, reading: Reading): CoverageRule | undefined {
  const targets = objectAt(spec, "targets");
  const levels = items(targets, "levels").map((item, i) => readLevel(item, `spec.targets.levels[${i}]`, reading));
  const under = items(targets, "under").map((item, i) => readParent(item, `spec.targets.under[${i}]`, reading));
  const policyKind = readPolicyKind(ownValue(spec, "policyKind") ?? null, reading);
  if (policyKind === undefined) return undefined;
  return {
    object,
    levels: levels.filter((level) => level !== undefined),
    under: under.filter((parent) => parent !== undefined),
    namespaces: items(targets, "namespaces").filter((item) => typeof item === "string"),
    namespaceSelector: readSelector(targets, "namespaceSelector", reading),
    selector: readSelector(targets, "selector", reading),
    policyKind,
    condition: textAt(spec, "condition"),
    message: textAt(spec, "message"),
    severity: COVERAGE_SEVERITIES.find((severity) => severity === spec["severity"]) ?? "error",
    enforce: COVERAGE_ENFORCEMENTS.find((enforce) => enforce === spec["enforce"]) ?? "Warn",
  };
}

/** `HTTPRoute`, `HTTPRouteRule`, or `{group, kind, section}`. */
function readLevel(item: Json, field: string, reading: Reading): LevelKind | undefined {
  const { rulebook, report } = reading;
  if (isJsonObject(item)) {
    const facts = readKind(item, field, reading);
    const section = textAt(item, "section");
    if (facts === undefined) return undefined;
    if (section === "") return { group: facts.group, kind: facts.kind };
    if (hasSection(facts, section)) return { group: facts.group, kind: facts.kind, section };
    const names = facts.sections.map((own) => own.section);
    const allowed = names.length === 0 ? `${facts.kind} has no sections` : `allowed: ${names.join(", ")}`;
    report(`${field}.section`, `${field}.section is "${section}"; ${allowed}${didYouMean(section, names)}`);
    return undefined;
  }
  const word = typeof item === "string" ? item : "";
  for (let at = word.length; at > 0; at--) {
    const facts = rulebook.findKind(undefined, word.slice(0, at));
    const section = word.slice(at);
    if (facts === undefined || (section !== "" && !hasSection(facts, section))) continue;
    return { group: facts.group, kind: facts.kind, ...(section === "" ? {} : { section }) };
  }
  report(field, `${field} is "${word}", which is neither a kind nor a section of one${didYouMean(word, LEVELS)}`);
  return undefined;
}

const LEVELS = [
  "Gateway",
  "GatewayListener",
  "HTTPRoute",
  "HTTPRouteRule",
  "GRPCRoute",
  "GRPCRouteRule",
  "Service",
  "ServicePort",
];

const hasSection = ({ sections }: KindFacts, section: string): boolean =>
  sections.some((own) => own.section === section);

function readKind(item: JsonObject, field: string, { rulebook, report }: Reading): KindFacts | undefined {
  const kind = textAt(item, "kind");
  const group = ownValue(item, "group");
  const facts = rulebook.findKind(typeof group === "string" ? group : undefined, kind);
  if (facts === undefined)
    report(
      `${field}.kind`,
      `${field}.kind is "${kind}"${typeof group === "string" ? ` (${group})` : ""}; unknown kind${didYouMean(kind, LEVELS)}`,
    );
  return facts;
}

function readParent(item: Json, field: string, reading: Reading): CoverageParent | undefined {
  if (!isJsonObject(item)) return undefined;
  const facts = readKind(item, field, reading);
  if (facts === undefined) return undefined;
  const namespace = textAt(item, "namespace");
  if (facts.scope === "Namespaced" && namespace === "") {
    reading.report(`${field}.namespace`, `${field}.namespace is missing: set the namespace of the ${facts.kind}.`);
    return undefined;
  }
  const section = textAt(item, "sectionName");
  const { group, kind } = facts;
  return {
    ref: { group, kind, namespace: facts.scope === "Cluster" ? "" : namespace, name: textAt(item, "name") },
    sectionName: section === "" ? undefined : section,
  };
}

/** Each kind of a definition with several kinds stands for all of them. */
function readPolicyKind(item: Json, { rulebook, report }: Reading): GroupKind | undefined {
  const kind = isJsonObject(item) ? textAt(item, "kind") : typeof item === "string" ? item : "";
  const group = isJsonObject(item) ? ownValue(item, "group") : undefined;
  const isMeant = (own: GroupKind): boolean =>
    own.kind.toLowerCase() === kind.toLowerCase() && (group === undefined || own.group === group);
  const found = rulebook.kinds.filter(({ definition }) => definition.policies.some(isMeant));
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first.policyKind;
  const names = rulebook.kinds.flatMap(({ definition }) => definition.policies.map((own) => own.kind));
  const field = isJsonObject(item) ? "spec.policyKind.kind" : "spec.policyKind";
  report(
    field,
    first === undefined
      ? `${field} is "${kind}"; no PolicyDefinition describes that kind. Known kinds: ${names.join(", ")}${didYouMean(kind, names)}`
      : `${field} is "${kind}"; several groups have that kind (${found.map(({ policyKind }) => policyKind.group).join(", ")}); set the group.`,
  );
  return undefined;
}

function readSelector(targets: JsonObject, key: string, { report }: Reading): LabelSelector | undefined {
  const value = ownValue(targets, key);
  if (value === undefined) return undefined;
  const parsed = parseSelector(value);
  if (parsed.ok) return parsed.selector;
  const field = `spec.targets.${key}${parsed.field === "" ? "" : `.${parsed.field}`}`;
  report(field, `${field} ${parsed.message}.`);
  return undefined;
}

function items(object: JsonObject, key: string): readonly Json[] {
  const value = ownValue(object, key);
  return isJsonList(value) ? value : [];
}
