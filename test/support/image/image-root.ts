/** The root file system of the image as a folder: the files that the Dockerfile copies, Node, and the libraries that Node loads. There is no shell. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildProgram } from "../kubernetes/program-process.ts";

export interface ImageRoot {
  /**
   * A program and its arguments, to which those of the controller are added. It runs as the user of the image, and cannot write to the root. Where this
   * process may not change its root folder, it is only the program in its folder.
   */
  readonly command: readonly string[];
  readonly folder: string;
  readonly remove: () => void;
}

const dockerfile = readFileSync("Dockerfile", "utf8");

/** The arguments of each instruction of the name. */
export const instructions = (name: string): readonly string[] =>
  [...dockerfile.matchAll(new RegExp(`^${name} (.*)$`, "gm"))].map(([, rest = ""]) => rest);

/** $1: the root, $2: the user, then the command. The root becomes read-only; of the machine it has what every container has. */
const ENTER = `
root=$1 user=$2; shift 2
mount --bind "$root" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"
`;

/** True if this process may change its root folder. Containers of Docker, for example, mostly may not. */
export const canChangeRoot = (): boolean =>
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["--mount", "--propagation", "private", "true"]).status === 0;

/** Builds the program if need be. */
export function makeImageRoot(): ImageRoot {
  buildProgram();
  const folder = mkdtempSync(join(tmpdir(), "prevail-image-"));
  chmodSync(folder, 0o755);
  const [workFolder = ""] = instructions("WORKDIR");
  for (const line of instructions("COPY")) copy(line.split(" "), join(folder, workFolder));
  const [node = "", program = ""] = JSON.parse(instructions("ENTRYPOINT")[0] ?? "[]") as string[];
  for (const path of [...librariesOf(process.execPath), process.execPath])
    put(path, join(folder, path === process.execPath ? node : path));
  for (const name of ["proc", "dev", "tmp"]) mkdirSync(join(folder, name));
  const [user = ""] = instructions("USER");
  const enter = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", ENTER, "sh", folder, user];
  const command = canChangeRoot() ? [...enter, node, program] : [process.execPath, join(folder, program)];
  return { folder, command, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** `COPY from… to`. A folder is copied with all that is in it. */
function copy(paths: readonly string[], workFolder: string): void {
  const to = paths.at(-1) ?? "";
  for (const from of paths.slice(0, -1)) cpSync(from, join(workFolder, to === "./" ? from : to), { recursive: true });
}

function put(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(realpathSync(from), to);
  chownSync(to, 0, 0);
}

/** The shared libraries of a program, by the paths at which it finds them. */
const librariesOf = (program: string): readonly string[] =>
  [...execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].flatMap(
    ([, path]) => path ?? [],
  );
