import { isMarkedField } from "../../definition/sensitive-fields.ts";
import type { PolicyDefinition } from "../../definition.ts";
import type { Finding } from "../../finding.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { KubeObject } from "../../kube-object.ts";
import type { Block, Policy, PolicyTarget, Unit } from "../../policy.ts";
import type { PolicyId } from "../../refs.ts";
import { policySchemaOf } from "../../schema/built-in-schema.ts";
import { fillDefaults } from "../../schema/fill-defaults.ts";
import { FINE, judgeValue } from "../../schema/judge/judge-value.ts";
import { unevaluatedFinding } from "../../schema/judge/unevaluated-finding.ts";
import { measureJson } from "../../schema/measure-json.ts";
import type { CompiledSchema } from "../../schema/schema.ts";
import type { SchemaProblem } from "../../schema/schema-problems.ts";
import type { UnitRules } from "../../units.ts";
import { formatValue } from "../../words/format-value.ts";
import { createdAt, writtenCreationTime } from "../created-at.ts";
import { granularityOfEmpty } from "./empty-policy.ts";
import { checkForbidden } from "./forbidden-settings.ts";
import { findBlocks } from "./parse-blocks.ts";
import { parseTargets } from "./parse-targets.ts";
import { type PolicyProblem, type Report, toFinding, toFindings } from "./policy-problem.ts";
import type { PolicyReader } from "./policy-reader.ts";
import { settingsOf } from "./settings-of.ts";

/** Specs beyond these limits are Invalid. The API server stores far less. */
const SPEC_LIMITS = {
  maxDepth: 64,
  maxValues: 1_000_000,
};

/**
 * Parses a policy by the definition of its kind. The result of an Invalid policy has no `policy`, and at least one error with a
 * field and a code that begins with `Invalid`.
 */
export function parsePolicy(object: KubeObject, reader: PolicyReader): ParsedPolicy {
  const problems: PolicyProblem[] = [];
  const report: Report = (code, field, message) => void problems.push({ code, field, message });
  const spec = boundedSpec(object, reader, report);
  if (spec === undefined) return { findings: toFindings(object, problems) };

  const { definition } = reader;
  const judgement = judgePolicy(object, spec, reader, report);
  const filled = withDefaults(spec, judgement.schema);
  const targets = parseTargets(filled, definition.targeting, report, reader.firstTarget);
  const blocks = findBlocks(object, filled, reader, problems, report);
  if (reader.forbids) checkForbidden(filled, definition, targets, blocks, report);
  const emptyGranularity = blocks.length === 0 ? granularityOfEmpty(filled, reader.merge) : undefined;
  const built = buildPolicy(object, reader, targets, blocks);
  const policy = emptyGranularity === undefined ? built : { ...built, emptyGranularity };
  const findings =
    policy.createdAt === undefined ? [...judgement.findings, ...timeFindings(object)] : judgement.findings;
  if (problems.length > 0) return { findings: [...toFindings(object, problems), ...findings] };
  if (reader.rules.ruleMaps.length === 0 || !blocks.some(({ units }) => units.some(isNoRule)))
    return { policy, findings };
  return { policy, findings: [...findings, ...ruleMapFindings(object, blocks, reader.rules)] };
}

export interface ParsedPolicy {
  readonly policy?: Policy;
  readonly findings: readonly Finding[];
}

function buildPolicy(
  object: KubeObject,
  { definition }: PolicyReader,
  targets: readonly PolicyTarget[],
  blocks: readonly Block[],
): Policy {
  const { group, kind } = object.family;
  const kindIndex = Math.max(
    0,
    definition.policies.findIndex((own) => group === own.group && kind === own.kind),
  );
  const id = object.id as PolicyId;
  const age = createdAt(object);
  return age === undefined
    ? { id, object, kindIndex, targets, blocks }
    : { id, object, kindIndex, createdAt: age, targets, blocks };
}

function withDefaults(spec: JsonObject, schema: CompiledSchema | undefined): JsonObject {
  const filled = schema === undefined ? spec : fillDefaults(schema, spec);
  return isJsonObject(filled) ? filled : spec;
}

const isNoRule = ({ ruleName }: Unit): boolean => ruleName === undefined;

/** Reports a value that stands in place of a map of named rules. It counts as one setting, which is rarely intended. */
function ruleMapFindings(object: KubeObject, blocks: readonly Block[], { ruleMaps }: UnitRules): Finding[] {
  return blocks.flatMap(({ name, units }) =>
    units
      .filter(({ path, ruleName }) => ruleName === undefined && ruleMaps.some((map) => isAtOrAbove(path, map)))
      .map(({ path, value }) => {
        const field = `spec.${name === "bare" ? "" : `${name}.`}${path.join(".")}`;
        const message = `${field} is ${formatValue(value)}; allowed: a map of named rules. The value counts as one setting.`;
        return toFinding(object, "warning", { code: "InvalidField", field, message });
      }),
  );
}

