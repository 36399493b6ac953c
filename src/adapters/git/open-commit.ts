import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { didYouMean } from "../../core/model/words/did-you-mean.ts";
import { failureText, type Git, type GitOutput, outputText } from "./git.ts";

/** A commit, and paths of the user in its repository. */
export interface OpenedCommit {
  /** The directory of the working tree. */
  readonly root: string;
  readonly objectName: string;
  /** The commit as people name it, for positions: `main`. */
  readonly label: string;
  /** For each path of the user, its path from the root. The root itself is `""`. */
  readonly paths: readonly CommitPath[];
}

export interface CommitPath {
  readonly given: string;
  readonly inCommit: string;
}

export type OpenCommitResult =
  | { readonly ok: true; readonly commit: OpenedCommit }
  | { readonly ok: false; readonly message: string; readonly hints: readonly string[] };

type Failure = Extract<OpenCommitResult, { readonly ok: false }>;

/**
 * Finds the repository of the paths and the commit that `revision` names there: anything that `git rev-parse` knows, or `REVISION...`, the commit where HEAD
 * left it (their merge base), as in `git diff`.
 */
export async function openCommit(git: Git, revision: string, given: readonly string[]): Promise<OpenCommitResult> {
  const [first] = given;
  if (first === undefined) return failure("--git needs paths: name the files to compare with -f FILE or -f DIR");
  const found = await findRoot(git, first);
  if (!found.ok) return found;
  const { root } = found;
  const paths: CommitPath[] = [];
  for (const path of given) {
    const inCommit = pathFrom(root, path);
    if (inCommit === undefined)
      return failure(
        `--git: ${path} is not in the repository ${root}, which has ${first}`,
        "--git compares the files of one repository. Leave the path out, or copy the commit's files and use --against.",
      );
    paths.push({ given: path, inCommit });
  }
  const commit = await findCommit(git, root, revision);
  if (!commit.ok) return commit;
  return { ok: true, commit: { root, objectName: commit.objectName, label: commit.label, paths } };
}

const failure = (message: string, ...hints: readonly string[]): Failure => ({ ok: false, message, hints });

async function findRoot(git: Git, path: string): Promise<{ readonly ok: true; readonly root: string } | Failure> {
  const directory = nearestDirectory(resolve(path));
  let output: GitOutput;
  try {
    output = await git.run(directory, ["rev-parse", "--show-toplevel"]);
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isAbsent
      ? failure("--git needs the git program, and there is none in PATH")
      : failure(`--git: git cannot be started: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (output.ok) return { ok: true, root: resolve(outputText(output)) };
  const reason = failureText(output);
  if (reason.startsWith("not a git repository"))
    return failure(
      `--git: ${path} is not in a git repository`,
      "To compare two directories: prevail plan -f OLD --against NEW",
    );
  return failure(`--git: git cannot read the repository of ${path}: ${reason}`);
}

/** The directory of a path, or the nearest one above it that exists. A path that was deleted has one, too. */
function nearestDirectory(path: string): string {
  if (existsSync(path) && statSync(path).isDirectory()) return path;
  const parent = dirname(path);
  return parent === path ? path : nearestDirectory(parent);
}

/** Undefined if the path is outside of the root. A link on the way to the root is followed, a link in the repository is not. */
function pathFrom(root: string, path: string): string | undefined {
  const absolute = resolve(path);
  const directory = nearestDirectory(dirname(absolute));
  for (const candidate of [absolute, join(realpathSync(directory), relative(directory, absolute))]) {
    const inside = relative(root, candidate);
    if (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return inside.split(sep).join("/");
  }
  return undefined;
}

type FoundCommit = { readonly ok: true; readonly objectName: string; readonly label: string } | Failure;

async function findCommit(git: Git, root: string, revision: string): Promise<FoundCommit> {
  const name = revision.replace(/\.\.\.$/, "");
  if (name === "" || name.startsWith("-") || name.includes(".."))
    return failure(
      `--git ${revision} is not a commit: name one, such as HEAD or origin/main`,
      "The new side is always the working tree. REF... is the commit where HEAD left REF.",
    );
  const parsed = await git.run(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  if (!parsed.ok) return unknownRevision(git, root, name);
  const objectName = outputText(parsed);
  if (name === revision)
    return { ok: true, objectName, label: /^[0-9a-f]{40,}$/.test(name) ? short(objectName) : name };
  const base = await git.run(root, ["merge-base", objectName, "HEAD"]);
  if (base.ok) return { ok: true, objectName: outputText(base), label: short(outputText(base)) };
  const hints = (await isShallow(git, root)) ? [FETCH] : [];
  return failure(`--git ${revision}: HEAD and ${name} have no common commit in this repository`, ...hints);
}

const short = (objectName: string): string => objectName.slice(0, 12);

const FETCH =
  "This is a shallow clone, which lacks older commits: fetch them, with 'git fetch --unshallow', or 'fetch-depth: 0' for actions/checkout.";

async function unknownRevision(git: Git, root: string, name: string): Promise<Failure> {
  const refs = await git.run(root, ["for-each-ref", "--format=%(refname:short)"]);
  const names = outputText(refs).split("\n");
  const remote = names.find((ref) => ref.endsWith(`/${name}`));
  const meant = remote === undefined ? didYouMean(name, names) : `; did you mean '${remote}'?`;
  const head = await git.run(root, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (!head.ok) return failure(`--git ${name}: the repository ${root} has no commit yet`);
  const hints = (await isShallow(git, root)) ? [FETCH] : [];
  return failure(`--git ${name}: no such commit in the repository ${root}${meant}`, ...hints);
}

const isShallow = async (git: Git, root: string): Promise<boolean> =>
  outputText(await git.run(root, ["rev-parse", "--is-shallow-repository"])) === "true";
