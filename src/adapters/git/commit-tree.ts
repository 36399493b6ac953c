import { dirname, posix } from "node:path";
import { failureText, type Git } from "./git.ts";

/** An entry of a commit. */
export interface TreeEntry {
  readonly type: "file" | "directory" | "link" | "submodule";
  readonly objectName: string;
  readonly sizeBytes: number;
}

export interface ListedTree {
  /** The entry at a path from the root of the repository. Undefined if the commit has none. Links are not followed. */
  readonly find: (path: string) => Promise<TreeEntry | undefined>;
  /** The names in a directory. */
  readonly namesIn: (path: string) => Promise<readonly string[]>;
}

export const ROOT = "";
const ROOT_ENTRY: TreeEntry = { type: "directory", objectName: "", sizeBytes: 0 };

/**
 * The entries of a commit below some paths. Each path is listed with everything below it when something there is asked for, so a commit with many files
 * elsewhere costs nothing.
 */
export function listTree(
  git: Git,
  { root, objectName }: { readonly root: string; readonly objectName: string },
): ListedTree {
  const entries = new Map<string, TreeEntry>([[ROOT, ROOT_ENTRY]]);
  const names = new Map<string, string[]>();
  const listings = new Map<string, Promise<void>>();
  const list = async (path: string): Promise<void> => {
    const paths = path === ROOT ? [] : ["--", path];
    const output = await git.run(root, ["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", objectName, ...paths]);
    if (!output.ok) throw new Error(`git ls-tree: ${failureText(output)}`);
    for (const [at, entry] of parseEntries(output.stdout)) {
      if (entries.has(at)) continue;
      entries.set(at, entry);
      const siblings = names.get(parentOf(at));
      if (siblings === undefined) names.set(parentOf(at), [posix.basename(at)]);
      else siblings.push(posix.basename(at));
    }
  };
  /** Resolves when the path, or a directory above it, is listed. */
  const listing = (path: string): Promise<void> => {
    for (let above = path; ; above = parentOf(above)) {
      const known = listings.get(above);
      if (known !== undefined) return known;
      if (above === ROOT) break;
    }
    const own = list(path);
    listings.set(path, own);
    return own;
  };
  return {
    find: async (path) => {
      if (!entries.has(path)) await listing(path);
      return entries.get(path);
    },
    namesIn: async (path) => {
      await listing(path);
      return names.get(path) ?? [];
    },
  };
}

/** The directory of a path from the root of the repository. */
export function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === "." ? ROOT : parent;
}

/** The output of `git ls-tree -l -z`: `MODE TYPE NAME SIZE<tab>PATH`, each with a zero byte at its end. */
function* parseEntries(output: Uint8Array): Generator<readonly [string, TreeEntry]> {
  for (const record of new TextDecoder().decode(output).split("\0")) {
    const [, mode = "", objectName = "", size = "", path] = /^(\d+) \w+ (\w+) +(\S+)\t(.*)$/s.exec(record) ?? [];
    if (path === undefined) continue;
    yield [path, { type: typeOf(mode), objectName, sizeBytes: /^\d+$/.test(size) ? Number(size) : 0 }];
  }
}

/** The modes that git writes: 040000 for directories, 120000 for symbolic links, 160000 for submodules, 100644 and 100755 for files. */
function typeOf(mode: string): TreeEntry["type"] {
  if (mode === "040000") return "directory";
  if (mode === "120000") return "link";
  return mode === "160000" ? "submodule" : "file";
}
