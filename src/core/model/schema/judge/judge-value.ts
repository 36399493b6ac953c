import { newRuleFrame } from "../../cel/compile-rule.ts";
import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import type { MatchRegex } from "../../regex.ts";
import { fitsSchema } from "../fits-schema.ts";
import type { KindSchema, ObjectSchema } from "../object-schema.ts";
import { type SchemaProblem, schemaProblems } from "../schema-problems.ts";
import { type CheckContext, type CheckNode, runChecks, type UnevaluatedRule } from "./check-node.ts";
import { normalizeValue } from "./normalize-value.ts";

/** The API server's judgement of a value. */
export interface Judgement {
  /** Reasons to refuse the value. */
  readonly problems: readonly SchemaProblem[];
  /** Rules of the schema that could not be evaluated. */
  readonly unevaluated: readonly UnevaluatedRule[];
}

export interface JudgeOptions {
  /** For patterns of the input. Without it they are not evaluated. */
  readonly matchRegex?: MatchRegex | undefined;
  /** `Left out`: only types, bounds and required fields are checked. */
  readonly rules?: "Left out" | undefined;
  /** Where the value is: `["spec"]`. */
  readonly at?: readonly string[];
  /** The value before a change. Transition rules are evaluated only if it is given. */
  readonly old?: Json;
}

/** The highest cost of the rules of one object together. One unit is about one operator, so this takes milliseconds. */
const MAX_COST = 1_000_000;

const NOWHERE: readonly string[] = [];
/** The judgement of a valid value. */
export const FINE: Judgement = { problems: [], unevaluated: [] };

/** Judges a value as the API server does: types and bounds, then defaults, then everything that depends on defaults. */
export function judgeValue(schema: KindSchema, value: Json, options: JudgeOptions = {}): Judgement {
  const { first, others, guard } = schema;
  const judged = judgeBy(first, value, options);
  if (judged.problems.length === 0) return guard === undefined ? judged : guarded(guard(), value, judged, options);
  for (const other of others()) {
    const alternative = judgeBy(other, value, options);
    if (alternative.problems.length === 0) return alternative;
  }
  return judged;
}

function guarded(
  guard: ObjectSchema["compiled"],
  value: Json,
  judged: Judgement,
  { at = [] }: JudgeOptions,
): Judgement {
  return fitsSchema(guard, value) ? judged : { ...judged, problems: schemaProblems(guard, value, at.join(".")) };
}

function judgeBy(schema: ObjectSchema, value: Json, options: JudgeOptions): Judgement {
  const { compiled, checks } = schema;
  const { at = NOWHERE, rules, old } = options;
  if (!fitsSchema(compiled, value)) return { problems: schemaProblems(compiled, value, at.join(".")), unevaluated: [] };
  const node = rules === "Left out" ? undefined : checks();
  if (node === undefined) return FINE;
  const matchRegex = schema.matchRegex ?? options.matchRegex ?? noRegex;
  const context: CheckContext = {
    path: [...at],
    frame: newRuleFrame(MAX_COST, matchRegex),
    matchRegex,
    isUpdate: old !== undefined,
    problems: [],
    unevaluated: [],
  };
  runChecks(node, stored(compiled, node, value), context, old === undefined ? undefined : stored(compiled, node, old));
  const { problems, unevaluated } = context;
  return problems.length + unevaluated.length === 0 ? FINE : { problems, unevaluated };
}

const noRegex: MatchRegex = () => ({ state: "error", message: "regular expressions were not loaded" });

/** A value as it would be stored. Rules of a whole object do not see its status, which is written separately. */
function stored(compiled: ObjectSchema["compiled"], { checks }: CheckNode, value: Json): Json {
  const normal = normalizeValue(compiled, value);
  return checks().length > 0 && isJsonObject(normal) ? withoutStatus(normal) : normal;
}

function withoutStatus(object: JsonObject): JsonObject {
  if (!Object.hasOwn(object, "status") || !Object.hasOwn(object, "metadata")) return object;
  const { status: _, ...rest } = object;
  return rest;
}
