import type { RelatedPlace } from "../core/check/check-finding.ts";
import { checkWorld } from "../core/check/check-world.ts";
import { needsCel } from "../core/check/needs-cel.ts";
import type { EvaluateCondition } from "../core/model/cel.ts";
import type { Finding, Severity } from "../core/model/finding.ts";
import type { FindingCode } from "../core/model/finding-code.ts";
import { findingCodes } from "../core/model/finding-codes.ts";
import type { SourcePosition } from "../core/model/kube-object.ts";
import { compareText, kindId, type ObjectId, type ObjectRef, parseObjectId } from "../core/model/refs.ts";
import { fieldPointer } from "./field-pointer.ts";
import { isInScope, type Scope } from "./find-targets.ts";
import { loadCel, type Source } from "./load-source.ts";

/** A finding as every format of `check` shows it. */
export interface ReportedFinding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly object?: ObjectRef;
  readonly field?: string;
  readonly message: string;
  readonly mend?: string;
  readonly place?: SourcePosition;
  readonly related: ReadonlyArray<{ readonly message: string; readonly place?: SourcePosition }>;
}

export interface FindingReport {
  /** At or above the severity asked for; by file, line and column, those without a place last. */
  readonly findings: readonly ReportedFinding[];
  /** Below it. */
  readonly hidden: number;
  /** In the scope. */
  readonly objects: number;
  readonly policies: number;
  readonly origin: string;
}

export interface ReportOptions {
  readonly scope: Scope;
  readonly severity: Severity;
}

export const severities: readonly Severity[] = ["error", "warning", "info"];

/** Everything that is wrong with a source, and that somebody should know. */
export async function buildFindingReport(source: Source, { scope, severity }: ReportOptions): Promise<FindingReport> {
  const { world } = source.evaluation;
  const cel = needsCel(world) ? await loadCel() : noCel;
  const all = [
    ...source.findings().map((finding) => reported(finding, source)),
    ...checkWorld(world, { cel }).map((finding) =>
      reported({ ...finding, ...placeOf(finding, source) }, source, finding.mend, finding.related),
    ),
  ];
  const inScope = unique(all.filter(({ id }) => isShown(id, source, scope)).map(({ finding }) => finding));
  const findings = inScope.filter((finding) => severities.indexOf(finding.severity) <= severities.indexOf(severity));
  const looked = [...source.snapshot.objects.values()].filter((object) => isInScope(object, scope));
  return {
    findings: findings.sort(compareFindings),
    hidden: inScope.length - findings.length,
    objects: looked.length,
    policies: looked.filter(({ ref }) => world.rulebook.byPolicyKind.has(kindId(ref))).length,
    origin: source.origin,
  };
}

const noCel: EvaluateCondition = () => ({ state: "error", message: "CEL was not loaded" });

interface Reported {
  readonly id: ObjectId | undefined;
  readonly finding: ReportedFinding;
}

function reported(
  { code, severity, object, field, message, source: place }: Finding,
  source: Source,
  mend: string | undefined = findingCodes[code].mend,
  related: readonly RelatedPlace[] = [],
): Reported {
  const finding: ReportedFinding = {
    code,
    severity,
    ...(object === undefined ? {} : { object: parseObjectId(object) }),
    ...(field === undefined ? {} : { field }),
    message,
    ...(mend === undefined ? {} : { mend }),
    ...(place === undefined ? {} : { place }),
    related: related.map((other) => {
      const { source: at } = placeOf(other, source);
      return { message: other.message, ...(at === undefined ? {} : { place: at }) };
    }),
  };
  return { id: object, finding };
}

/** The line of the field, or at least of the object. */
function placeOf(
  { object, field }: { readonly object?: ObjectId; readonly field?: string },
  { locate }: Source,
): { readonly source?: SourcePosition } {
  const place =
    object === undefined ? undefined : locate(object, field === undefined ? undefined : fieldPointer(field));
  return place === undefined ? {} : { source: place };
}

/** What is wrong with the text concerns everybody. */
function isShown(id: ObjectId | undefined, { evaluation }: Source, scope: Scope): boolean {
  if (id === undefined) return true;
  const object = evaluation.world.objects.byId.get(id);
  return isInScope(object ?? { ref: parseObjectId(id), raw: {} }, scope);
}

/** One mistake may be seen from two sides. */
function unique(findings: readonly ReportedFinding[]): readonly ReportedFinding[] {
  const seen = new Set<string>();
  return findings.filter(({ code, message, place, field, object }) => {
    const key = JSON.stringify([code, message, place, field, object]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function compareFindings(a: ReportedFinding, b: ReportedFinding): number {
  if (a.place === undefined || b.place === undefined)
    return Number(a.place === undefined) - Number(b.place === undefined) || compareWords(a, b);
  return (
    compareText(a.place.file, b.place.file) ||
    a.place.line - b.place.line ||
    a.place.column - b.place.column ||
    compareWords(a, b)
  );
}

const compareWords = (a: ReportedFinding, b: ReportedFinding): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  compareText(a.code, b.code) ||
  compareText(a.message, b.message);

/** Findings about a path as a whole have a file, and no line in it. */
export const isAboutPath = ({ code }: ReportedFinding): boolean => PATH_CODES.has(code);

const PATH_CODES: ReadonlySet<string> = new Set(["PathNotFound", "PathUnreadable", "EmptyDirectory"]);
