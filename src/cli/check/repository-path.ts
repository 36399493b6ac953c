import { dirname, join, relative, resolve, sep } from "node:path";
import type { CliIo } from "../cli-io.ts";

type PathIo = Pick<CliIo, "env" | "fileSystem" | "workingDirectory">;

/**
 * The names of files as GitHub knows them: relative to the root of their repository, with forward slashes. The root is GITHUB_WORKSPACE if it is a repository,
 * else the nearest directory above the file with a `.git`, else GITHUB_WORKSPACE. A file outside of all of them keeps its name.
 */
export async function repositoryPaths(files: readonly string[], io: PathIo): Promise<(file: string) => string> {
  const { env, workingDirectory } = io;
  const workspace = env["GITHUB_WORKSPACE"] === "" ? undefined : env["GITHUB_WORKSPACE"];
  const roots = new Map<string, string | undefined>();
  const isRepository = workspace !== undefined && (await hasGit(workspace, io));
  const rootOf = async (directory: string): Promise<string | undefined> => {
    if (roots.has(directory)) return roots.get(directory);
    const parent = dirname(directory);
    const root = (await hasGit(directory, io)) ? directory : parent === directory ? undefined : await rootOf(parent);
    roots.set(directory, root);
    return root;
  };
  const names = new Map<string, string>();
  for (const file of new Set(files)) {
    const path = resolve(workingDirectory, file);
    const nearest = isRepository && isBelow(path, workspace) ? workspace : await rootOf(dirname(path));
    const root = nearest ?? workspace;
    if (root !== undefined && isBelow(path, root)) names.set(file, relative(root, path).split(sep).join("/"));
  }
  return (file) => names.get(file) ?? file.replace(/^(?:\.\/)+/, "");
}

async function hasGit(directory: string, { fileSystem }: PathIo): Promise<boolean> {
  try {
    await fileSystem.stat(join(directory, ".git"));
    return true;
  } catch {
    return false;
  }
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && resolve(root, way) === path;
}
