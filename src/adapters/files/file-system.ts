/** What loading needs of the machine, so that tests and other sources can stand in for it. */
export interface FileSystem {
  /** Follows links. Rejects as Node does: an Error with a `code` such as `ENOENT`. */
  stat(path: string): Promise<FileFacts>;
  readDirectory(path: string): Promise<readonly string[]>;
  readFile(path: string): Promise<Uint8Array>;
  readStdin(): Promise<Uint8Array>;
}

export interface FileFacts {
  readonly type: "file" | "directory" | "other";
  readonly sizeBytes: number;
  /** The path without links: what is reached twice is read once. */
  readonly realPath: string;
}
