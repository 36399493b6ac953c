/** The immutable input of an evaluation: every object that could be read, and findings about the others. */
import { ObjectIndex, ObjectIndexDraft } from "./collections/object-index.ts";
import type { Completeness } from "./completeness.ts";
import type { KindFacts } from "./definition.ts";
import type { Finding } from "./finding.ts";
import { canonicalJson, isJsonObject, type JsonObject, jsonEqual } from "./json.ts";
import { kinds } from "./kinds.ts";
import { idIn, KubeObject, type ObjectFamily, objectFamily, type SourcePosition } from "./kube-object.ts";
import { compareText, formatRef, isPlainName, MAX_NAME_LENGTH, type ObjectId } from "./refs.ts";
import { builtInProblems, fitsBuiltIn, objectSchemaOf } from "./schema/built-in-schema.ts";
import { measureJson } from "./schema/measure-json.ts";
import { formatValue } from "./words/format-value.ts";

export interface SnapshotTables {
  readonly objects: ObjectIndex;
  /** Objects that the API server would refuse. They count as absent. */
  readonly refused: ReadonlyMap<ObjectId, readonly Finding[]>;
  /** Findings about documents without an identity, and about duplicates. */
  readonly findings: readonly Finding[];
  readonly completeness: Completeness;
}

let readTables: (snapshot: Snapshot) => SnapshotTables;

/** Opaque outside of this project: it has no properties. `tablesOf` reads it. */
export class Snapshot {
  readonly #tables: SnapshotTables;

  constructor(tables: SnapshotTables) {
    this.#tables = tables;
  }

  static {
    readTables = (snapshot) => snapshot.#tables;
  }
}

export const tablesOf = (snapshot: Snapshot): SnapshotTables => readTables(snapshot);

export interface SnapshotOptions {
  /** The position of each object in its file, by index. Findings and duplicates refer to it. */
  readonly positions?: ReadonlyArray<SourcePosition | undefined>;
  /** What the snapshot has every object of. The default is `Partial`: what is absent is not known. */
  readonly completeness?: Completeness;
}

export type ParsedObject =
  | { readonly state: "object"; readonly id: ObjectId; readonly object: KubeObject }
  | {
      readonly state: "refused";
      readonly id: ObjectId;
      readonly object: KubeObject;
      readonly findings: readonly Finding[];
    }
  | { readonly state: "unidentified"; readonly finding: Finding };

/** The code of a finding about several documents for one object. */
export const DUPLICATE = "DuplicateObject";

const DEFAULT_NAMESPACE = "default";

/**
 * Reads plain Kubernetes objects. A value that is not one becomes a finding. The objects must not change while the snapshot is in use.
 *
 * @example
 * ```ts
 * const snapshot = buildSnapshot(objects, { positions: objects.map((_, index) => ({ file: "a.yaml", line: index + 1, column: 1 })) });
 * console.log(findings(evaluate(snapshot)).length);
 * ```
 */
export const buildSnapshot = (values: Iterable<unknown>, options: SnapshotOptions = {}): Snapshot =>
  new Snapshot(readObjects(values, options));

