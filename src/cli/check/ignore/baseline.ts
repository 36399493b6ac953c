import type { Finding } from "../../../core/model/finding.ts";
import { compareText, type ObjectRef, parseObjectId } from "../../../core/model/refs.ts";

/** Findings that are known and accepted, one entry for findings that cannot be distinguished without their lines. */
export interface BaselineEntry {
  readonly code: string;
  readonly object?: ObjectRef;
  /** Without indices: `spec.rules[].backendRefs[].name`. */
  readonly field?: string;
  /** The CoverageRule that the object does not meet. */
  readonly rule?: string;
  /** The file, for a finding that is not about an object. */
  readonly file?: string;
  readonly count: number;
}

export interface Baseline {
  /** The data plane that was checked. With another one, entries without a finding are no news. */
  readonly dataplane?: string;
  readonly findings: readonly BaselineEntry[];
}

/** The entry of one finding. Lines, indices and messages change with edits and releases, so they are not part of it. */
export function entryOf({ code, object, field, rule, source }: Finding): BaselineEntry {
  if (object === undefined) return { code, ...(source === undefined ? {} : { file: source.file }), count: 1 };
  const { group, kind, namespace, name } = parseObjectId(object);
  return {
    code,
    object: { group, kind, namespace, name },
    ...(field === undefined ? {} : { field: field.replaceAll(/\[\d+\]/g, "[]") }),
    ...(rule === undefined ? {} : { rule: parseObjectId(rule).name }),
    count: 1,
  };
}

/** Entries with the same key are about the same finding. */
export const keyOf = ({ code, object, field = "", rule = "", file = "" }: Omit<BaselineEntry, "count">): string =>
  JSON.stringify([
    object?.namespace ?? "",
    object?.kind ?? "",
    object?.name ?? "",
    object?.group ?? "",
    code,
    field,
    rule,
    file,
  ]);

export function buildBaseline(findings: readonly Finding[], dataplane: string | undefined): Baseline {
  const entries = new Map<string, BaselineEntry>();
  for (const entry of findings.map(entryOf)) {
    const key = keyOf(entry);
    entries.set(key, { ...entry, count: (entries.get(key)?.count ?? 0) + 1 });
  }
  const sorted = [...entries].sort(([a], [b]) => compareText(a, b)).map(([, entry]) => entry);
  return { ...(dataplane === undefined ? {} : { dataplane }), findings: sorted };
}

/** JSON with one entry on each line, so that a version control system shows and merges entries. */
export function formatBaseline({ dataplane, findings }: Baseline): string {
  const head = `{\n  "version": 1,\n${dataplane === undefined ? "" : `  "dataplane": ${JSON.stringify(dataplane)},\n`}`;
  const lines = findings.map((entry) => `    ${JSON.stringify(entry)}`);
  return `${head}  "findings": [${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}]\n}\n`;
}
