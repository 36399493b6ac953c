import type { FileSystem } from "../adapters/files/file-system.ts";
import type { Delta } from "../core/effective/update/delta.ts";
import type { ObjectChange } from "../core/effective/update/object-changes.ts";
import type { World } from "../core/effective/world/world.ts";
import { evaluate, findings as findingsOf } from "../core/evaluate.ts";
import { type Evaluation, worldOf } from "../core/evaluation.ts";
import type { ValuePointer } from "../core/explain/value-pointer.ts";
import { type Completeness, isFromCluster } from "../core/model/completeness.ts";
import type { Finding } from "../core/model/finding.ts";
import type { JsonObject } from "../core/model/json.ts";
import type { SourcePosition } from "../core/model/kube-object.ts";
import type { WrittenValue } from "../core/model/managed-fields.ts";
import type { ObjectId } from "../core/model/refs.ts";
import { buildSnapshot, type Snapshot, type SnapshotTables, tablesOf } from "../core/model/snapshot.ts";
import { type KnownDefinitions, knownDefinitions } from "../definitions/known-definitions.ts";
import type { PositionedObject } from "./document-source.ts";
import { fieldPointer } from "./field-pointer.ts";
import { formatOrigin } from "./format-origin.ts";
import { celFor, loadCel } from "./load-cel.ts";
import { type DocumentOptions, type LoadedDocuments, loadDocuments } from "./load-documents.ts";
import { loadRegexFor } from "./load-regex.ts";

/** Objects that were loaded, their evaluation, and where each object is written. Commands read from it, whatever the source is. */
export interface LoadedSource {
  readonly snapshot: Snapshot;
  readonly tables: SnapshotTables;
  readonly evaluation: Evaluation;
  readonly world: World;
  /** The position of an object, or of a value in it (a JSON pointer). */
  readonly locate: (object: ObjectId, pointer?: string) => SourcePosition | undefined;
  /** Findings about the text and findings of the engine, each at the position of its field. */
  readonly findings: () => readonly Finding[];
  /** Input that could not be read, that the API server would refuse, or that defines one object twice: the result may be incomplete. */
  readonly unreadable: readonly Finding[];
  /** Findings about input that the evaluation does not contain: files and documents that are not valid text, and files that were left out. */
  readonly unread: readonly Finding[];
  /** The name of what was read, for messages: `bakery.yaml`, `the 3 files that were read`. */
  readonly origin: string;
  /** The fix for an object that is not in the source: "Add its file with -f." */
  readonly absentFix: string;
  /** Reads objects with everything that the cluster records about them. Undefined for files, whose objects are whole. */
  readonly loadWhole?: (ids: readonly ObjectId[]) => Promise<ReadonlyMap<ObjectId, JsonObject>>;
  /** The last write of a value, for --blame. Undefined if the object is not known. */
  readonly writtenAt?: (location: ValuePointer) => WrittenValue | undefined;
  /** The changes of a cluster that is followed. */
  readonly steps?: AsyncIterable<SourceStep>;
}

/** A followed source before and after some changes. Each step begins where the last one ended. */
export interface SourceStep {
  readonly before: LoadedSource;
  readonly after: LoadedSource;
  readonly delta: Delta;
  readonly changes: readonly ObjectChange[];
}

/** Loads files and directories (`-`: standard input) and evaluates what is in them. */
export async function loadSource(
  paths: readonly string[],
  fileSystem: FileSystem,
  { completeness = "Partial", known, ...options }: SourceOptions = {},
): Promise<LoadedSource> {
  const loaded = await loadDocuments(paths, fileSystem, options);
  const files = loaded.files.length;
  return buildSource({
    ...loaded,
    completeness,
    known,
    validated: false,
    origin: files === 1 ? formatOrigin(loaded.files) : `the ${files} files that were read`,
  });
}

export interface SourceOptions extends DocumentOptions {
  /** `Complete`: the files are everything there is. The default is `Partial`. */
  readonly completeness?: Completeness;
  /** The definitions beside those of the files. The default is everything that comes with the program. */
  readonly known?: KnownDefinitions | undefined;
}

/** Documents of any source, ready to be evaluated. */
export interface SourceDocuments extends Pick<LoadedDocuments, "findings" | "locate"> {
  readonly documents: readonly PositionedObject[];
  readonly completeness: Completeness;
  /** True if an API server has accepted the objects. */
  readonly validated: boolean;
  readonly origin: string;
  /** True if later changes are applied: a condition may appear with one of them. */
  readonly isFollowed?: boolean;
  /** The definitions beside those of the documents. The default is everything that comes with the program. */
  readonly known?: KnownDefinitions | undefined;
}

/** Evaluates documents, whatever they come from. */
export async function buildSource(loaded: SourceDocuments): Promise<LoadedSource> {
  const values = loaded.documents.map(({ value }) => value);
  const { completeness, validated, origin } = loaded;
  const snapshot = buildSnapshot(values, {
    positions: loaded.documents.map(({ source }) => source),
    completeness,
    validated,
    ...(await loadRegexFor(values)),
  });
  const tables = tablesOf(snapshot);
  const cel = loaded.isFollowed === true ? await loadCel() : await celFor(tables);
  const evaluation = evaluate(snapshot, { ...(loaded.known ?? knownDefinitions()), cel });
  const world = worldOf(evaluation);
  const locate: LoadedSource["locate"] = (id, pointer) => {
    const object = world.objects.get(id) ?? world.refused.get(id)?.object;
    if (object === undefined || pointer === undefined || pointer === "") return object?.source;
    return loaded.locate(object.raw, pointer) ?? object.source;
  };
  return {
    snapshot,
    tables,
    evaluation,
    world,
    locate,
    findings: () => [...loaded.findings, ...findingsOf(evaluation).map((finding) => atField(finding, locate))],
    unread: unreadOf(loaded),
    unreadable: [
      ...[...loaded.findings, ...tables.findings].filter(({ severity }) => severity === "error"),
      ...[...tables.refused.values()]
        .flatMap(({ findings }) => findings.filter(({ severity }) => severity === "error"))
        .map((finding) => atField(finding, locate)),
    ],
    origin,
    absentFix: isFromCluster(completeness) ? "Ask for the right to read it." : "Add its file with -f.",
  };
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  "UnrenderedTemplate",
  "LfsPointer",
  "NotInCommit",
  "UnreadableResource",
]);

/** Findings about input that the documents do not contain: files and documents that are not valid text, and files that were left out. */
export const unreadOf = ({ findings }: Pick<LoadedDocuments, "findings">): readonly Finding[] =>
  findings.filter(({ severity, code }) => severity === "error" || LEFT_OUT.has(code));

/** The engine knows the first line of an object. A finding points at the line of the field instead, where that is known. */
function atField(finding: Finding, locate: LoadedSource["locate"]): Finding {
  const { object, field } = finding;
  if (object === undefined || field === undefined) return finding;
  const source = locate(object, fieldPointer(field));
  return source === undefined ? finding : { ...finding, source };
}
