import type { Caveat } from "../../core/caveats/caveat.ts";
import type { CheckFinding } from "../../core/check/check-finding.ts";
import { checkWorld } from "../../core/check/check-world.ts";
import type { CheckedDataplane } from "../../core/check/dataplane/check-dataplane.ts";
import { fixOf } from "../../core/check/fix-finding.ts";
import type { World } from "../../core/effective/world/world.ts";
import type { Finding, Severity } from "../../core/model/finding.ts";
import type { FindingCode } from "../../core/model/finding-code.ts";
import { findingCodes } from "../../core/model/finding-codes.ts";
import type { SourcePosition } from "../../core/model/kube-object.ts";
import { compareText, formatRef, kindId, type ObjectId, type ObjectRef, parseObjectId } from "../../core/model/refs.ts";
import type { NameKind } from "../../core/model/words/kind-names.ts";
import { fieldPointer } from "../../sources/field-pointer.ts";
import { celFor } from "../../sources/load-cel.ts";
import type { LoadedSource } from "../../sources/load-source.ts";
import type { Redaction } from "../args/redaction.ts";
import { answerCaveats } from "../caveats/answer-caveats.ts";
import { redactFindings } from "../print/redact/redact-findings.ts";
import { isInScope, type Scope } from "../target/find-targets.ts";
import { groupCauses } from "./group-causes.ts";
import { type Baseline, type BaselineEntry, buildBaseline } from "./ignore/baseline.ts";
import { type IgnoredBy, ignoreFindings } from "./ignore/ignore-findings.ts";
import type { Ignore } from "./ignore/parse-ignores.ts";

/** One finding, in the form that all output formats of `check` use. */
export interface ReportedFinding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly object?: ObjectRef;
  /** The object in words. */
  readonly name?: string;
  readonly field?: string;
  readonly message: string;
  readonly fix?: string;
  readonly position?: SourcePosition;
  readonly related: ReadonlyArray<{ readonly message: string; readonly position?: SourcePosition }>;
}

export interface FindingReport {
  /** Findings of at least the requested severity, ordered by file, line and column. Findings without a position come last. */
  readonly findings: readonly ReportedFinding[];
  /** The number of findings below that severity. */
  readonly hidden: number;
  /** Findings of that severity that the user has accepted. */
  readonly ignored: readonly IgnoredFinding[];
  /** The values of `--ignore` that match no finding. */
  readonly unusedIgnores: readonly string[];
  /** Entries of the baseline that match no finding any more. */
  readonly stale: readonly BaselineEntry[];
  /** The baseline to write, if one is asked for. */
  readonly newBaseline: Baseline | undefined;
  /** The severities of all findings that are not ignored, hidden or not. */
  readonly occurring: ReadonlySet<Severity>;
  /** True if a file or a document could not be read, and that finding is not ignored. */
  readonly isUnread: boolean;
  /** True if a mistake in the input makes the answer worth little, and its findings are not ignored. */
  readonly isBroken: boolean;
  /** The number of objects in the scope. */
  readonly objects: number;
  readonly policies: number;
  readonly origin: string;
  /** Facts that the findings leave out of account. */
  readonly caveats: readonly Caveat[];
  /** The caveats whose cause is not among the findings: text has one message for one cause. */
  readonly otherCaveats: readonly Caveat[];
}

export interface IgnoredFinding {
  readonly finding: ReportedFinding;
  readonly by: IgnoredBy;
}

/** The data planes that can be checked; files do not name one. */
export type DataplaneName = "embedded" | "envoy";
export const dataplaneNames: readonly DataplaneName[] = ["embedded", "envoy"];

export interface ReportOptions {
  /** Also report what this data plane cannot do. Undefined: no data plane is checked. */
  readonly dataplane: DataplaneName | undefined;
  readonly scope: Scope;
  readonly severity: Severity;
  readonly redaction: Redaction;
  readonly ignoring: Ignoring;
}

/** The findings to ignore. `baseline: "new"`: a new baseline is made of all findings that are not ignored otherwise. */
export interface Ignoring {
  readonly ignores: readonly Ignore[];
  readonly baseline: Baseline | "new" | undefined;
}

export const severities: readonly Severity[] = ["error", "warning", "info"];

