/** Selects the documents of a folder that are Kubernetes objects. A repository has many other YAML and JSON files, and they are no mistakes. */
import { isJsonObject, type Json, ownValue } from "../../core/model/json.ts";
import { kinds } from "../../core/model/kinds.ts";
import type { ParsedPart } from "./parse-documents.ts";
import type { Position } from "./source-document.ts";

export interface SelectedObjects extends Pick<ParsedPart, "documents" | "findings"> {
  /** The position of the first document that is not an object, and how many there are. */
  readonly skipped: { readonly first: Position; readonly count: number } | undefined;
}

/** Leaves out documents that are not objects, with the findings about their text. */
export function selectObjects(parts: readonly ParsedPart[]): SelectedObjects {
  const documents: ParsedPart["documents"] = [];
  const findings: ParsedPart["findings"] = [];
  let first: Position | undefined;
  let count = 0;
  for (const part of parts) {
    const objects = part.documents.filter(({ value }) => isObject(value) || takesPart(value));
    // Lists, texts and numbers have no identity; what cannot be parsed may have one.
    const others = part.findings.filter(({ code }) => code === "NotAnObject").length;
    const text = part.findings.filter(({ code }) => code !== "NotAnObject");
    const isOther = text.some(({ severity }) => severity === "error") && !part.text.includes("apiVersion");
    const strays = part.documents.length - objects.length + others + (isOther ? 1 : 0);
    count += strays;
    if (strays > 0) first ??= { line: part.line, column: 1 };
    for (const object of objects) documents.push(object);
    if (objects.length > 0 || strays === 0) findings.push(...text);
  }
  return { documents, findings, skipped: first === undefined ? undefined : { first, count } };
}

/** True if a document has what every object in a cluster has. */
function isObject(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const metadata = ownValue(value, "metadata");
  return isText(value["apiVersion"]) && isText(value["kind"]) && isJsonObject(metadata) && isText(metadata["name"]);
}

const isText = (value: Json | undefined): boolean => typeof value === "string" && value !== "";

/** True if a document claims to be of a kind that policies and paths are about: without an identity it is a mistake. */
function takesPart(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { apiVersion, kind } = value;
  const [group = "", version] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  if (kind === undefined) return OUR_GROUPS.test(group);
  const isOf = (known: string): boolean =>
    apiVersion === undefined ? OUR_GROUPS.test(known) : known === (version === undefined ? "" : group);
  return kinds.some((known) => known.kind === kind && isOf(known.group));
}

/** The groups of Gateway API, and Prevail's own. */
const OUR_GROUPS = /^(?:gateway\.networking\.(?:x-)?k8s\.io|prevail\.dev)$/;