const isAtOrAbove = (path: readonly string[], map: string): boolean => {
  const steps = map.split(".");
  return path.length <= steps.length && path.every((step, at) => steps[at] === "*" || steps[at] === step);
};

function boundedSpec(
  object: KubeObject,
  { blockCache, targetKeys, definition }: PolicyReader,
  report: Report,
): JsonObject | undefined {
  const spec = settingsOf(object.raw, definition);
  if (!isJsonObject(spec)) {
    report("InvalidSpec", "spec", `spec is ${formatValue(spec)}; allowed: an object`);
    return undefined;
  }
  if (blockCache.read(spec, targetKeys)) return spec;
  const size = measureJson(spec, SPEC_LIMITS);
  switch (size) {
    case "ok":
      return spec;
    case "too deep":
      report("InvalidTooDeep", "spec", `spec is too deep: more than ${SPEC_LIMITS.maxDepth} levels.`);
      return undefined;
    case "too large":
      report("InvalidTooLarge", "spec", `spec is too large: more than ${SPEC_LIMITS.maxValues} values.`);
      return undefined;
  }
}

interface PolicyJudgement {
  /** The schema of the policy's spec. */
  readonly schema: CompiledSchema | undefined;
  /** Findings that do not make the policy Invalid. */
  readonly findings: readonly Finding[];
}

/** Reports settings that the API server would refuse by the kind's schema. `parseTargets` reports targets. */
function judgePolicy(object: KubeObject, spec: JsonObject, reader: PolicyReader, report: Report): PolicyJudgement {
  const { family, raw } = object;
  const { schemas, matchRegex, validated } = reader.judging;
  const options = { matchRegex, rules: validated ? ("Left out" as const) : undefined };
  const builtIn = policySchemaOf(family);
  const own = builtIn === undefined ? FINE : judgeValue(builtIn, spec, { ...options, at: ["spec"] });
  // Another version may have another schema, and the API server converts between them.
  const crd = schemas.ofCrd(family);
  const byCrd = crd === undefined ? FINE : judgeValue(crd, raw, options);
  const schema =
    crd?.first.compiled.properties.find(({ key }) => key === "spec")?.schema ??
    reader.crd?.spec ??
    builtIn?.first.compiled;
  if (own === byCrd || (own.problems.length + byCrd.problems.length === 0 && byCrd.unevaluated.length === 0))
    return { schema, findings: NO_FINDINGS };
  const reported = new Set<string>();
  const findings = byCrd.unevaluated.map((rule) => unevaluatedFinding(object, rule));
  for (const problem of [...own.problems, ...byCrd.problems]) {
    const { field } = problem;
    const message = withoutSensitive(problem, reader.definition);
    if (reported.has(field) || (problem.problem !== "rule" && isTargetField(field, reader))) continue;
    reported.add(field);
    // The policy stays in effect, and a data plane refuses it: a BackendTLSPolicy without authorities must not mean plain text.
    if (problem.problem === "rule" && own.problems.includes(problem)) findings.push(brokenRule(object, field, message));
    else report("InvalidField", field, message);
  }
  return { schema, findings };
}

/**
 * The message of a problem, without the value of a sensitive field. It is in verdicts, status and Events, whose readers may not be those of the policy.
 */
function withoutSensitive(
  { problem, field, message }: SchemaProblem,
  { sensitive = [] }: Pick<PolicyDefinition, "sensitive">,
): string {
  const mayQuote = problem === "type" || problem === "value" || problem === "rule";
  return mayQuote && isMarkedField(sensitive, field)
    ? `${field} has a value that the schema does not allow; it is sensitive, and not shown`
    : message;
}

const isTargetField = (field: string, { targetFields }: PolicyReader): boolean =>
  targetFields.some((name) => `${field}.`.startsWith(`${name}.`) || field.startsWith(`${name}[`));

const brokenRule = (object: KubeObject, field: string, message: string): Finding =>
  toFinding(object, "error", {
    code: "InvalidField",
    field,
    message: `${message}. The API server would refuse this policy`,
  });

const NO_FINDINGS: readonly Finding[] = [];

/** Reports a creation time that is not valid. It may be absent. */
function timeFindings(object: KubeObject): readonly Finding[] {
  const written = writtenCreationTime(object);
  if (written === null) return NO_FINDINGS;
  const field = "metadata.creationTimestamp";
  const message = `${field} is ${formatValue(written)}; allowed: a time such as 2021-07-15T01:02:03Z. The policy counts as the newest.`;
  return [toFinding(object, "warning", { code: "UnreadableTimestamp", field, message })];
}
