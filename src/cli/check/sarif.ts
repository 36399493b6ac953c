import type { Severity } from "../../core/model/finding.ts";
import type { FindingCode } from "../../core/model/finding-code.ts";
import { findingCodes } from "../../core/model/finding-codes.ts";
import type { SourcePosition } from "../../core/model/kube-object.ts";
import { type FindingReport, isAboutPath, type ReportedFinding } from "./finding-report.ts";

const levels: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };

export interface SarifOptions {
  readonly version: string;
  /** The name of a file, relative to the root of the repository: code scanners look for it there. */
  readonly nameOf: (file: string) => string;
  /** The section of `docs/findings.md` about a code. */
  readonly docOf: (code: string) => string | undefined;
}

/** SARIF 2.1.0 (OASIS): one run, the codes that occur as its rules. */
export function findingsSarif({ findings: given }: FindingReport, { version, docOf, nameOf }: SarifOptions): object {
  const findings = given.map((finding) => renamed(finding, nameOf));
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "prevail", version, semanticVersion: version, rules: codes.map((code) => rule(code, docOf)) },
        },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => result(finding, codes.indexOf(finding.code))),
      },
    ],
  };
}

function renamed(finding: ReportedFinding, nameOf: SarifOptions["nameOf"]): ReportedFinding {
  const move = <T extends { readonly position?: SourcePosition }>(one: T): T =>
    one.position === undefined || one.position.file.startsWith("<")
      ? one
      : { ...one, position: { ...one.position, file: nameOf(one.position.file) } };
  return { ...move(finding), related: finding.related.map(move) };
}

function rule(code: FindingCode, docOf: SarifOptions["docOf"]): object {
  const { title, severity } = findingCodes[code];
  const doc = docOf(code);
  return {
    id: code,
    shortDescription: { text: messageString(title) },
    ...(doc === undefined ? {} : { help: { text: messageString(doc), markdown: messageString(doc) } }),
    defaultConfiguration: { level: levels[severity] },
  };
}

function result(finding: ReportedFinding, ruleIndex: number): object {
  const { code, severity, name, message, fix, position, related } = finding;
  const subject = name === undefined || message.includes(name) ? message : `${name}: ${message}`;
  const located = related.filter((other) => other.position !== undefined);
  // A finding without a position has no location: code scanners refuse a location without a file.
  const text = [subject, ...related.filter((other) => other.position === undefined).map((other) => other.message)];
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: messageString([...text, ...(fix === undefined ? [] : [fix])].join("\n")) },
    ...(position === undefined && name === undefined
      ? {}
      : {
          locations: [
            {
              ...(position === undefined ? {} : { physicalLocation: physical(position, !isAboutPath(finding)) }),
              ...(name === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: name, kind: "object" }] }),
            },
          ],
        }),
    ...(located.length === 0
      ? {}
      : {
          relatedLocations: located.map(({ message: other, position: at }, id) => ({
            id,
            ...(at === undefined ? {} : { physicalLocation: physical(at, true) }),
            message: { text: messageString(other) },
          })),
        }),
  };
}

/** A finding about a whole path has no line; scanners need one. */
const physical = ({ file, line, column }: SourcePosition, hasLine: boolean): object => ({
  artifactLocation: { uri: uriOf(file) },
  region: hasLine ? { startLine: line, startColumn: column } : { startLine: 1, startColumn: 1 },
});

/**
 * Escapes a message string (SARIF, 3.11.5 and 3.11.6): single braces are placeholders and `[a](b)` is a link. A name from the input
 * must not become either.
 */
function messageString(text: string): string {
  const doubled = text.replaceAll("{", "{{").replaceAll("}", "}}");
  return doubled.includes("](") ? doubled.replaceAll(/[[\]\\]/g, "\\$&") : doubled;
}

/** Converts a path to a URI reference (RFC 3986). Relative paths stay relative, so that a server finds them in its checkout. */
export function uriOf(file: string): string {
  const path = file.replaceAll("\\", "/").replace(/^(\.\/)+/, "");
  const encoded = path.split("/").map(encodeSegment).join("/");
  if (/^[A-Za-z]:\//.test(path)) return `file:///${path.slice(0, 2)}${encoded.slice(encoded.indexOf("/"))}`;
  return path.startsWith("/") ? `file://${encoded}` : encoded;
}

/** Replaces lone surrogates by U+FFFD: a URI cannot contain them. */
const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment.replaceAll(/\p{Cs}/gu, "\ufffd")).replaceAll("%40", "@");
