/** `prevail/files`: reads YAML and JSON from paths or text. The values of its documents are the objects for `buildSnapshot`. */
export type { DocumentFinding } from "./adapters/files/document-finding.ts";
export type { FileFacts, FileSystem } from "./adapters/files/file-system.ts";
export { type LoadedFiles, type LoadOptions, loadFiles } from "./adapters/files/load-files.ts";
export { nodeFileSystem } from "./adapters/files/node-file-system.ts";
export { type ParsedDocuments, type ParseOptions, parseDocuments } from "./adapters/files/parse-documents.ts";
export type { Position, SourceDocument } from "./adapters/files/source-document.ts";
export type { DocumentFindingCode } from "./core/model/finding-code.ts";
