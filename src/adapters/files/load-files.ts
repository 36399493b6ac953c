import type { DocumentFindingCode } from "../../core/model/finding-code.ts";
import { decodeText } from "./decode-text.ts";
import type { DocumentFinding } from "./document-finding.ts";
import { type FileFacts, type FileSystem, UnknownContent } from "./file-system.ts";
import { findTemplate, type LeftOut, leftOutFindings, lfsPointerFinding, templateFinding } from "./left-out-files.ts";
import { isLfsPointer } from "./lfs-pointer.ts";
import { type ParsedPart, type ParseOptions, parseParts } from "./parse-documents.ts";
import { type SelectedObjects, selectObjects } from "./select-objects.ts";
import type { SourceDocument } from "./source-document.ts";

/** The name that findings give to standard input. */
const STDIN_NAME = "<stdin>";

/**
 * Options of `loadFiles`.
 *
 * @example
 * ```ts
 * const options: LoadOptions = { maxFileBytes: 1024 * 1024, onFile: (file) => console.log(file) };
 * console.log((await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin), options)).documents.length);
 * ```
 */
export interface LoadOptions extends ParseOptions {
  /** Files beyond this are not read. The default is 256 MiB, which always fits into a JavaScript string. */
  readonly maxFileBytes?: number;
  /** Called before each file is read. */
  readonly onFile?: (file: string, sizeBytes: number) => void;
  /** Files below a directory that had objects only when they were read before. Anything else in them is an error, as in a named file. */
  readonly objectFiles?: ReadonlySet<string>;
}

/** The documents of the files that were read, and the problems that were found. */
export interface LoadedFiles {
  readonly documents: readonly SourceDocument[];
  readonly findings: readonly DocumentFinding[];
  /** The files that were read, in order. */
  readonly files: readonly string[];
  /** The files that have objects and nothing else. */
  readonly objectFiles: readonly string[];
}

/** True if a path of the user's is this file. False: it is a folder above; a folder may have files that are not about Kubernetes. */
interface Origin {
  readonly isNamed: boolean;
}

const NAMED: Origin = { isNamed: true };
const FOUND: Origin = { isNamed: false };

interface Loading {
  readonly fileSystem: FileSystem;
  readonly options: LoadOptions;
  readonly documents: SourceDocument[];
  readonly findings: DocumentFinding[];
  readonly files: string[];
  readonly objectFiles: string[];
  readonly seen: Set<string>;
  readonly leftOut: LeftOut;
}

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const READ = /\.(ya?ml|json)$/i;

/**
 * Reads every object in files, in directories with everything below them, and in standard input (`-`). What cannot be read becomes a
 * finding, and the rest is read. Below a directory, documents that are not Kubernetes objects and templates are left out, with one
 * finding for all of them.
 *
 * @example
 * ```ts
 * const { documents, findings: problems } = await loadFiles(["examples/bakery"], nodeFileSystem(process.stdin));
 * console.log(documents.length, problems.length);
 * ```
 */
export async function loadFiles(
  paths: readonly string[],
  fileSystem: FileSystem,
  options: LoadOptions = {},
): Promise<LoadedFiles> {
  const loading: Loading = {
    fileSystem,
    options,
    documents: [],
    findings: [],
    files: [],
    objectFiles: [],
    seen: new Set(),
    leftOut: { templates: [], lfsPointers: [], others: [] },
  };
  for (const path of paths) {
    if (path === "-") await loadStdin(loading);
    else await loadPath(loading, path);
  }
  const findings = [...loading.findings, ...leftOutFindings(loading.leftOut)];
  return { documents: loading.documents, findings, files: loading.files, objectFiles: loading.objectFiles };
}

async function loadStdin(loading: Loading): Promise<void> {
  if (loading.seen.has("-")) return;
  loading.seen.add("-");
  addText(loading, STDIN_NAME, await loading.fileSystem.readStdin(), NAMED);
}

async function loadPath(loading: Loading, path: string): Promise<void> {
  const facts = await statOf(loading, path);
  if (facts === undefined || isSeen(loading, facts)) return;
  switch (facts.type) {
    case "directory": {
      const before = loading.files.length;
      await loadDirectory(loading, path);
      if (loading.files.length === before)
        report(loading, path, "EmptyDirectory", "no .yaml, .yml or .json file in this directory or below it");
      return;
    }
    // Pipes too: `-f <(helm template …)`.
    case "file":
    case "other":
      await loadFile(loading, path, facts, NAMED);
  }
}

