import { posix } from "node:path";
import { type FileSystem, UnknownContent } from "../files/file-system.ts";
import { isLfsPointer } from "../files/lfs-pointer.ts";
import { type ListedTree, parentOf, ROOT, type TreeEntry } from "./commit-tree.ts";
import type { BlobReader } from "./git.ts";

/** The files of a commit, by their paths from the root of the repository. */
export interface CommitFiles extends Omit<FileSystem, "readStdin"> {
  /** The paths whose content at the commit is not known, as far as they were read. The directories above them are no links. */
  readonly unknown: ReadonlySet<string>;
}

interface Located {
  /** The path without links. */
  readonly path: string;
  readonly entry: TreeEntry;
}

/** The number of symbolic links that Linux follows in one path. */
const MAX_LINKS = 40;

/** Reads a commit as files on disk are read: links are followed, and what does not exist rejects with ENOENT. */
export function commitFiles(tree: ListedTree, blobs: Pick<BlobReader, "read">): CommitFiles {
  const unknown = new Set<string>();
  const refuse = (path: string, what: string): UnknownContent => {
    unknown.add(path);
    return new UnknownContent(what);
  };
  const locate = async (path: string): Promise<Located> => {
    const found = await follow(normalize(path), { tree, blobs, refuse, links: { count: 0 } });
    if (found === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
    if (found.entry.type === "submodule")
      throw refuse(found.path, "a submodule, whose files are in another repository");
    return found;
  };
  return {
    unknown,
    stat: async (path) => {
      const { path: realPath, entry } = await locate(path);
      return { type: entry.type === "directory" ? "directory" : "file", sizeBytes: entry.sizeBytes, realPath };
    },
    readDirectory: async (path) => tree.namesIn((await locate(path)).path),
    readFile: async (path) => {
      const { path: realPath, entry } = await locate(path);
      const content = await blobs.read(entry.objectName);
      if (isLfsPointer(content)) throw refuse(realPath, "a Git LFS pointer, whose content is not in the repository");
      return content;
    },
  };
}

/** The path from the root of the repository, without `.` and `..`. */
const normalize = (path: string): string => posix.normalize(path).replace(/^\.?\/|\/$|^\.$/g, "");

interface Following {
  readonly tree: ListedTree;
  readonly blobs: Pick<BlobReader, "read">;
  readonly refuse: (path: string, what: string) => UnknownContent;
  readonly links: { count: number };
}

/** The entry at a path, where every part of the path may be a link. */
async function follow(path: string, following: Following): Promise<Located | undefined> {
  const { tree, blobs, refuse, links } = following;
  let at = ROOT;
  let entry = await tree.find(ROOT);
  for (const name of path === ROOT ? [] : path.split("/")) {
    if (entry?.type !== "directory") return entry?.type === "submodule" ? { path: at, entry } : undefined;
    at = at === ROOT ? name : `${at}/${name}`;
    entry = await tree.find(at);
    if (entry?.type !== "link") continue;
    if (++links.count > MAX_LINKS)
      throw Object.assign(new Error("too many symbolic links, one leading to the other"), { code: "ELOOP" });
    const target = new TextDecoder().decode(await blobs.read(entry.objectName));
    const next = target.startsWith("/") ? undefined : posix.join(parentOf(at), target);
    if (next === undefined || next === ".." || next.startsWith("../"))
      throw refuse(at, `a symbolic link that leads out of the repository, to ${target}`);
    const found = await follow(normalize(next), following);
    if (found === undefined) return undefined;
    at = found.path;
    entry = found.entry;
  }
  return entry === undefined ? undefined : { path: at, entry };
}
