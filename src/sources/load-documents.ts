import type { DocumentFinding } from "../adapters/files/document-finding.ts";
import type { FileSystem } from "../adapters/files/file-system.ts";
import { loadFiles } from "../adapters/files/load-files.ts";
import type { SourceDocument } from "../adapters/files/source-document.ts";
import type { KindFacts } from "../core/model/definition.ts";
import type { Finding } from "../core/model/finding.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, ownValue } from "../core/model/json.ts";
import { kinds as builtInKinds } from "../core/model/kinds.ts";
import type { SourcePosition } from "../core/model/kube-object.ts";
import { kindId } from "../core/model/refs.ts";
import { builtInDefinitions } from "../definitions/built-in-definitions.ts";
import { vendorDefinitions } from "../definitions/vendor-definitions.ts";

/** The object as it goes into the snapshot, and its position. */
export interface LoadedDocument {
  readonly value: unknown;
  readonly source: SourcePosition;
}

export interface LoadedDocuments {
  readonly documents: readonly LoadedDocument[];
  /** About the text: what could not be read, and what reads differently than it looks. */
  readonly findings: readonly Finding[];
  readonly files: readonly string[];
  /** The files that have objects and nothing else. */
  readonly objectFiles: readonly string[];
  /** Where a value of a document is written. `raw` is the document's own object, as it went into the snapshot. */
  readonly locate: (raw: JsonObject, pointer: string) => SourcePosition | undefined;
}

export interface DocumentOptions {
  /** The namespace of documents of namespaced kinds that name none. */
  readonly defaultNamespace?: string | undefined;
  /** Called before each file is read. */
  readonly onFile?: ((file: string, sizeBytes: number) => void) | undefined;
  /** Files that had objects only when they were read before: anything else in them is an error. */
  readonly objectFiles?: ReadonlySet<string>;
  /** The name of a file in positions. The path itself if left out. */
  readonly nameOf?: ((file: string) => string) | undefined;
}

/** Documents from files and directories (`-`: standard input), as every command and every server reads them. */
export async function loadDocuments(
  paths: readonly string[],
  fileSystem: FileSystem,
  { defaultNamespace, onFile, objectFiles: known, nameOf = (file) => file }: DocumentOptions = {},
): Promise<LoadedDocuments> {
  const { documents, findings, files, objectFiles } = await loadFiles(paths, fileSystem, {
    ...(onFile === undefined ? {} : { onFile }),
    ...(known === undefined ? {} : { objectFiles: known }),
  });
  const origins = new Map<unknown, SourceDocument>();
  const scopeOf = defaultNamespace === undefined ? undefined : scopes(documents);
  const located = documents.map((document): LoadedDocument => {
    const value =
      scopeOf === undefined || defaultNamespace === undefined
        ? document.value
        : withNamespace(document.value, defaultNamespace, scopeOf);
    origins.set(value, document);
    return { value, source: { file: nameOf(document.file), line: document.line, column: document.column } };
  });
  return {
    documents: located,
    findings: findings.map((finding) => toFinding({ ...finding, file: nameOf(finding.file) })),
    files,
    objectFiles,
    locate: (raw, pointer) => {
      const origin = origins.get(raw);
      return origin === undefined ? undefined : { file: nameOf(origin.file), ...origin.locate(pointer) };
    },
  };
}

export const toFinding = ({ code, severity, message, file, line, column }: DocumentFinding): Finding => ({
  code,
  severity,
  message,
  source: { file, line, column },
});

type ScopeOf = (group: string, kind: string) => KindFacts["scope"] | undefined;

/** The scope of built-in kinds, of the kinds of policies, and of what CRDs and PolicyDefinitions among the documents define. */
function scopes(documents: readonly SourceDocument[]): ScopeOf {
  const table = new Map<string, KindFacts["scope"]>();
  const add = (group: unknown, kind: unknown, scope: unknown): void => {
    if (typeof group !== "string" || typeof kind !== "string") return;
    if (scope === "Namespaced" || scope === "Cluster") table.set(kindId({ group, kind }), scope);
  };
  for (const { value } of documents) {
    const spec = isJsonObject(value) ? ownValue(value, "spec") : undefined;
    if (!isJsonObject(value) || !isJsonObject(spec)) continue;
    if (value["kind"] === "CustomResourceDefinition") {
      const names = ownValue(spec, "names");
      add(spec["group"], isJsonObject(names) ? names["kind"] : undefined, spec["scope"]);
    } else if (value["kind"] === "PolicyDefinition") {
      const policies = ownValue(spec, "policies");
      for (const policy of isJsonList(policies) ? policies : [])
        if (isJsonObject(policy)) add(policy["group"], policy["kind"], policy["scope"] ?? "Namespaced");
    }
  }
  for (const { policies } of builtInDefinitions())
    for (const { group, kind, scope } of policies) add(group, kind, scope);
  for (const { group, kind, scope } of builtInKinds) add(group, kind, scope);
  const ofVendor: ScopeOf = (group, kind) =>
    vendorDefinitions()
      .find({ group, kind })
      ?.policies.find((policy) => policy.kind === kind)?.scope;
  return (group, kind) => table.get(kindId({ group, kind })) ?? ofVendor(group, kind);
}

function withNamespace(value: unknown, namespace: string, scopeOf: ScopeOf): unknown {
  if (!isJsonObject(value)) return value;
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isJsonObject(metadata)) return value;
  const given = ownValue(metadata, "namespace") ?? "";
  const slash = apiVersion.indexOf("/");
  const group = slash === -1 ? "" : apiVersion.slice(0, slash);
  if (given !== "" || scopeOf(group, kind) !== "Namespaced") return value;
  const named: { readonly [key: string]: Json } = { ...metadata, namespace };
  return { ...value, metadata: named };
}
