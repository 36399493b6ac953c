/** Finds out whether the API server would accept the objects of a draft as they are written. */
import { putInScope } from "../../effective/world/scope-objects.ts";
import type { PolicyRecord, World } from "../../effective/world/world.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../../model/json.ts";
import type { KubeObject } from "../../model/kube-object.ts";
import { formatRef, kindId, type ObjectId, type PolicyId } from "../../model/refs.ts";
import { policySchemaOf } from "../../model/schema/built-in-schema.ts";
import { judgeValue } from "../../model/schema/judge/judge-value.ts";
import { normalizeValue } from "../../model/schema/judge/normalize-value.ts";
import type { KindSchema } from "../../model/schema/object-schema.ts";
import { retryPolicySchemas } from "../../model/schema/policy-schemas.ts";
import { pathTo } from "../../model/schema/schema-problems.ts";
import { parseObject } from "../../model/snapshot.ts";
import { transitionFindings } from "../plan/refused-updates.ts";
import type { HowDraft } from "./draft.ts";
import { specIn } from "./policy-format.ts";

/**
 * Why the API server would refuse an object of the draft, or drop a field that the draft adds. Undefined: it would not. Objects of a
 * cluster are not judged again, but a new version of them is.
 */
export function refusalOf(world: World, { objects }: HowDraft): string | undefined {
  const judging = { ...world.judging, validated: false };
  for (const { raw } of objects.values()) {
    if (raw === undefined) continue;
    const parsed = parseObject(raw, undefined, judging);
    if (parsed.state === "unidentified") return parsed.finding.message;
    const object = putInScope(parsed.object, world.rulebook);
    const before = world.objects.get(object.id);
    const findings = [
      ...(parsed.state === "refused" ? parsed.findings : []),
      ...(before === undefined ? [] : transitionFindings(before, object, judging)),
    ];
    const refusal = findings[0]?.message ?? schemaRefusal(world, object, before?.raw);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** A part of an object, and the schema that the API server judges it by. */
interface JudgedPart {
  readonly schema: KindSchema;
  readonly at: readonly string[];
  /** False: the schema does not list every field. */
  readonly isWhole: boolean;
}

function schemaRefusal(world: World, object: KubeObject, before: JsonObject | undefined): string | undefined {
  const { schemas, matchRegex } = world.judging;
  const { family, raw } = object;
  const isOwnKind = retryPolicySchemas.some((row) => kindId(row) === family.kindId);
  const isPolicy = world.rulebook.byPolicyKind.has(family.kindId);
  const [crd, builtIn] = [schemas.ofCrd(family), isPolicy ? policySchemaOf(family) : undefined];
  const parts: readonly JudgedPart[] =
    crd !== undefined
      ? [{ schema: crd, at: [], isWhole: true }]
      : builtIn !== undefined
        ? [{ schema: builtIn, at: ["spec"], isWhole: !isOwnKind }]
        : isPolicy
          ? []
          : [{ schema: schemas.of(family), at: [], isWhole: true }];
  for (const { schema, at, isWhole } of parts) {
    const part = at.length === 0 ? raw : specIn(raw);
    const [problem] = judgeValue(schema, part, { matchRegex, at }).problems;
    if (problem !== undefined) return `${formatRef(object.ref)}: ${problem.message}`;
    const old = before === undefined ? undefined : at.length === 0 ? before : specIn(before);
    const dropped = isWhole
      ? droppedField(old, part, normalizeValue(schema.first.compiled, part), at.join("."))
      : undefined;
    if (dropped !== undefined) return `${formatRef(object.ref)}: the API server would drop ${dropped}`;
  }
  return undefined;
}

/** A field that the API server would not store, and that the object does not have before. */
function droppedField(
  before: Json | undefined,
  after: Json,
  stored: Json | undefined,
  field: string,
): string | undefined {
  if (isJsonList(after)) {
    const [old, kept] = [isJsonList(before) ? before : [], isJsonList(stored) ? stored : []];
    for (const [index, item] of after.entries()) {
      const found = droppedField(old[index], item, kept[index], `${field}[${index}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(after)) return undefined;
  for (const [key, value] of Object.entries(after)) {
    const path = pathTo(field, key);
    if (METADATA.has(path)) continue;
    const kept = isJsonObject(stored) ? ownValue(stored, key) : undefined;
    const old = isJsonObject(before) ? ownValue(before, key) : undefined;
    if (kept === undefined && old === undefined && value !== null) return path;
    const found = kept === undefined ? undefined : droppedField(old, value, kept, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every object has these fields; a schema does not list all of them. */
const METADATA: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Why a policy of the draft is not accepted. Errors and refused targets that it had before do not count. */
export function rejectionOf(before: World, after: World, { objects }: HowDraft): string | undefined {
  for (const [id, { raw, ref }] of objects) {
    if (raw === undefined) continue;
    const record = recordOf(after, id);
    if (record === undefined) {
      if (!after.objects.has(id)) return `${formatRef(ref)} would not count`;
      continue;
    }
    const old = recordOf(before, id);
    const errors = record.findings.filter(({ severity }) => severity === "error");
    const [error] = errors;
    if (record.policy === undefined || errors.length > (old?.findings.length ?? 0))
      return error?.message ?? `${formatRef(ref)} is invalid`;
    const [rejection] = record.targets.rejections;
    if (rejection !== undefined && record.targets.rejections.length > (old?.targets.rejections.length ?? 0))
      return `${formatRef(ref)}: ${rejection.message}`;
    if (record.references.noneValid !== undefined && old?.references.noneValid === undefined)
      return `${formatRef(ref)}: ${record.references.noneValid.message}`;
  }
  return undefined;
}

const recordOf = ({ policies }: World, id: ObjectId): PolicyRecord | undefined => policies.get(id as PolicyId);
