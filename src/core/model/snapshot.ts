/** The immutable input of an evaluation: every object that could be read, and findings about the others. */
import { ObjectIndex, ObjectLists } from "./collections/object-index.ts";
import { remember } from "./collections/remember.ts";
import type { Completeness, KnownAbsence } from "./completeness.ts";
import type { KindFacts } from "./definition.ts";
import type { Finding } from "./finding.ts";
import { canonicalJson, isJsonObject, type JsonObject, jsonEqual } from "./json.ts";
import { kinds } from "./kinds.ts";
import { KubeObject, type ObjectFamily, objectFamily, type SourcePosition } from "./kube-object.ts";
import { placeholderFinding, splitPlaceholders } from "./placeholder.ts";
import { compareText, formatRef, isPlainName, MAX_NAME_LENGTH, type ObjectId } from "./refs.ts";
import type { MatchRegex } from "./regex.ts";
import { crdProblems } from "./schema/crd-problems.ts";
import { schemaBook } from "./schema/crd-schemas.ts";
import type { UnevaluatedRule } from "./schema/judge/check-node.ts";
import { FINE, type Judgement, judgeValue } from "./schema/judge/judge-value.ts";
import { builtInJudging, type Judging } from "./schema/judge/judging.ts";
import { measureJson } from "./schema/measure-json.ts";
import { formatValue } from "./words/format-value.ts";

export interface SnapshotTables extends KnownAbsence {
  readonly objects: ObjectIndex;
  /** Objects that the API server would refuse. They count as absent. */
  readonly refused: ReadonlyMap<ObjectId, RefusedObject>;
  /** Rules of schemas that could not be evaluated on an object. The object counts. */
  readonly unevaluated: ReadonlyMap<ObjectId, readonly UnevaluatedRule[]>;
  /** Findings about documents without an identity, and about duplicates. */
  readonly findings: readonly Finding[];
  /** How objects are judged. Changes are judged in the same way. */
  readonly judging: Judging;
}

