/** Files that are left out: templates, Git LFS pointers, and documents in folders that are not Kubernetes objects. One finding speaks of all of them. */
import { isJsonObject, ownValue } from "../../core/model/json.ts";
import type { DocumentFinding } from "./document-finding.ts";
import type { ParsedPart } from "./parse-documents.ts";
import type { Position } from "./source-document.ts";

interface FilePosition extends Position {
  readonly file: string;
}

export interface LeftOut {
  readonly templates: FilePosition[];
  readonly lfsPointers: string[];
  /** With the number of documents. */
  readonly others: (FilePosition & { readonly count: number })[];
}

/** The position of the first `{{` of a Go template; undefined if the file is not one. Text of an object may have `{{` for other readers. */
export function findTemplate(parts: readonly ParsedPart[]): Position | undefined {
  const template = parts.find(
    ({ text, findings, documents }) =>
      text.includes("{{") &&
      ((findings.some(({ severity }) => severity === "error") && ACTION.test(text)) ||
        documents.some(({ value }) => isNamedByTemplate(value))),
  );
  if (template === undefined) return undefined;
  const before = template.text.slice(0, template.text.indexOf("{{")).split(/\r\n?|\n/);
  return { line: template.line + before.length - 1, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** At the beginning of a line or of a value. */
const ACTION = /(?:^[ \t]*|[:-][ \t]+["']?)\{\{/m;

function isNamedByTemplate(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const metadata = ownValue(value, "metadata");
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  return [value["apiVersion"], value["kind"], name, namespace].some(
    (text) => typeof text === "string" && text.includes("{{"),
  );
}

export const templateFinding = (file: string, position: Position): DocumentFinding => ({
  code: "UnrenderedTemplate",
  severity: "error",
  message: `this file is a template, not YAML: ${renderAdvice(file, "it")}`,
  file,
  ...position,
});

/** At most one finding for templates, one for Git LFS pointers, and one for all else. */
export function leftOutFindings({ templates, lfsPointers, others }: LeftOut): readonly DocumentFinding[] {
  const [template] = templates;
  const [other] = others;
  return [
    ...(template === undefined ? [] : [templatesFinding(template, templates.length)]),
    ...(lfsPointers.length === 0 ? [] : [lfsPointerFinding(lfsPointers, "warning")]),
    ...(other === undefined ? [] : [othersFinding(other, others)]),
  ];
}

function templatesFinding({ file, line, column }: FilePosition, count: number): DocumentFinding {
  const message =
    count === 1
      ? `this file is a template, not YAML, and is skipped: ${renderAdvice(file, "it")}`
      : `${count} files are templates, not YAML, and are skipped; this is the first of them: ${renderAdvice(file, "them")}`;
  return { code: "UnrenderedTemplate", severity: "warning", message, file, line, column };
}

/** One finding, at the first file. */
export function lfsPointerFinding(files: readonly string[], severity: "error" | "warning"): DocumentFinding {
  const what =
    files.length === 1
      ? "this file is a Git LFS pointer, not its content, and is skipped: fetch it with git lfs pull"
      : `${files.length} files are Git LFS pointers, not their content, and are skipped; this is the first of them: fetch them with git lfs pull`;
  return { code: "LfsPointer", severity, message: what, file: files[0] ?? "", line: 1, column: 1 };
}

/** A chart's templates are in its folder `templates`. */
function renderAdvice(file: string, what: "it" | "them"): string {
  const chart = /^(?:(.*)\/)?templates\//.exec(file);
  if (chart === null) return `render ${what} first`;
  return `render ${what} first, with helm template ${chart[1] ?? "."}, and read the output with -f -`;
}

const MOST_NAMES = 4;

function othersFinding({ file, line, column }: FilePosition, others: LeftOut["others"]): DocumentFinding {
  const documents = others.reduce((sum, { count }) => sum + count, 0);
  const names = new Map<string, number>();
  for (const { file: path } of others) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  const sorted = [...names].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const shown = sorted.slice(0, MOST_NAMES).map(([name, count]) => (count === 1 ? name : `${name} (${count})`));
  const rest = others.length - sorted.slice(0, MOST_NAMES).reduce((sum, [, count]) => sum + count, 0);
  const list = rest === 0 ? shown.join(", ") : `${shown.join(", ")} and ${rest} more`;
  const what =
    documents === 1 ? "1 document is not a Kubernetes object" : `${documents} documents are not Kubernetes objects`;
  const isKustomized = [...names.keys()].some((name) => /^kustomization\.ya?ml$/.test(name));
  const advice = isKustomized
    ? "; render kustomizations with kubectl kustomize DIR, and read the output with -f -"
    : "";
  const message = `${what} and ${documents === 1 ? "is" : "are"} skipped: ${list}${advice}`;
  return { code: "SkippedDocuments", severity: "info", message, file, line, column };
}
