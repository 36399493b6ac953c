/** The functions of the git program that reading a commit needs. `node-git.ts` implements them. */
export interface Git {
  /** Runs git in a directory and returns what it printed. Rejects only if git cannot be started. */
  readonly run: (directory: string, args: readonly string[]) => Promise<GitOutput>;
  /** Starts a process that reads the contents of objects, one after the other. */
  readonly readBlobs: (directory: string) => BlobReader;
}

export interface GitOutput {
  readonly ok: boolean;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

export interface BlobReader {
  /** The content of an object. Rejects if the repository does not have it. */
  readonly read: (objectName: string) => Promise<Uint8Array>;
  readonly close: () => void;
}

/** The output as text, without the line end. */
export const outputText = ({ stdout }: GitOutput): string => new TextDecoder().decode(stdout).replace(/\r?\n$/, "");

/** The first line of git's error message, without its prefix. */
export function failureText({ stderr }: GitOutput): string {
  const [line = ""] = stderr.split(/\r?\n/).filter((text) => text.trim() !== "");
  return line.replace(/^(?:fatal|error): /, "").trim();
}
