import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { DocumentFinding } from "../files/document-finding.ts";
import type { FileSystem } from "../files/file-system.ts";
import { isReadInDirectory } from "../files/load-files.ts";
import { type Git, outputText } from "./git.ts";
import type { OpenedCommit } from "./open-commit.ts";

export interface WorkingTreeFiles {
  readonly fileSystem: FileSystem;
  /** True for a path of the user that is left out as a whole. */
  readonly isLeftOut: (path: string) => Promise<boolean>;
  /** Findings about documents that are left out on this side only. */
  readonly findings: readonly DocumentFinding[];
}

/**
 * The files on disk, without the paths whose content at the commit is not known (`unknown`, from the root), without submodules and without files that git
 * ignores. All of these would look created.
 */
export async function workingTreeFiles(
  git: Git,
  { root, paths }: OpenedCommit,
  unknown: ReadonlySet<string>,
  disk: FileSystem,
): Promise<WorkingTreeFiles> {
  const below = paths.map(({ inCommit }) => (inCommit === "" ? "." : inCommit));
  const list = async (...args: readonly string[]): Promise<readonly string[]> =>
    outputText(await git.run(root, ["ls-files", "-z", ...args, "--", ...below]))
      .split("\0")
      .filter((record) => record !== "");
  const submodules = (await list("--stage")).flatMap((record) => {
    const [, path] = /^160000 [^\t]*\t(.*)$/s.exec(record) ?? [];
    return path === undefined || unknown.has(path) ? [] : [path];
  });
  const ignored = (await list("--others", "--ignored", "--exclude-standard")).filter(
    (path) => !unknown.has(path) && paths.some(({ inCommit }) => isRead(path, inCommit)),
  );
  const leftOut = new Set([...unknown, ...submodules, ...ignored]);
  return {
    fileSystem: {
      ...disk,
      readDirectory: async (path) => {
        const { realPath } = await disk.stat(path);
        const prefix = fromRoot(root, realPath);
        return (await disk.readDirectory(path)).filter(
          (name) => !leftOut.has(prefix === "" ? name : `${prefix}/${name}`),
        );
      },
    },
    isLeftOut: async (path) => {
      const { realPath } = await disk.stat(dirname(resolve(path)));
      return leftOut.has(fromRoot(root, join(realPath, basename(resolve(path)))));
    },
    findings: [
      ...submodules.map((file) => finding(file, "a submodule, whose files are in another repository")),
      ...ignoredFinding(ignored),
    ],
  };
}

const fromRoot = (root: string, path: string): string => relative(root, path).split(sep).join("/");

/** True if the file is the given path, or is read as a file below it. */
const isRead = (file: string, given: string): boolean =>
  file === given ||
  (given === ""
    ? isReadInDirectory(file)
    : file.startsWith(`${given}/`) && isReadInDirectory(file.slice(given.length + 1)));

function ignoredFinding([first, ...rest]: readonly string[]): readonly DocumentFinding[] {
  if (first === undefined) return [];
  const more = rest.length === 0 ? "" : `, as ${rest.length === 1 ? "1 more is" : `${rest.length} more are`}`;
  return [finding(first, `a file that git ignores${more}`)];
}

const finding = (file: string, message: string): DocumentFinding => ({
  code: "NotInCommit",
  severity: "warning",
  message,
  file,
  line: 1,
  column: 1,
});
