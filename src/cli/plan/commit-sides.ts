import type { FileSystem } from "../../adapters/files/file-system.ts";
import { type CommitFiles, commitFiles } from "../../adapters/git/commit-files.ts";
import { listTree } from "../../adapters/git/commit-tree.ts";
import { type CommitPath, openCommit } from "../../adapters/git/open-commit.ts";
import { type WorkingTreeFiles, workingTreeFiles } from "../../adapters/git/working-tree-files.ts";
import { formatOrigin } from "../../sources/format-origin.ts";
import { type LoadedDocuments, loadDocuments, toFinding } from "../../sources/load-documents.ts";
import type { CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { withProgress } from "../print/create-progress.ts";
import type { PlanDocuments } from "./plan-documents.ts";

/** The objects of `-f` at a commit, and the documents of the working tree. Undefined if they cannot be had. The reason has then been printed. */
export async function loadCommitSides(revision: string, context: CommandContext): Promise<PlanDocuments | undefined> {
  const { io, options, fail } = context;
  const given = options.values("filename");
  if (given.length === 0) {
    fail("--git needs paths: name the files to compare with -f FILE or -f DIR", context.example);
    return undefined;
  }
  if (given.includes("-")) {
    fail("--git compares files: standard input (-f -) is in no commit", "Name the files or directories with -f.");
    return undefined;
  }
  const git = await io.git();
  const opened = await openCommit(git, revision, given);
  if (!opened.ok) {
    fail(opened.message, ...opened.hints);
    return undefined;
  }
  const { commit } = opened;
  const blobs = git.readBlobs(commit.root);
  try {
    const files = commitFiles(listTree(git, commit), blobs);
    const paths = await Promise.all(commit.paths.map((path) => sidesOf(path, files, io.fileSystem)));
    const missing = paths.find(({ inCommit, onDisk }) => !inCommit && !onDisk);
    if (missing !== undefined) {
      context.failWith(
        exitCodes.input,
        `${missing.path.given}: no such file or directory, neither at ${commit.label} nor in the working tree`,
      );
      return undefined;
    }
    const current = await context.load({
      paths: paths.filter(({ inCommit }) => inCommit).map(({ path }) => path.inCommit || "."),
      fileSystem: { ...io.fileSystem, ...files },
      nameOf: (file) => `${commit.label}:${file.replace(/^\.\//, "")}`,
    });
    if (current === undefined) return undefined;
    const present = paths.filter(({ onDisk }) => onDisk).map(({ path }) => path.given);
    const workingTree = await workingTreeFiles(git, commit, files.unknown, io.fileSystem);
    const documents = await loadWorkingTree(workingTree, present, context);
    const isRead = [...current.unreadable, ...documents.findings].every(({ severity }) => severity !== "error");
    if (current.tables.objects.size + documents.documents.length > 0 || !isRead)
      return { current, documents, nonEmpty: [], extent: "Whole" };
    context.failWith(
      exitCodes.input,
      `there are no objects in ${formatOrigin(given)}, neither at ${commit.label} nor in the working tree`,
    );
    return undefined;
  } finally {
    blobs.close();
  }
}

interface PathSides {
  readonly path: CommitPath;
  readonly inCommit: boolean;
  readonly onDisk: boolean;
}

const sidesOf = async (path: CommitPath, commit: CommitFiles, disk: FileSystem): Promise<PathSides> => ({
  path,
  inCommit: await exists(commit, path.inCommit),
  onDisk: await exists(disk, path.given),
});

/** A path that cannot be read exists; reading it reports the reason. */
async function exists({ stat }: Pick<FileSystem, "stat">, path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"));
  }
}

async function loadWorkingTree(
  { fileSystem, isLeftOut, findings }: WorkingTreeFiles,
  paths: readonly string[],
  { io, options }: CommandContext,
): Promise<LoadedDocuments> {
  const isKept = await Promise.all(paths.map(async (path) => !(await isLeftOut(path))));
  const kept = paths.filter((_, index) => isKept[index]);
  const defaultNamespace = options.value("default-namespace");
  const loaded = await withProgress(io, (onFile) => loadDocuments(kept, fileSystem, { defaultNamespace, onFile }));
  return { ...loaded, findings: [...loaded.findings, ...findings.map(toFinding)] };
}
