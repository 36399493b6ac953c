import { BLOCK_SPELLINGS } from "../block-names.ts";
import type { EvaluateCondition } from "../cel.ts";
import type { Granularity, MergeRules, PolicyDefinition } from "../definition.ts";
import type { Finding } from "../finding.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import type { Block, BlockName, Policy, PolicyTarget, Unit } from "../policy.ts";
import type { PolicyId } from "../refs.ts";
import { policySchemaOf } from "../schema/built-in-schema.ts";
import { fillDefaults } from "../schema/fill-defaults.ts";
import { type Judgement, judgeValue } from "../schema/judge/judge-value.ts";
import { builtInJudging, type Judging } from "../schema/judge/judging.ts";
import { unevaluatedFinding } from "../schema/judge/unevaluated-finding.ts";
import { measureJson } from "../schema/measure-json.ts";
import type { CompiledSchema } from "../schema/schema.ts";
import { type UnitRules, unitRulesOf, unitsOf } from "../units.ts";
import { didYouMean } from "../words/did-you-mean.ts";
import { formatValue } from "../words/format-value.ts";
import { BlockCache } from "./block-cache.ts";
import { createdAt, writtenCreationTime } from "./created-at.ts";
import { granularityOfEmpty } from "./empty-policy.ts";
import { checkForbidden } from "./forbidden-settings.ts";
import type { CrdFacts } from "./parse-crd.ts";
import { parseTargets } from "./parse-targets.ts";
import { type PolicyProblem, type Report, toFinding, toFindings } from "./policy-problem.ts";

/** Specs beyond these limits are Invalid. The API server stores far less. */
const SPEC_LIMITS = {
  maxDepth: 64,
  maxValues: 1_000_000,
  maxUnits: 100_000,
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
  if (reader.forbids) checkForbidden(filled, definition.targeting, targets, blocks, report);
  const emptyGranularity = blocks.length === 0 ? granularityOfEmpty(filled, reader.merge) : undefined;
  const built = buildPolicy(object, reader, targets, blocks);
  const policy = emptyGranularity === undefined ? built : { ...built, emptyGranularity };
  const findings = [...judgement.findings, ...(policy.createdAt === undefined ? timeFindings(object) : NO_FINDINGS)];
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
  { blockCache, targetKeys }: PolicyReader,
  report: Report,
): JsonObject | undefined {
  const spec = ownValue(object.raw, "spec");
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
  /** What does not make the policy Invalid. */
  readonly findings: readonly Finding[];
}

/** Reports settings that the API server would refuse by the kind's schema. `parseTargets` reports targets. */
function judgePolicy(object: KubeObject, spec: JsonObject, reader: PolicyReader, report: Report): PolicyJudgement {
  const { family, raw } = object;
  const { schemas, matchRegex, validated } = reader.judging;
  const options = { matchRegex, rules: validated ? ("Left out" as const) : undefined };
  const builtIn = policySchemaOf(family);
  const own = builtIn === undefined ? NOTHING_WRONG : judgeValue(builtIn, spec, { ...options, at: ["spec"] });
  // Another version may have another schema, and the API server converts between them.
  const crd = schemas.ofCrd(family);
  const byCrd = crd === undefined ? NOTHING_WRONG : judgeValue(crd, raw, options);
  const schema =
    crd?.first.compiled.properties.find(({ key }) => key === "spec")?.schema ??
    reader.crd?.spec ??
    builtIn?.first.compiled;
  if (own === byCrd || (own.problems.length + byCrd.problems.length === 0 && byCrd.unevaluated.length === 0))
    return { schema, findings: NO_FINDINGS };
  const reported = new Set<string>();
  const findings = byCrd.unevaluated.map((rule) => unevaluatedFinding(object, rule));
  for (const problem of [...own.problems, ...byCrd.problems]) {
    const { field, message } = problem;
    if (reported.has(field) || (problem.problem !== "rule" && isTargetField(field, reader))) continue;
    reported.add(field);
    // It stays in effect, and a data plane refuses it: a BackendTLSPolicy without authorities must not mean plain text.
    if (problem.problem === "rule" && own.problems.includes(problem)) findings.push(brokenRule(object, field, message));
    else report("InvalidField", field, message);
  }
  return { schema, findings };
}