function readObjects(
  values: Iterable<unknown>,
  { positions, completeness = "Partial" }: SnapshotOptions,
): SnapshotTables {
  const objects = new ObjectIndexDraft();
  const refused = new Map<ObjectId, readonly Finding[]>();
  const findings: Finding[] = [];
  const repeated = new Map<ObjectId, Identified[]>();
  const refusals = new Map<ObjectId, Identified>();
  const identifier = new DocumentIdentifier();
  let { family } = identifier;
  let schema = objectSchemaOf(family);
  let names = objects.namesIn(family.kindId, family.namespace);
  let index = 0;
  for (const value of values) {
    const source = positions?.[index++];
    const missing = identifier.identify(value);
    if (missing !== undefined) {
      findings.push(unidentified(source, missing));
      continue;
    }
    const { name, raw } = identifier;
    if (identifier.family !== family) {
      family = identifier.family;
      schema = objectSchemaOf(family);
      names = objects.namesIn(family.kindId, family.namespace);
    }
    const isGood = fitsBuiltIn(schema, raw) && (refused.size === 0 || !refused.has(idIn(family, name)));
    const object = new KubeObject(family, name, raw, source);
    const known = names.get(name);
    if (isGood && known === undefined) {
      names.set(name, object);
      continue;
    }
    const { id } = object;
    const refusal = refusalOf(object);
    const parsed = judged(object, refusal);
    if (known !== undefined || refusals.has(id)) {
      const first: Identified =
        known === undefined ? (refusals.get(id) ?? parsed) : { state: "object", id, object: known };
      const all = repeated.get(id) ?? [first];
      all.push(parsed);
      repeated.set(id, all);
    } else if (refusal !== undefined) {
      refusals.set(id, parsed);
      refused.set(id, refusal);
    }
  }
  for (const all of repeated.values()) settleDuplicates(all, objects, refused, findings);
  return { objects: ObjectIndex.from(objects), refused, findings, completeness };
}

type Identified = Exclude<ParsedObject, { readonly state: "unidentified" }>;

/** Keeps the first by position of several documents for one object. The result does not depend on the order of the input. */
function settleDuplicates(
  all: readonly Identified[],
  objects: ObjectIndexDraft,
  refused: Map<ObjectId, readonly Finding[]>,
  findings: Finding[],
): void {
  const [kept, ...dropped] = [...all].sort((a, b) => compareDocuments(a.object, b.object));
  if (kept === undefined) return;
  objects.remove(kept.id);
  refused.delete(kept.id);
  if (kept.state === "object") objects.add(kept.object);
  else refused.set(kept.id, kept.findings);
  for (const other of dropped) findings.push(duplicate(kept.object, other.object));
}

const byName: ReadonlyMap<string, readonly KindFacts[]> = new Map(
  kinds.map(({ kind }) => [kind, kinds.filter((other) => other.kind === kind)]),
);

/** The facts of a built-in kind, by its exact name. */
function factsOf(group: string, kind: string): KindFacts | undefined {
  return byName.get(kind)?.find((facts) => facts.group === group);
}

export function parseObject(value: unknown, position?: SourcePosition): ParsedObject {
  const identifier = new DocumentIdentifier();
  const missing = identifier.identify(value);
  if (missing !== undefined) return { state: "unidentified", finding: unidentified(position, missing) };
  const object = new KubeObject(identifier.family, identifier.name, identifier.raw, position);
  return judged(object, refusalOf(object));
}

const judged = (object: KubeObject, refusal: readonly Finding[] | undefined): Identified =>
  refusal === undefined
    ? { state: "object", id: object.id, object }
    : { state: "refused", id: object.id, object, findings: refusal };

function refusalOf(object: KubeObject): readonly Finding[] | undefined {
  const problems = builtInProblems(objectSchemaOf(object.family), object.raw);
  if (problems.length === 0) return undefined;
  const { id, ref, source } = object;
  return problems.map(
    ({ problem, field, message }): Finding => ({
      code: problem === "missing" ? "MissingField" : "InvalidField",
      severity: "error",
      object: id,
      field,
      message: `${formatRef(ref)}: ${message}; the object is left out, as the API server would refuse it`,
      ...(source === undefined ? {} : { source }),
    }),
  );
}

/** `given`: the namespace as the document has it. */
interface Family {
  readonly given: string;
  readonly family: ObjectFamily;
}

/** Identifies documents. Objects of a list follow each other, so an object of the same family shares that of the last one. */
class DocumentIdentifier {
  #last: Family = familyOf("", "", "");
  /** Family, name and document of the object that was identified last. */
  family: ObjectFamily = this.#last.family;
  name = "";
  raw: JsonObject = {};

