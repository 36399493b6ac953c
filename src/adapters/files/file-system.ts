/**
 * The file system functions that loading needs. Tests replace them.
 *
 * @example
 * ```ts
 * const texts = new Map([["a.yaml", "kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n"]]);
 * const fileSystem: FileSystem = {
 *   stat: async (path) => ({ type: "file", sizeBytes: texts.get(path)?.length ?? 0, realPath: path }),
 *   readDirectory: async () => [],
 *   readFile: async (path) => new TextEncoder().encode(texts.get(path)),
 *   readStdin: async () => new Uint8Array(),
 * };
 * console.log((await loadFiles(["a.yaml"], fileSystem)).documents.length);
 * ```
 */
export interface FileSystem {
  /** Follows links. Rejects as Node does: an Error with a `code` such as `ENOENT`. */
  stat(path: string): Promise<FileFacts>;
  readDirectory(path: string): Promise<readonly string[]>;
  readFile(path: string): Promise<Uint8Array>;
  readStdin(): Promise<Uint8Array>;
}

/** The facts about a path that loading needs. */
export interface FileFacts {
  readonly type: "file" | "directory" | "other";
  readonly sizeBytes: number;
  /** The path without links, so that a file that is reached twice is read once. */
  readonly realPath: string;
}

/** A path whose content cannot be known: it exists, but this file system does not have what is in it. The message says what the path is, such as `a submodule`. */
export class UnknownContent extends Error {
  readonly code = "EUNKNOWNCONTENT";
}
