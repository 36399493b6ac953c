/**
 * Objects that change, as a sequence of changes: each load returns what differs from the last one. Only differences are passed on, so that
 * one edited line in a large file costs its readers one object.
 */
import type { Change } from "../core/apply.ts";
import type { ObjectIndex } from "../core/model/collections/object-index.ts";
import type { Finding } from "../core/model/finding.ts";
import { jsonEqual } from "../core/model/json.ts";
import type { SourcePosition } from "../core/model/kube-object.ts";
import { buildSnapshot, tablesOf } from "../core/model/snapshot.ts";
import { isSameMaterial, type KeyMaterial } from "./key-material.ts";
import { loadRegexFor } from "./load-regex.ts";

/** One document: the object as it came, and its position if it is in a file. */
export interface PositionedObject {
  readonly value: unknown;
  readonly source?: SourcePosition;
}

/** The current documents. */
export interface ReadDocuments {
  readonly documents: readonly PositionedObject[];
  /** Findings about the text. */
  readonly findings: readonly Finding[];
  readonly keyMaterial: KeyMaterial;
}

export interface SourceChanges {
  /** The changes since the last load. */
  readonly changes: readonly Change[];
  /** The number of objects. */
  readonly objects: number;
  /** Documents that are not usable. If there are any, `changes` is empty, except at the first load. */
  readonly broken: readonly Finding[];
  /** Undefined if unchanged. */
  readonly keyMaterial: KeyMaterial | undefined;
}

export interface DocumentSource {
  /** Returns the changes since the last call. The first call returns everything. */
  readonly load: () => Promise<SourceChanges>;
}

/**
 * The first load returns everything that can be used. Later loads return no changes as long as a document is broken: half of an edit is
 * never passed on.
 */
export function createDocumentSource(read: () => Promise<ReadDocuments>): DocumentSource {
  let given: { readonly objects: ObjectIndex; readonly keyMaterial: KeyMaterial } | undefined;
  return {
    load: async () => {
      const now = await read();
      const values = now.documents.map(({ value }) => value);
      const { objects, refused, findings } = tablesOf(
        buildSnapshot(values, {
          positions: now.documents.map(({ source }) => source),
          ...(await loadRegexFor(values)),
        }),
      );
      const broken = [...now.findings, ...findings, ...[...refused.values()].flatMap((one) => one.findings)].filter(
        ({ severity }) => severity === "error",
      );
      if (broken.length > 0 && given !== undefined) {
        return { changes: [], objects: given.objects.size, broken, keyMaterial: undefined };
      }
      const changes = changesBetween(given?.objects, objects);
      const isKnown = given !== undefined && isSameMaterial(given.keyMaterial, now.keyMaterial);
      given = { objects, keyMaterial: now.keyMaterial };
      return { changes, objects: objects.size, broken, keyMaterial: isKnown ? undefined : now.keyMaterial };
    },
  };
}

/** The changes that make one state the other. A document that only moved within its file is unchanged. */
export function changesBetween(before: ObjectIndex | undefined, after: ObjectIndex): readonly Change[] {
  const changes: Change[] = [];
  before?.forEach(({ id, ref }) => {
    if (!after.has(id)) changes.push({ delete: ref });
  });
  after.forEach(({ id, raw, source }) => {
    const known = before?.get(id);
    if (known !== undefined && jsonEqual(known.raw, raw)) return;
    changes.push({ upsert: raw, ...(source === undefined ? {} : { position: source }) });
  });
  return changes;
}
