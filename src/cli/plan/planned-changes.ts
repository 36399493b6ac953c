import type { Change } from "../../core/effective/update/object-changes.ts";
import { putInScope } from "../../core/effective/world/scope-objects.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { Finding } from "../../core/model/finding.ts";
import { isJsonObject, type JsonObject, ownValue } from "../../core/model/json.ts";
import type { KubeObject } from "../../core/model/kube-object.ts";
import { formatRef, type ObjectId, type ObjectRef, objectId, parseObjectId } from "../../core/model/refs.ts";
import { buildSnapshot, parseObject, tablesOf } from "../../core/model/snapshot.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import type { LoadedDocument, LoadedDocuments } from "../../sources/load-documents.ts";

/** Documents of the future, ready to be applied to what is there. */
export interface Upserts {
  readonly byId: ReadonlyMap<ObjectId, LoadedDocument>;
  readonly objects: ReadonlyMap<ObjectId, KubeObject>;
  /** What cannot be read, or would be refused: it is left out. */
  readonly problems: readonly Finding[];
  /** The document as it was read, of one that was changed here. */
  readonly origins: ReadonlyMap<JsonObject, JsonObject>;
}

/** `Kept`: a document's time of creation stands. `Reset`: as the API server does, objects that are new get theirs now. */
export type CreationTimes = "Kept" | "Reset";

/** What the documents would make of the world. An object that is there keeps its time of creation unless the document has one. */
export function upsertsOf(
  world: World,
  { documents, findings, locate }: LoadedDocuments,
  times: CreationTimes,
): Upserts {
  const snapshot = tablesOf(
    buildSnapshot(
      documents.map(({ value }) => value),
      { positions: documents.map(({ source }) => source) },
    ),
  );
  const byId = new Map<ObjectId, LoadedDocument>();
  const objects = new Map<ObjectId, KubeObject>();
  const origins = new Map<JsonObject, JsonObject>();
  const refused = new Map<ObjectId, readonly Finding[]>();
  for (const document of documents) {
    const parsed = parseObject(document.value, document.source);
    if (parsed.state === "unidentified") continue;
    if (parsed.state === "refused") {
      refused.set(
        parsed.id,
        parsed.findings.map((finding) => atField(finding, parsed.object.raw, locate)),
      );
      continue;
    }
    // Of several documents for one object the snapshot says which counts.
    const counted = snapshot.objects.get(parsed.id);
    if (counted?.raw !== parsed.object.raw) continue;
    const { id, raw } = putInScope(parsed.object, world.rulebook);
    const before = world.objects.get(id);
    const value = before === undefined ? asCreated(raw, times) : asChanged(raw, before.raw);
    if (value !== raw) origins.set(value, raw);
    byId.set(id, { ...document, value });
    objects.set(id, parsed.object);
  }
  const problems = [...findings, ...snapshot.findings].filter(({ severity }) => severity === "error");
  return { byId, objects, origins, problems: [...problems, ...[...refused.values()].flat()] };
}

/** The line of the field rather than that of the object. */
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

/** The objects that go with these: a namespace takes along what is in it, a CRD what is of its kind. */
export function withCascades(world: World, refs: readonly ObjectRef[]): readonly ObjectRef[] {
  const all = new Map(refs.map((ref) => [objectId(ref), ref]));
  const takes = refs.map((ref) => takerOf(world, ref));
  const add = (ref: ObjectRef): void => {
    if (takes.some((isTaken) => isTaken(ref))) all.set(objectId(ref), ref);
  };
  world.objects.forEach(({ ref }) => {
    add(ref);
  });
  world.refused.forEach((_, id) => {
    add(parseObjectId(id));
  });
  return [...all.values()];
}

export const isNamespace = ({ group, kind }: ObjectRef): boolean => group === "" && kind === "Namespace";

function takerOf(world: World, ref: ObjectRef): (other: ObjectRef) => boolean {
  if (isNamespace(ref)) return (other) => other.namespace === ref.name;
  if (ref.kind !== "CustomResourceDefinition" || ref.group !== "apiextensions.k8s.io") return () => false;
  const raw = world.objects.get(objectId(ref))?.raw;
  const spec = raw === undefined ? undefined : ownValue(raw, "spec");
  const names = isJsonObject(spec) ? ownValue(spec, "names") : undefined;
  if (!isJsonObject(spec) || !isJsonObject(names)) return () => false;
  return (other) => other.group === spec["group"] && other.kind === names["kind"];
}

/** What cannot be wanted at once: an object that is to come and to go. */
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
