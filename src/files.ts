/** Reading objects from files, for whoever has no cluster: paths or text in, documents for `buildSnapshot` out. */
export type { DocumentFinding } from "./adapters/files/document-finding.ts";
export type { FileFacts, FileSystem } from "./adapters/files/file-system.ts";
export { type LoadedFiles, type LoadOptions, loadFiles } from "./adapters/files/load-files.ts";
export { nodeFileSystem } from "./adapters/files/node-file-system.ts";
export { type ParsedDocuments, type ParseOptions, parseDocuments } from "./adapters/files/parse-documents.ts";
export type { Position, SourceDocument } from "./adapters/files/source-document.ts";
export type { DocumentFindingCode } from "./core/model/finding-code.ts";