/** All findings about a source. */
export async function buildFindingReport(source: LoadedSource, options: ReportOptions): Promise<FindingReport> {
  const { scope, severity, redaction, ignoring } = options;
  const { world } = source;
  const dataplane = await loadDataplane(options.dataplane);
  const checked = checkWorld(world, { cel: await celFor(world), dataplane });
  const all: readonly Draft[] = [
    ...redactFindings(
      source.findings().map((finding) => withFix(finding, world)),
      world,
      redaction,
    ).map((finding) => ({ finding, isLocated: true })),
    ...redactFindings(checked, world, redaction).map((finding) => ({ finding, isLocated: false })),
  ];
  const inScope = withoutEchoes(unique(all.filter(({ finding }) => isShown(finding.object, source, scope))));
  const isSevere = ({ finding }: Draft): boolean =>
    severities.indexOf(finding.severity) <= severities.indexOf(severity);
  const newBaseline = ignoring.baseline === "new" ? newBaselineOf(inScope.filter(isSevere), world, options) : undefined;
  const baseline = ignoring.baseline === "new" ? newBaseline : ignoring.baseline;
  const { kept, ignored, unused, stale } = ignoreFindings(inScope, world, { ignores: ignoring.ignores, baseline });
  const shown = kept.filter(isSevere);
  const left = ignored.filter(({ item }) => isSevere(item));
  const positions = findPositions([...shown, ...left.map(({ item }) => item)], source);
  const caveats = answerCaveats(source, { about: "Input" }, { redaction, dataplane: options.dataplane });
  const looked = [...source.tables.objects.values()].filter((object) => isInScope(object, scope));
  return {
    findings: groupCauses(shown.map((draft) => reported(draft, positions, redaction)).sort(compareFindings)),
    hidden: kept.length - shown.length,
    ignored: left
      .map(({ item, by }) => ({ finding: reported(item, positions, redaction), by }))
      .sort((a, b) => compareFindings(a.finding, b.finding)),
    unusedIgnores: unused,
    stale: stale.filter((entry) => isStale(entry, baseline, options)),
    newBaseline,
    occurring: new Set(kept.map(({ finding }) => finding.severity)),
    isUnread: kept.some(({ finding }) => isUnread(finding, source)),
    isBroken: isBroken(
      caveats,
      ignored.map(({ item }) => item.finding),
    ),
    objects: looked.length,
    policies: looked.filter(({ ref }) => world.rulebook.byPolicyKind.has(kindId(ref))).length,
    origin: source.origin,
    caveats,
    otherCaveats: caveats.filter(notAmong([...shown, ...left.map(({ item }) => item)].map(({ finding }) => finding))),
  };
}

function newBaselineOf(drafts: readonly Draft[], world: World, { ignoring, dataplane }: ReportOptions): Baseline {
  const { kept } = ignoreFindings(drafts, world, { ignores: ignoring.ignores, baseline: undefined });
  return buildBaseline(
    kept.map(({ finding }) => finding),
    dataplane,
  );
}

/** An entry about an object outside of the scope, or of another check, says nothing about the finding. */
function isStale(
  { object }: BaselineEntry,
  baseline: Baseline | undefined,
  { scope, dataplane }: ReportOptions,
): boolean {
  if (scope.selector !== undefined || baseline?.dataplane !== dataplane) return false;
  return object === undefined || isInScope({ ref: object, raw: {} }, scope);
}

const isUnread = ({ code, severity, source }: Finding, { unread }: LoadedSource): boolean =>
  severity === "error" &&
  unread.some((other) => other.code === code && JSON.stringify(other.source) === JSON.stringify(source));

/** Unreadable input has a finding of its own kind. Other broken caveats are accepted with the findings about their objects. */
function isBroken(caveats: readonly Caveat[], ignored: readonly Finding[]): boolean {
  const accepted = new Set(ignored.map(({ object }) => object));
  return caveats.some(
    ({ code, severity, objects }) =>
      severity === "broken" &&
      code !== "UnreadableInput" &&
      (objects.length === 0 || objects.some(({ object }) => !accepted.has(object))),
  );
}

/** True for a caveat if findings do not report all its objects, each at the same field. */
function notAmong(findings: readonly CheckFinding[]): (caveat: Caveat) => boolean {
  const keyAt = ({ object, field, source }: About & Pick<CheckFinding, "source">): string =>
    object === undefined
      ? `${source?.file ?? ""}:${source?.line ?? ""}`
      : keyOf(field === undefined ? { object } : { object, field });
  const known = new Set(findings.map(keyAt));
  return ({ objects }) => objects.length === 0 || !objects.every((named) => known.has(keyAt(named)));
}

function withFix(finding: Finding, world: World): CheckFinding {
  const fix = fixOf(world, finding);
  return fix === undefined ? finding : { ...finding, fix };
}

/** Loads regular expressions only for Envoy: they are the largest part of the data plane check. */
async function loadDataplane(name: DataplaneName | undefined): Promise<CheckedDataplane | undefined> {
  switch (name) {
    case undefined:
      return undefined;
    case "embedded":
      return { type: "embedded" };
    case "envoy": {
      const { createRegex } = await import("../../adapters/regex/create-regex.ts");
      return { type: "envoy", matchRegex: createRegex() };
    }
  }
}

