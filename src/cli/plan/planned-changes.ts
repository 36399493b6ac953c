import type { Change } from "../../core/effective/update/object-changes.ts";
import { RULES } from "../../core/effective/world/rulebook.ts";
import { putInScope } from "../../core/effective/world/scope-objects.ts";
import type { World } from "../../core/effective/world/world.ts";
import { transitionFindings } from "../../core/explain/plan/refused-updates.ts";
import type { Finding } from "../../core/model/finding.ts";
import { isJsonObject, type JsonObject, objectAt, ownValue } from "../../core/model/json.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { formatRef, isNamespace, kindId, type ObjectId, type ObjectRef, objectId } from "../../core/model/refs.ts";
import type { Judging } from "../../core/model/schema/judge/judging.ts";
import { text } from "../../core/model/schema/read-fields.ts";
import { parseObject, readObjects, readRules } from "../../core/model/snapshot.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import type { LoadedDocument, LoadedDocuments } from "../../sources/load-documents.ts";

/** The new documents, ready to be applied to the current objects. */
export interface Upserts {
  readonly byId: ReadonlyMap<ObjectId, LoadedDocument>;
  readonly objects: ReadonlyMap<ObjectId, KubeObject>;
  /** Documents that cannot be read or would be refused. They are not applied. */
  readonly problems: readonly Finding[];
  /** From a changed document to the document that was read. */
  readonly origins: ReadonlyMap<JsonObject, JsonObject>;
}

/** `Kept`: the creation time of a document is used. `Reset`: new objects are created now, as by the API server. */
export type CreationTimes = "Kept" | "Reset";

/** The upserts of the documents. An existing object keeps its creation time unless the document has one. */
export function upsertsOf(
  world: World,
  { documents, findings, locate }: LoadedDocuments,
  times: CreationTimes,
): Upserts {
  const values = documents.map(({ value }) => value);
  const judging = judgingAfter(world, values);
  const positions = documents.map(({ source }) => source);
  const snapshot = readObjects(values, positions, judging);
  const byId = new Map<ObjectId, LoadedDocument>();
  const objects = new Map<ObjectId, KubeObject>();
  const origins = new Map<JsonObject, JsonObject>();
  const refused = new Map<ObjectId, readonly Finding[]>();
  for (const document of documents) {
    const parsed = parseObject(document.value, document.source, judging);
    if (parsed.state === "unidentified") continue;
    if (parsed.state === "refused") {
      refused.set(
        parsed.id,
        parsed.findings.map((finding) => atField(finding, parsed.object.raw, locate)),
      );
      continue;
    }
    // The snapshot selects one of several documents for the same object.
    const counted = snapshot.objects.get(parsed.id);
    if (counted?.raw !== parsed.object.raw) continue;
    const scoped = putInScope(parsed.object, world.rulebook);
    const { id, raw } = scoped;
    const before = world.objects.get(id);
    const broken = before === undefined ? [] : transitionFindings(before, scoped, judging);
    if (broken.length > 0) {
      refused.set(
        id,
        broken.map((finding) => atField(finding, raw, locate)),
      );
      continue;
    }
    const value = before === undefined ? asCreated(raw, times) : asChanged(raw, before.raw);
    if (value !== raw) origins.set(value, raw);
    byId.set(id, { ...document, value });
    objects.set(id, parsed.object);
  }
  const problems = [...findings, ...snapshot.findings].filter(({ severity }) => severity === "error");
  return { byId, objects, origins, problems: [...problems, ...[...refused.values()].flat()] };
}

/** How objects are judged after the change: by the new CRDs, and by those that stay. */
function judgingAfter({ objects, judging }: World, values: readonly unknown[]): Judging {
  const { matchRegex, validated } = judging;
  const tools = { validated, ...(matchRegex === undefined ? {} : { matchRegex }) };
  const isRule = (value: unknown): value is JsonObject =>
    isJsonObject(value) && RULES.some(({ kind }) => kind === value["kind"]);
  const rules = values.filter(isRule);
  if (rules.length === 0) return judging;
  const names = new Set(rules.map((rule) => nameOf(rule)));
  const staying = RULES.flatMap((rule) => [...objects.ofKind(kindId(rule))])
    .map(({ raw }) => raw)
    .filter((rule) => !names.has(nameOf(rule)));
  return readRules([...rules, ...staying], tools);
}

const nameOf = (rule: JsonObject): string =>
  `${text(rule, "kind", "")}/${text(objectAt(rule, "metadata"), "name", "")}`;

/** Replaces the position of the object by that of the field. */
function atField(finding: Finding, raw: JsonObject, locate: LoadedDocuments["locate"]): Finding {
  const source = finding.field === undefined ? undefined : locate(raw, fieldPointer(finding.field));
  return source === undefined ? finding : { ...finding, source };
}

const CREATED = "creationTimestamp";

function asCreated(raw: JsonObject, times: CreationTimes): JsonObject {
  const metadata = ownValue(raw, "metadata");
  if (times === "Kept" || !isJsonObject(metadata) || ownValue(metadata, CREATED) === undefined) return raw;
  const { [CREATED]: _, ...rest } = metadata;
  return { ...raw, metadata: rest };
}

function asChanged(raw: JsonObject, before: JsonObject): JsonObject {
  const [metadata, old] = [ownValue(raw, "metadata"), ownValue(before, "metadata")];
  if (!isJsonObject(metadata) || !isJsonObject(old)) return raw;
  const created = ownValue(old, CREATED) ?? null;
  if (created === null || (ownValue(metadata, CREATED) ?? null) !== null) return raw;
  return { ...raw, metadata: { ...metadata, [CREATED]: created } };
}

/** Returns an error message if an object is both applied and deleted. */
export function contradiction(upserts: Upserts, deleted: readonly ObjectRef[]): string | undefined {
  for (const ref of deleted) {
    const both = upserts.objects.get(objectId(ref));
    if (both !== undefined) return `${formatRef(ref)} is both in --apply and deleted; keep one of them`;
    if (!isNamespace(ref)) continue;
    const inside = [...upserts.objects.values()].find((object) => object.ref.namespace === ref.name);
    if (inside !== undefined)
      return `${formatRef(inside.ref)} is in --apply, and its ${formatRef(ref)} is deleted; keep one of them`;
  }
  return undefined;
}

export const toChanges = (upserts: Upserts, deleted: readonly ObjectRef[]): readonly Change[] => [
  ...deleted.map((ref): Change => ({ delete: ref })),
  ...[...upserts.byId.values()].map(({ value, source }): Change => ({ upsert: value, position: source })),
];
