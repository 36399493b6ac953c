import type { World } from "../core/effective/world/world.ts";
import { evaluate, findings as findingsOf } from "../core/evaluate.ts";
import { type Evaluation, worldOf } from "../core/evaluation.ts";
import type { EvaluateCondition } from "../core/model/cel.ts";
import type { Finding } from "../core/model/finding.ts";
import { isJsonObject, type Json, ownValue } from "../core/model/json.ts";
import type { KubeObject, SourcePosition } from "../core/model/kube-object.ts";
import type { ObjectId } from "../core/model/refs.ts";
import { buildSnapshot, type Snapshot, type SnapshotTables, tablesOf } from "../core/model/snapshot.ts";
import { builtInDefinitions } from "../definitions/built-in-definitions.ts";
import { fieldPointer } from "./field-pointer.ts";
import type { CliIo } from "./io.ts";
import { type DocumentOptions, type LoadedDocuments, loadDocuments } from "./load-documents.ts";
import { showOrigin } from "./show-origin.ts";

/** What every command answers from, wherever it comes from: files now, a cluster later. */
export interface Source {
  readonly snapshot: Snapshot;
  readonly tables: SnapshotTables;
  readonly evaluation: Evaluation;
  readonly world: World;
  /** Where an object, or a value in it (a JSON pointer), is written. */
  readonly locate: (object: ObjectId, pointer?: string) => SourcePosition | undefined;
  /** Everything found, of the text and by the engine, at the place of the field it is about. */
  readonly findings: () => readonly Finding[];
  /** Input that could not be read, that the API server would refuse, or that says two things of one object: the answer may lack something. */
  readonly unreadable: readonly Finding[];
  /** What was read, for messages: `bakery.yaml`, `the 3 files that were read`. */
  readonly origin: string;
}

/** From files. */
export async function loadSource(paths: readonly string[], io: CliIo, options: DocumentOptions = {}): Promise<Source> {
  const loaded = await loadDocuments(paths, io, options);
  return buildSource(loaded);
}

async function buildSource(loaded: LoadedDocuments): Promise<Source> {
  const snapshot = buildSnapshot(
    loaded.documents.map(({ value }) => value),
    { positions: loaded.documents.map(({ source }) => source) },
  );
  const tables = tablesOf(snapshot);
  const cel = hasConditions(tables) ? await loadCel({ regex: hasCondition(tables, asksForRegex) }) : undefined;
  const evaluation = evaluate(snapshot, { definitions: builtInDefinitions(), ...(cel === undefined ? {} : { cel }) });
  const world = worldOf(evaluation);
  const locate: Source["locate"] = (id, pointer) => {
    const object = world.objects.byId.get(id);
    if (object === undefined || pointer === undefined || pointer === "") return object?.source;
    return loaded.locate(object.raw, pointer) ?? object.source;
  };
  const inRefused = refusedPlaces(loaded);
  const files = loaded.files.length;
  return {
    snapshot,
    tables,
    evaluation,
    world,
    locate,
    findings: () => [
      ...loaded.findings,
      ...findingsOf(evaluation).map((finding) => atField(finding, locate, inRefused)),
    ],
    unreadable: [
      ...[...loaded.findings, ...tables.findings].filter(({ severity }) => severity === "error"),
      ...[...tables.refused.values()].flat().map((finding) => atField(finding, locate, inRefused)),
    ],
    origin: files === 1 ? showOrigin(loaded.files) : `the ${files} files that were read`,
  };
}

/** The engine knows where an object begins; whoever must fix it wants the line of the field. */
function atField(finding: Finding, locate: Source["locate"], inRefused: LocateRefused): Finding {
  const { object, field } = finding;
  if (object === undefined || field === undefined) return finding;
  const source = locate(object, fieldPointer(field)) ?? inRefused(finding, fieldPointer(field));
  return source === undefined ? finding : { ...finding, source };
}

/** An object that was refused is in no table; its document is known by where it begins. */
function refusedPlaces({ documents, locate }: LoadedDocuments): LocateRefused {
  const keyOf = ({ file, line, column }: SourcePosition): string => `${line}:${column}:${file}`;
  let values: Map<string, unknown> | undefined;
  return ({ source }, pointer) => {
    if (source === undefined) return undefined;
    values ??= new Map(documents.map(({ value, source: own }) => [keyOf(own), value]));
    const value = values.get(keyOf(source));
    return isJsonObject(value) ? locate(value, pointer) : undefined;
  };
}

type LocateRefused = (finding: Finding, pointer: string) => SourcePosition | undefined;

/** CEL is the largest part to load, and most policies have no conditions. */
export const hasConditions = (snapshot: SomeObjects): boolean => hasCondition(snapshot, () => true);

interface SomeObjects {
  readonly objects: { readonly values: () => Iterable<KubeObject> };
}

function hasCondition({ objects }: SomeObjects, is: (when: Json) => boolean): boolean {
  for (const { raw } of objects.values()) {
    const spec = ownValue(raw, "spec");
    if (!isJsonObject(spec)) continue;
    for (const name of ["overrides", "defaults", "override", "default"]) {
      const block = ownValue(spec, name);
      const when = isJsonObject(block) ? ownValue(block, "when") : undefined;
      if (when !== undefined && is(when)) return true;
    }
  }
  return false;
}

/** Only `matches` needs regular expressions. */
const asksForRegex = (when: Json): boolean => typeof when !== "string" || when.includes("matches");

/** Conditions as the command line evaluates them everywhere. */
export async function loadCel({ regex = true }: { readonly regex?: boolean } = {}): Promise<EvaluateCondition> {
  const { createCel } = await import("../adapters/cel/create-cel.ts");
  if (!regex) return createCel();
  const [{ createRegex }, { weighPattern }] = await Promise.all([
    import("../adapters/regex/create-regex.ts"),
    import("../adapters/regex/weigh-pattern.ts"),
  ]);
  return createCel({ matchRegex: createRegex(), weighPattern });
}