interface Draft {
  readonly finding: CheckFinding;
  /** The finding. Its `source` is the position of the field, not only of the object. */
  readonly isLocated: boolean;
}

type About = Pick<CheckFinding, "object" | "field">;
type Positions = ReadonlyMap<string, SourcePosition>;

const keyOf = ({ object, field }: About): string => `${object ?? ""}\n${field ?? ""}`;

/** Removes duplicates and locates findings object by object: a document is parsed again for the positions of its fields and kept until the next one. */
function findPositions(drafts: readonly Draft[], { locate }: LoadedSource): Positions {
  const wanted = new Map<string, About>();
  for (const { finding, isLocated } of drafts)
    for (const about of [...(isLocated ? [] : [finding]), ...(finding.related ?? [])]) wanted.set(keyOf(about), about);
  const positions = new Map<string, SourcePosition>();
  for (const [key, { object, field }] of [...wanted].sort(([a], [b]) => compareText(a, b))) {
    const pointer = field === undefined ? undefined : fieldPointer(field);
    const position = object === undefined ? undefined : locate(object, pointer);
    if (position !== undefined) positions.set(key, position);
  }
  return positions;
}

function reported(
  { finding, isLocated }: Draft,
  positions: Positions,
  { kindName, inText }: Redaction,
): ReportedFinding {
  const { code, severity, object, field, message, fix = findingCodes[code].fix, related = [] } = finding;
  const about = object === undefined ? [] : [parseObjectId(object)];
  const named = (text: string): string => inText(text, about);
  const position = isLocated ? finding.source : (positions.get(keyOf(finding)) ?? finding.source);
  return {
    code,
    severity,
    ...(object === undefined ? {} : namedObject(parseObjectId(object), kindName)),
    ...(field === undefined ? {} : { field }),
    message: named(message),
    ...(fix === undefined ? {} : { fix: named(fix) }),
    ...(position === undefined ? {} : { position }),
    related: related.map((other) => {
      const at = positions.get(keyOf(other));
      return { message: named(other.message), ...(at === undefined ? {} : { position: at }) };
    }),
  };
}

const namedObject = (ref: ObjectRef, nameKind: NameKind): Pick<ReportedFinding, "object" | "name"> => ({
  object: ref,
  name: formatRef({ ...ref, kind: nameKind(ref) }),
});

/** Findings about unreadable text are in every scope. */
function isShown(id: ObjectId | undefined, { world }: LoadedSource, scope: Scope): boolean {
  if (id === undefined) return true;
  const object = world.objects.get(id);
  return isInScope(object ?? { ref: parseObjectId(id), raw: {} }, scope);
}

/** Two checks may report the same mistake. */
function unique(drafts: readonly Draft[]): readonly Draft[] {
  const seen = new Set<string>();
  return drafts.filter(({ finding: { code, message, object, field, source } }) => {
    const key = JSON.stringify([code, message, object, field, object === undefined ? source : undefined]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Removes data plane findings about a field that already has a finding: a broken reference also makes requests fail with 500. */
function withoutEchoes(drafts: readonly Draft[]): readonly Draft[] {
  const knownFields = new Map<ObjectId, string[]>();
  for (const { finding } of drafts) {
    const { object, field, code, severity } = finding;
    if (object === undefined || field === undefined || code === "NotServed") continue;
    // An absent backend may be elsewhere: a note and a caveat say so.
    if (severity !== "error" && code !== "BackendNotFound") continue;
    knownFields.set(object, [...(knownFields.get(object) ?? []), field]);
  }
  return drafts.filter(({ finding: { code, object, field = "" } }) => {
    if (code !== "NotServed" || object === undefined) return true;
    return !knownFields.get(object)?.some((known) => known.startsWith(field) || field.startsWith(known));
  });
}

function compareFindings(a: ReportedFinding, b: ReportedFinding): number {
  if (a.position === undefined || b.position === undefined)
    return Number(a.position === undefined) - Number(b.position === undefined) || compareWords(a, b);
  return (
    compareText(a.position.file, b.position.file) ||
    a.position.line - b.position.line ||
    a.position.column - b.position.column ||
    compareWords(a, b)
  );
}

const compareWords = (a: ReportedFinding, b: ReportedFinding): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  compareText(a.code, b.code) ||
  compareText(a.message, b.message);

/** A finding about a whole path has a file but no line. */
export const isAboutPath = ({ code }: ReportedFinding): boolean => PATH_CODES.has(code);

const PATH_CODES: ReadonlySet<string> = new Set(["PathNotFound", "PathUnreadable", "EmptyDirectory"]);