const NOTHING_WRONG: Judgement = { problems: [], unevaluated: [] };

const isTargetField = (field: string, { targetFields }: PolicyReader): boolean =>
  targetFields.some((name) => `${field}.`.startsWith(`${name}.`) || field.startsWith(`${name}[`));

const brokenRule = (object: KubeObject, field: string, message: string): Finding =>
  toFinding(object, "error", {
    code: "InvalidField",
    field,
    message: `${message}. The API server would refuse this policy`,
  });

/** Everything that parsing the policies of one kind needs. Built once for a definition and CRD. */
export interface PolicyReader {
  readonly definition: PolicyDefinition;
  readonly crd: CrdFacts | undefined;
  readonly judging: Judging;
  /** What is wrong with a condition, whatever it is evaluated on. */
  readonly problemOf: EvaluateCondition["problemOf"];
  readonly merge: MergeRules;
  readonly rules: UnitRules;
  readonly hasStrategy: boolean;
  readonly targetFields: readonly string[];
  /** The field of the first target in a list: one text for the many policies that have one target. */
  readonly firstTarget: string;
  /** `targetFields` as keys of `spec`. */
  readonly targetKeys: readonly string[];
  readonly blockCache: BlockCache;
  /** True if some settings are not allowed with some targets. */
  readonly forbids: boolean;
  /** Keys of `spec` that are not spec proper. */
  readonly asideInSpec: ReadonlySet<string>;
  /** Keys of a block that are not spec proper. */
  readonly asideInBlock: ReadonlySet<string>;
}

const REMOVALS = ["remove", "unset"] as const;

export interface PolicyReaderOptions {
  /** The CRD of the policies to parse. A definition may join several kinds. */
  readonly crd?: CrdFacts | undefined;
  readonly judging?: Judging;
  readonly problemOf?: EvaluateCondition["problemOf"];
}

export function policyReader(definition: PolicyDefinition, options: PolicyReaderOptions = {}): PolicyReader {
  const { crd, judging = builtInJudging(), problemOf } = options;
  const { merge, targeting } = definition;
  const { ref, refs, selectors } = targeting.fields;
  const hasStrategy = Object.keys(merge.granularity.values).length > 0;
  const beside = [...REMOVALS, ...(hasStrategy ? [merge.granularity.field] : [])];
  return {
    definition,
    crd,
    judging,
    problemOf,
    merge,
    rules: unitRulesOf(definition, crd),
    hasStrategy,
    targetFields: [ref, refs, selectors].map((field) => `spec.${field}`),
    firstTarget: `spec.${refs}[0]`,
    targetKeys: [ref, refs, selectors],
    blockCache: new BlockCache(),
    forbids: targeting.kinds.some(({ forbids }) => forbids !== undefined),
    // A kind that never merges has no blocks and no strategy, so everything but its targets is spec proper.
    asideInSpec: new Set([
      ref,
      refs,
      selectors,
      ...(merge.none ? [] : [...BLOCK_SPELLINGS.defaults, ...BLOCK_SPELLINGS.overrides, ...beside]),
    ]),
    asideInBlock: new Set([...beside, "when"]),
  };
}

