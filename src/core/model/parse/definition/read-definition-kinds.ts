/** Reads the kinds and levels that a PolicyDefinition names. */
import type { KindFacts, LevelKind } from "../../definition.ts";
import { isJsonObject, type Json, type JsonObject, ownValue } from "../../json.ts";
import { kinds as builtInKinds } from "../../kinds.ts";
import { type GroupKind, isGroupName, isKindName, type KindId, kindId } from "../../refs.ts";
import { flag, objects, text, texts } from "../../schema/read-fields.ts";
import { didYouMean } from "../../words/did-you-mean.ts";
import { formatValue } from "../../words/format-value.ts";

export interface DefinitionProblem {
  readonly code: "WrongType" | "UnknownField" | "UnknownValue" | "MissingField" | "Misplaced" | "Duplicate";
  readonly field: string;
  readonly message: string;
}

export interface KindReader {
  readonly problems: DefinitionProblem[];
  readonly known: readonly KnownKind[];
}

/** A kind that levels may refer to. */
export interface KnownKind extends GroupKind {
  readonly id: KindId;
  readonly sections: readonly string[];
  /** The words for the kind and for each of its sections as a level, in lower case. */
  readonly words: readonly string[];
}

function knownKind(group: string, kind: string, sections: readonly string[]): KnownKind {
  const words = [kind, ...sections.map((section) => `${kind}${section}`)].map((word) => word.toLowerCase());
  return { group, kind, id: kindId({ group, kind }), sections, words };
}

const knownFrom = ({ group, kind, sections }: KindFacts): KnownKind =>
  knownKind(
    group,
    kind,
    sections.map(({ section }) => section),
  );

const builtInKnown: readonly KnownKind[] = builtInKinds.map(knownFrom);

/** The declared kinds, the built-in kinds and the virtual targets of a definition. The first one of each id counts. */
export function knownKinds(declared: readonly KindFacts[], targeting: JsonObject): readonly KnownKind[] {
  const virtual = objects(targeting, "kinds")
    .filter((item) => flag(item, "virtual", { byDefault: false }))
    .map((item) => knownKind(text(item, "group", ""), text(item, "kind", ""), texts(item, "sections")));
  if (declared.length === 0 && virtual.length === 0) return builtInKnown;
  const ids = new Set<KindId>();
  return [...declared.map(knownFrom), ...builtInKnown, ...virtual].filter(({ id }) => {
    const isNew = !ids.has(id);
    ids.add(id);
    return isNew;
  });
}

/** Reads `Gateway` or `{group, kind}`. The group may be absent if only one group has the kind. */
export function readKind(item: Json, field: string, reader: KindReader): KnownKind {
  const record: JsonObject = isJsonObject(item) ? item : { kind: item };
  const kind = text(record, "kind", "");
  const group = ownValue(record, "group");
  const word = kind.toLowerCase();
  const sameName = reader.known.filter(({ words }) => words[0] === word);
  const matches = sameName.filter((known) => group === undefined || known.group === group);
  if (matches.length === 1 && matches[0] !== undefined) return matches[0];
  const names = reader.known.map((known) => known.kind);
  const message =
    matches.length > 1
      ? `${field}: several groups have a kind ${kind} (${matches.map((known) => known.group).join(", ")}); give the group.`
      : sameName.length > 0
        ? `${field}: the group of ${kind} is ${formatValue(group)}; known: ${sameName.map((known) => `"${known.group}"`).join(", ")}. Declare it under hierarchy.kinds.`
        : `${field}: unknown kind "${kind}". Declare it under hierarchy.kinds, or make the target virtual${didYouMean(kind, names)}`;
  reader.problems.push({ code: "UnknownValue", field, message });
  return knownKind(typeof group === "string" ? group : "", kind, []);
}

export function checkSection(
  kind: Pick<KnownKind, "kind" | "sections">,
  section: string,
  field: string,
  reader: KindReader,
): void {
  if (kind.sections.includes(section)) return;
  const allowed = kind.sections.length === 0 ? `${kind.kind} has no sections` : `allowed: ${kind.sections.join(", ")}`;
  const message = `${field} is "${section}"; ${allowed}${didYouMean(section, kind.sections)}`;
  reader.problems.push({ code: "UnknownValue", field, message });
}

/** Reads `HTTPRoute`, `HTTPRouteRule` or `{group, kind, section}`. */
export function readLevel(item: Json, field: string, reader: KindReader): LevelKind {
  if (typeof item === "string") return readLevelWord(item, field, reader);
  const { group, kind, sections } = readKind(item, field, reader);
  const section = isJsonObject(item) ? ownValue(item, "section") : undefined;
  if (typeof section !== "string") return { group, kind };
  checkSection({ kind, sections }, section, `${field}.section`, reader);
  return { group, kind, section };
}

function readLevelWord(word: string, field: string, { problems, known }: KindReader): LevelKind {
  const wanted = word.toLowerCase();
  const matches = known.filter(({ words }) => words.includes(wanted));
  const [match] = matches;
  if (match !== undefined && matches.length === 1) {
    const { group, kind, sections, words } = match;
    const section = sections[words.indexOf(wanted) - 1];
    return section === undefined ? { group, kind } : { group, kind, section };
  }
  const message =
    match !== undefined
      ? `${field}: "${word}" is a level of several groups; write it as {group, kind, section}.`
      : `${field}: "${word}" is not a known level (a kind, or kind and section in one word). Declare other kinds under hierarchy.kinds${didYouMean(
          word,
          known.flatMap(({ kind, sections }) => [kind, ...sections.map((section) => `${kind}${section}`)]),
        )}`;
  problems.push({ code: "UnknownValue", field, message });
  return { group: "", kind: word };
}

export function checkPath(path: string, field: string, problems: DefinitionProblem[]): void {
  if (path.split(".").every((segment) => segment !== "")) return;
  problems.push({
    code: "UnknownValue",
    field,
    message: `${field} is "${path}"; allowed: a dotted path such as rules.authentication`,
  });
}

/** Segments are `name`, `name[]` (every item) or `name[key=value]` (the items with that value). */
export function checkMappedPath(path: string, field: string, problems: DefinitionProblem[]): void {
  if (path.split(".").every((segment) => /^[^[\]]+(\[([^=[\]]+=[^=[\]]+)?\])?$/.test(segment))) return;
  const message = `${field} has the path "${path}"; allowed: a path such as retry or spec.rules[].filters[type=RetryFilter].retryOn`;
  problems.push({ code: "UnknownValue", field, message });
}

/** Reports names that cannot be part of an id. */
export function checkNames({ group, kind }: GroupKind, field: string, problems: DefinitionProblem[]): void {
  if (!isGroupName(group)) {
    const message = `${field}.group is ${formatValue(group)}; allowed: an API group, without a version`;
    problems.push({ code: "UnknownValue", field: `${field}.group`, message });
  }
  if (!isKindName(kind)) {
    const message = `${field}.kind is ${formatValue(kind)}; allowed: the name of a kind, without dots, slashes and '#'`;
    problems.push({ code: "UnknownValue", field: `${field}.kind`, message });
  }
}