  /** Identifies an object. Returns a message if the document is not one. */
  identify(value: unknown): string | undefined {
    if (!isJsonObject(value)) {
      return `this document is ${formatValue(value)}, not a Kubernetes object; remove it or write an object with apiVersion, kind and metadata.name`;
    }
    const { apiVersion, kind, metadata } = value;
    const known = this.#last;
    if (apiVersion === known.family.apiVersion && kind === known.family.kind && isJsonObject(metadata)) {
      const { name, namespace } = metadata;
      // Equal to the fields of the last object, which are valid.
      if (namespace === known.given && known.given !== "" && typeof name === "string" && isPlainName(name))
        return this.#identified(known.family, name, value);
    }
    if (typeof apiVersion !== "string" || apiVersion === "" || apiVersion.length > 2 * MAX_NAME_LENGTH)
      return `apiVersion is ${formatValue(apiVersion)}; a Kubernetes object needs one`;
    if (typeof kind !== "string" || !isPlainName(kind) || kind.includes("."))
      return `kind is ${formatValue(kind)}; a Kubernetes object needs one`;
    const name = isJsonObject(metadata) ? metadata["name"] : undefined;
    if (!isJsonObject(metadata) || typeof name !== "string" || !isPlainName(name)) {
      return `metadata.name of this ${kind} is ${formatValue(name)}; every object needs a name of at most ${MAX_NAME_LENGTH} characters, without '/' or '#'`;
    }
    const given = metadata["namespace"] ?? "";
    if (typeof given !== "string" || (given !== "" && !isPlainName(given)))
      return `metadata.namespace of ${kind} '${name}' is ${formatValue(given)}; it must be a name`;
    return this.#identified(this.#familyOf(apiVersion, kind, given), name, value);
  }

  #identified(family: ObjectFamily, name: string, raw: JsonObject): undefined {
    this.family = family;
    this.name = name;
    this.raw = raw;
  }

  #familyOf(apiVersion: string, kind: string, given: string): ObjectFamily {
    const { family } = this.#last;
    if (family.kind === kind && this.#last.given === given && family.apiVersion === apiVersion) return family;
    this.#last = familyOf(apiVersion, kind, given);
    return this.#last.family;
  }
}

function familyOf(apiVersion: string, kind: string, given: string): Family {
  const family = objectFamily(apiVersion, kind, given);
  const namespace = namespaceFor(factsOf(family.group, kind)?.scope, given);
  return { given, family: namespace === given ? family : objectFamily(apiVersion, kind, namespace) };
}

/** The namespace of an object. If the scope of its kind is unknown, the namespace of the document is used. */
export function namespaceFor(scope: KindFacts["scope"] | undefined, given: string): string {
  switch (scope) {
    case "Cluster":
      return "";
    case "Namespaced":
      return given === "" ? DEFAULT_NAMESPACE : given;
    case undefined:
      return given;
  }
}

const unidentified = (source: SourcePosition | undefined, message: string): Finding => ({
  code: "NotAnObject",
  severity: "error",
  message,
  ...(source === undefined ? {} : { source }),
});

export const compareDocuments = (a: KubeObject, b: KubeObject): number =>
  comparePositions(a.source, b.source) || compareText(comparable(a.raw), comparable(b.raw));

export function comparePositions(a: SourcePosition | undefined, b: SourcePosition | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column;
}

const COMPARABLE = { maxDepth: 64, maxValues: 100_000 };
const comparable = (raw: JsonObject): string => (measureJson(raw, COMPARABLE) === "ok" ? canonicalJson(raw) : "");

export function duplicate(kept: KubeObject, dropped: KubeObject): Finding {
  const same = measureJson(kept.raw, COMPARABLE) === "ok" && jsonEqual(kept.raw, dropped.raw);
  const how = same ? "twice, with the same content" : "twice, with different content";
  return {
    code: DUPLICATE,
    severity: same ? "warning" : "error",
    object: kept.id,
    message: `${formatRef(kept.ref)} is defined ${how}: at ${formatPosition(kept)}, which is used, and at ${formatPosition(dropped)}; remove one`,
    ...(dropped.source === undefined ? {} : { source: dropped.source }),
  };
}

const formatPosition = ({ source }: KubeObject): string =>
  source === undefined ? "an unknown position" : `${source.file}:${source.line}:${source.column}`;