/** The blocks of an earlier policy with an equal spec, or parsed ones. */
function findBlocks(
  object: KubeObject,
  spec: JsonObject,
  reader: PolicyReader,
  problems: readonly PolicyProblem[],
  report: Report,
): readonly Block[] {
  const { blockCache } = reader;
  // `boundedSpec` read the spec before the defaults were filled in.
  const isShort = spec === ownValue(object.raw, "spec") ? blockCache.isShort : blockCache.read(spec, reader.targetKeys);
  const known = isShort ? blockCache.find() : undefined;
  if (known !== undefined) return known;
  const before = problems.length;
  const blocks = parseBlocks(spec, reader, report);
  if (isShort && problems.length === before) blockCache.keep(blocks);
  return blocks;
}

/**
 * Order of the blocks: defaults, bare rules, overrides
 *
 * A policy may have a `defaults` block, bare rules and an `overrides` block, which are merged in this order. Bare rules beside a
 * block are further defaults.
 * RFC 9, "Writing D/O-enabled Kuadrant Policies"
 */
function parseBlocks(spec: JsonObject, reader: PolicyReader, report: Report): readonly Block[] {
  const { merge } = reader;
  const read = merge.none
    ? [unmergedBlock(spec, reader)]
    : [
        parseNamedBlock("defaults", spec, reader, report),
        parseBlock("bare", spec, "spec", reader, report),
        parseNamedBlock("overrides", spec, reader, report),
      ];
  const blocks = read.filter((block): block is Block => block !== undefined && !isEmpty(block)).slice();
  let units = 0;
  for (const block of blocks) units += block.units.length;
  if (units > SPEC_LIMITS.maxUnits) {
    report("InvalidTooLarge", "spec", `spec is too large: it sets more than ${SPEC_LIMITS.maxUnits} values.`);
  }
  checkExclusive(blocks, merge, report);
  return blocks;
}

const isEmpty = ({ units, remove }: Block): boolean => units.length === 0 && remove.length === 0;

/**
 * One merge strategy in a policy
 *
 * A policy of a kind with `blocks: Exclusive` declares one merge strategy. A policy with more than one of defaults, bare rules
 * and overrides is Invalid.
 * GEP-713, "Combined merge strategies"
 */
function checkExclusive(blocks: readonly Block[], merge: MergeRules, report: Report): void {
  if (merge.blocks === "Exclusive" && blocks.length > 1) {
    const names = blocks.map((block) => (block.name === "bare" ? "rules outside both" : block.name)).join(" and ");
    const message = `spec has ${names}; a policy of this kind declares one merge strategy only. Keep one of them.`;
    report("InvalidBlock", "spec", message);
  }
}

const unmergedBlock = (spec: JsonObject, { merge, rules, asideInSpec }: PolicyReader): Block => ({
  name: "bare",
  granularity: merge.granularity.default,
  remove: NOTHING,
  units: unitsOf(spec, rules, asideInSpec),
});

function parseNamedBlock(
  name: "defaults" | "overrides",
  spec: JsonObject,
  reader: PolicyReader,
  report: Report,
): Block | undefined {
  const [first, second] = BLOCK_SPELLINGS[name];
  const hasSecond = (ownValue(spec, second) ?? null) !== null;
  const hasFirst = (ownValue(spec, first) ?? null) !== null;
  if (!hasFirst && !hasSecond) return undefined;
  const [spelling, other] = hasFirst ? [first, hasSecond ? second : undefined] : [second, undefined];
  if (other !== undefined) {
    const message = `spec has both ${spelling} and ${other}, two spellings of one block. Keep one of them.`;
    report("InvalidBlock", `spec.${other}`, message);
    return undefined;
  }
  const value = ownValue(spec, spelling);
  if (!isJsonObject(value)) {
    report("InvalidBlock", `spec.${spelling}`, `spec.${spelling} is ${formatValue(value)}; allowed: an object`);
    return undefined;
  }
  return parseBlock(name, value, `spec.${spelling}`, reader, report);
}