/** Below a directory only what looks like data is read, in the order of names; hidden files and folders are passed over. */
async function loadDirectory(loading: Loading, path: string): Promise<void> {
  let names: readonly string[];
  try {
    names = await loading.fileSystem.readDirectory(path);
  } catch (error) {
    reportFailure(loading, path, error);
    return;
  }
  for (const name of names.filter(isShown).toSorted()) {
    const child = path.endsWith("/") ? `${path}${name}` : `${path}/${name}`;
    const facts = await statOf(loading, child);
    if (facts === undefined) continue;
    if (facts.type === "directory") {
      if (!isSeen(loading, facts)) await loadDirectory(loading, child);
    } else if (facts.type === "file" && READ.test(name) && !isSeen(loading, facts)) {
      await loadFile(loading, child, facts, FOUND);
    }
  }
}

const isShown = (name: string): boolean => !name.startsWith(".") && name !== "node_modules";

/** True if a file is read because a directory above it is. The path is that from the directory. */
export const isReadInDirectory = (path: string): boolean => READ.test(path) && path.split("/").every(isShown);

async function loadFile(loading: Loading, path: string, { sizeBytes }: FileFacts, how: Origin): Promise<void> {
  const { maxFileBytes = MAX_FILE_BYTES, onFile } = loading.options;
  if (sizeBytes > maxFileBytes) {
    report(
      loading,
      path,
      "TooLarge",
      `a file of ${sizeBytes} bytes; at most ${maxFileBytes} are read: split it, or pipe a part of it in`,
    );
    return;
  }
  onFile?.(path, sizeBytes);
  try {
    addText(loading, path, await loading.fileSystem.readFile(path), how);
  } catch (error) {
    reportFailure(loading, path, error);
  }
}

function addText(loading: Loading, file: string, bytes: Uint8Array, origin: Origin): void {
  loading.files.push(file);
  const isNamed = origin.isNamed || loading.options.objectFiles?.has(file) === true;
  if (isLfsPointer(bytes)) {
    if (isNamed) loading.findings.push(lfsPointerFinding([file], "error"));
    else loading.leftOut.lfsPointers.push(file);
    return;
  }
  const decoded = decodeText(bytes);
  if (!decoded.ok) {
    const { message, line, column } = decoded;
    loading.findings.push({ code: "NotUtf8", severity: "error", message, file, line, column });
    return;
  }
  const parts = [...parseParts(decoded.text, file, loading.options)];
  const template = findTemplate(parts);
  if (template !== undefined) {
    if (isNamed) loading.findings.push(templateFinding(file, template));
    else loading.leftOut.templates.push({ file, ...template });
    return;
  }
  const { documents, findings, skipped } = isNamed ? joinParts(parts) : selectObjects(parts);
  for (const document of documents) loading.documents.push(document);
  loading.findings.push(...findings);
  if (documents.length > 0 && skipped === undefined) loading.objectFiles.push(file);
  if (skipped !== undefined) loading.leftOut.others.push({ file, ...skipped.first, count: skipped.count });
}

const joinParts = (parts: readonly ParsedPart[]): SelectedObjects => ({
  documents: parts.flatMap(({ documents }) => documents),
  findings: parts.flatMap(({ findings }) => findings),
  skipped: undefined,
});

function isSeen({ seen }: Loading, { realPath, type }: FileFacts): boolean {
  // Every process substitution has a path of its own, and some systems give them all the same real path.
  if (type === "other") return false;
  if (seen.has(realPath)) return true;
  seen.add(realPath);
  return false;
}

async function statOf(loading: Loading, path: string): Promise<FileFacts | undefined> {
  try {
    return await loading.fileSystem.stat(path);
  } catch (error) {
    reportFailure(loading, path, error);
    return undefined;
  }
}

function reportFailure(loading: Loading, path: string, error: unknown): void {
  if (error instanceof UnknownContent) {
    report(loading, path, "NotInCommit", error.message);
    return;
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") {
    const message = /^https?:\/\//.test(path)
      ? "addresses are not read: fetch it and pipe it in, with -f -"
      : "no such file or directory";
    report(loading, path, "PathNotFound", message);
    return;
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = code === "EACCES" || code === "EPERM" ? "permission denied" : `cannot be read: ${reason}`;
  report(loading, path, "PathUnreadable", message);
}

function report({ findings }: Loading, file: string, code: DocumentFindingCode, message: string): void {
  findings.push({
    code,
    severity: code === "EmptyDirectory" || code === "NotInCommit" ? "warning" : "error",
    message,
    file,
    line: 1,
    column: 1,
  });
}