/** An object that the API server would refuse, and why. */
export interface RefusedObject {
  readonly object: KubeObject;
  readonly findings: readonly Finding[];
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

/**
 * Options of `buildSnapshot`.
 *
 * @example
 * ```ts
 * const options: SnapshotOptions = { completeness: "Complete" };
 * console.log(findings(evaluate(buildSnapshot(objects, options))).length);
 * ```
 */
export interface SnapshotOptions {
  /** The position of each object in its file, by index. Findings and duplicates refer to it. */
  readonly positions?: ReadonlyArray<SourcePosition | undefined>;
  /** The kinds that the snapshot has every object of. The default is `Partial`: what is absent is not known. */
  readonly completeness?: Completeness;
  /** Matches the patterns of CRDs in the input. Without it they are reported as not evaluated. */
  readonly matchRegex?: MatchRegex;
  /** True if an API server has accepted the objects: rules of their CRDs are not evaluated again. */
  readonly validated?: boolean;
}

export type ParsedObject =
  | {
      readonly state: "object";
      readonly id: ObjectId;
      readonly object: KubeObject;
      readonly unevaluated: readonly UnevaluatedRule[];
    }
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

/** Reads plain Kubernetes objects. `src/index.ts` documents it. */
export const buildSnapshot = (values: Iterable<unknown>, options: SnapshotOptions = {}): Snapshot => {
  const all = [...values];
  const read = readObjects(all, options.positions ?? [], readRules(all, options));
  return new Snapshot({ ...read, completeness: options.completeness ?? "Partial", deleted: new Set() });
};

const RULES: ReadonlySet<unknown> = new Set(["CustomResourceDefinition", "PolicyDefinition"]);

/** How objects are judged by the CRDs among the values. They are read first: the other objects are judged by them. */
export function readRules(
  values: readonly unknown[],
  { positions, matchRegex, validated = false }: SnapshotOptions,
): Judging {
  const without: Judging = { ...builtInJudging(), matchRegex, validated };
  const rules: unknown[] = [];
  const sources: (SourcePosition | undefined)[] = [];
  values.forEach((value, index) => {
    if (!isJsonObject(value) || !RULES.has(value["kind"])) return;
    rules.push(value);
    sources.push(positions?.[index]);
  });
  if (rules.length === 0) return without;
  const { objects } = readObjects(rules, sources, without);
  return { ...without, schemas: schemaBook([...objects.values()]) };
}

/** Reads plain objects, and judges them by given schemas. */
export function readObjects(
  values: readonly unknown[],
  positions: ReadonlyArray<SourcePosition | undefined>,
  judging: Judging,
): Omit<SnapshotTables, keyof KnownAbsence> {
  const findings: Finding[] = [];
  const documents = new ObjectLists();
  const judgements = new Map<KubeObject, Judgement>();
  const identifier = new DocumentIdentifier();
  let { family } = identifier;
  let judge = judgeOf(family, judging);
  let list = documents.listIn(family.kindId, family.namespace);
  let index = 0;
  for (const value of values) {
    const source = positions[index++];
    const missing = identifier.identify(value);
    if (missing !== undefined) {
      findings.push(unidentified(source, missing));
      continue;
    }
    const { name, raw } = identifier;
    if (identifier.family !== family) {
      family = identifier.family;
      judge = judgeOf(family, judging);
      list = documents.listIn(family.kindId, family.namespace);
    }
    const judgement = judge(raw);
    const object = new KubeObject(family, name, raw, source);
    list.push(object);
    if (judgement !== FINE) judgements.set(object, judgement);
  }
  const refused = new Map<ObjectId, RefusedObject>();
  const unevaluated = new Map<ObjectId, readonly UnevaluatedRule[]>();
  const tables = { refused, unevaluated, findings };
  const objects = ObjectIndex.fromLists(documents, (list) => settleDocuments(list, judgements, tables));
  return { objects, refused, unevaluated, findings, judging };
}

/** The version of CRDs that must have structural schemas. */
const CRD_VERSION = "apiextensions.k8s.io/v1";

/** Judges objects of one family. Returns FINE for most. */
function judgeOf(family: ObjectFamily, { schemas, matchRegex, validated }: Judging): (raw: JsonObject) => Judgement {
  const schema = schemas.of(family);
  const options = { matchRegex, rules: validated ? ("Left out" as const) : undefined };
  const isCrd = family.apiVersion === CRD_VERSION && family.kind === "CustomResourceDefinition";
  return (raw) => {
    const judgement = judgeValue(schema, raw, options);
    if (judgement.problems.length + judgement.unevaluated.length > 0) return judgement;
    const problems = isCrd && !validated ? crdProblems(raw) : FINE.problems;
    return problems.length === 0 ? FINE : { ...FINE, problems };
  };
}

type Identified = Exclude<ParsedObject, { readonly state: "unidentified" }>;

interface DraftTables {
  readonly refused: Map<ObjectId, RefusedObject>;
  readonly unevaluated: Map<ObjectId, readonly UnevaluatedRule[]>;
  readonly findings: Finding[];
}

/**
 * The objects of a kind in a namespace, each once, in the order of their names. Of several documents for one object the first by position
 * counts, so that the result does not depend on the order of the input. `judgements`: of documents that are not fine.
 */
function settleDocuments(
  documents: readonly KubeObject[],
  judgements: ReadonlyMap<KubeObject, Judgement>,
  { refused, unevaluated, findings }: DraftTables,
): readonly KubeObject[] {
  const sorted = haveDistinctNamesInOrder(documents) ? documents : documents.toSorted(byName);
  if (judgements.size === 0 && haveDistinctNamesInOrder(sorted)) return sorted;
  const objects: KubeObject[] = [];
  for (const all of groupsByName(sorted)) {
    const [object, ...dropped] = all.length === 1 ? all : all.toSorted(compareDocuments);
    if (object === undefined) continue;
    const judgement = judgements.get(object);
    const parsed = judgement === undefined ? undefined : judged(object, judgement);
    if (parsed?.state === "refused") refused.set(parsed.id, parsed);
    else objects.push(object);
    if (parsed?.state === "object") unevaluated.set(parsed.id, parsed.unevaluated);
    if (takesPart(object)) for (const other of dropped) findings.push(duplicate(object, other));
  }
  return objects;
}

function haveDistinctNamesInOrder(objects: readonly KubeObject[]): boolean {
  for (let i = 1; i < objects.length; i++)
    if ((objects[i - 1] as KubeObject).name >= (objects[i] as KubeObject).name) return false;
  return true;
}

const byName = (a: KubeObject, b: KubeObject): number => compareText(a.name, b.name);

/** Documents with the same name. `sorted`: in the order of names. */
function groupsByName(sorted: readonly KubeObject[]): readonly (readonly KubeObject[])[] {
  const groups: KubeObject[][] = [];
  for (const object of sorted) {
    const last = groups.at(-1);
    if (last?.[0]?.name === object.name) last.push(object);
    else groups.push([object]);
  }
  return groups;
}

/**
 * True if two documents for one object can change an answer: objects of built-in kinds, and objects of other groups, which may be
 * policies or levels of a definition. Kubernetes' own groups, without a dot or with `k8s.io` at the end, have no such kinds besides.
 */
function takesPart({ family: { group, kind } }: KubeObject): boolean {
  return (
    factsOf(group, kind) !== undefined || (group.includes(".") && !group.endsWith(".k8s.io")) || isGatewayApi(group)
  );
}

const isGatewayApi = (group: string): boolean => group.startsWith("gateway.networking.");

const factsByName: ReadonlyMap<string, readonly KindFacts[]> = new Map(
  kinds.map(({ kind }) => [kind, kinds.filter((other) => other.kind === kind)]),
);

/** The facts of a built-in kind, by its exact name. */
function factsOf(group: string, kind: string): KindFacts | undefined {
  return factsByName.get(kind)?.find((facts) => facts.group === group);
}

export function parseObject(
  value: unknown,
  position?: SourcePosition,
  judging: Judging = builtInJudging(),
): ParsedObject {
  const identifier = new DocumentIdentifier();
  const missing = identifier.identify(value);
  if (missing !== undefined) return { state: "unidentified", finding: unidentified(position, missing) };
  const { family, name, raw } = identifier;
  return judged(new KubeObject(family, name, raw, position), judgeOf(family, judging)(raw));
}

/** The end of a message about a refused object. */
export const LEFT_OUT = "; the object is left out, as the API server would refuse it";

function judged(object: KubeObject, { problems, unevaluated }: Judgement): Identified {
  const { id, ref, source } = object;
  if (problems.length === 0) return { state: "object", id, object, unevaluated };
  const { placeholders, others } = splitPlaceholders(object.raw, problems);
  const [first] = placeholders;
  const findings = others.map(
    ({ problem, field, message }): Finding => ({
      code: problem === "missing" ? "MissingField" : "InvalidField",
      severity: "error",
      object: id,
      field,
      message: `${formatRef(ref)}: ${message}${LEFT_OUT}`,
      ...(source === undefined ? {} : { source }),
    }),
  );
  if (first !== undefined) findings.push(placeholderFinding(object, first, "the object is left out"));
  return { state: "refused", id, object, findings };
}

/** `given`: the namespace as the document has it. */
interface Family {
  readonly given: string;
  readonly family: ObjectFamily;
}

/** Identifies documents. Objects of one family share it, and in a list they follow each other, so the last one is compared first. */
class DocumentIdentifier {
  readonly #families: Map<string, Family> = new Map();
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
    // Neither a kind nor a namespace has a slash.
    const key = `${kind}/${given}/${apiVersion}`;
    this.#last = remember(this.#families, key, () => familyOf(apiVersion, kind, given));
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