/** Parses a block or the bare rules. Bare rules have no condition. */
function parseBlock(name: BlockName, value: JsonObject, field: string, reader: PolicyReader, report: Report): Block {
  const isNamed = name !== "bare";
  const when = isNamed ? parseWhen(ownValue(value, "when") ?? null, field, reader, report) : undefined;
  const { merge, rules, hasStrategy } = reader;
  const byDefault = granularityOf(merge, field);
  const granularity = hasStrategy ? parseGranularity(value, field, merge, byDefault, report) : byDefault;
  const remove = parseRemovals(value, field, report);
  const units = unitsOf(value, rules, isNamed ? reader.asideInBlock : reader.asideInSpec);
  return when === undefined ? { name, granularity, remove, units } : { name, granularity, when, remove, units };
}

/** The granularity of a block that selects none. */
const granularityOf = ({ granularity }: MergeRules, field: string): Granularity =>
  REFERENCE_BLOCKS.includes(field) ? (granularity.ofReferenceBlocks ?? granularity.default) : granularity.default;

const REFERENCE_BLOCKS = [BLOCK_SPELLINGS.defaults, BLOCK_SPELLINGS.overrides].map(([, second]) => `spec.${second}`);

function parseGranularity(
  value: JsonObject,
  field: string,
  { granularity }: MergeRules,
  byDefault: Granularity,
  report: Report,
): Granularity {
  const word = ownValue(value, granularity.field) ?? null;
  if (word === null) return byDefault;
  const chosen =
    typeof word === "string" && Object.hasOwn(granularity.values, word) ? granularity.values[word] : undefined;
  if (chosen !== undefined) return chosen;
  const allowed = Object.keys(granularity.values);
  const hint = typeof word === "string" ? didYouMean(word, allowed) : "";
  const where = `${field}.${granularity.field}`;
  report("InvalidStrategy", where, `${where} is ${formatValue(word)}; allowed: ${allowed.join(", ")}${hint}`);
  return byDefault;
}

/**
 * A condition is a CEL expression
 *
 * A policy whose `when` is not CEL is Invalid. A condition that fails only on some values fails closed where it does.
 * RFC 9, "Merging a generic block of policy rules (defaults or overrides) into a policy with conditions"
 */
function parseWhen(value: Json, block: string, { problemOf }: PolicyReader, report: Report): string | undefined {
  if (value === null) return undefined;
  const field = `${block}.when`;
  if (typeof value === "string") {
    const problem = problemOf?.(value);
    if (problem !== undefined)
      report("InvalidBlock", field, `${field} is ${formatValue(value)}; allowed: a CEL expression (${problem})`);
    return value;
  }
  report("InvalidBlock", field, `${field} is ${formatValue(value)}; allowed: a CEL expression as a string`);
  return undefined;
}

const NOTHING: readonly never[] = [];

function parseRemovals(block: JsonObject, field: string, report: Report): readonly string[] {
  let removals: readonly string[] = NOTHING;
  for (const key of REMOVALS) {
    const value = ownValue(block, key) ?? null;
    if (value === null) continue;
    const names = isJsonList(value) ? value.filter((item) => typeof item === "string" && item !== "") : [];
    if (isJsonList(value) && names.length === value.length) {
      removals = [...removals, ...(names as readonly string[])];
      continue;
    }
    const what = isJsonList(value) ? "a list with other things than names" : formatValue(value);
    report(
      "InvalidBlock",
      `${field}.${key}`,
      `${field}.${key} is ${what}; allowed: a list of rule names or dotted paths`,
    );
  }
  return removals;
}

const NO_FINDINGS: readonly Finding[] = [];

/** Reports a creation time that is not valid. It may be absent. */
function timeFindings(object: KubeObject): readonly Finding[] {
  const written = writtenCreationTime(object);
  if (written === null) return NO_FINDINGS;
  const field = "metadata.creationTimestamp";
  const message = `${field} is ${formatValue(written)}; allowed: a time such as 2021-07-15T01:02:03Z. The policy counts as the newest.`;
  return [toFinding(object, "warning", { code: "UnreadableTimestamp", field, message })];
}
