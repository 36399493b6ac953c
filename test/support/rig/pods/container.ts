/** A container as a process: in the network namespace of its Pod, with a root folder of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { PodNetwork } from "../rig-network.ts";
import type { LogLine } from "./pod-log-server.ts";

export interface ContainerOptions {
  readonly network: PodNetwork;
  /** An empty folder for the container. */
  readonly folder: string;
  /** A folder of this machine that is seen as `/opt/rig`. */
  readonly programs: string;
  /** The program and its arguments, as the container sees them. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folders of this machine, and where the container sees them. */
  readonly mounts: readonly { readonly from: string; readonly to: string }[];
}

export interface RunningContainer {
  readonly log: readonly LogLine[];
  /** True as soon as it listens on any TCP or UDP port. */
  readonly listens: () => boolean;
  readonly hasEnded: () => boolean;
  /** SIGTERM, and SIGKILL after `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
}

const MAX_LINES = 20_000;

/**
 * Programs of this machine read-only, an empty file system for the rest, then the Pod's volumes. Envoys with the same base id would meet in a shared
 * /dev/shm. $1: number of mounts; then pairs of folders, then the command.
 */
const ROOT = `
root=$RIG_ROOT programs=$RIG_PROGRAMS; unset RIG_ROOT RIG_PROGRAMS
mount -t tmpfs -o mode=755 tmpfs "$root"
for folder in usr lib lib64 bin sbin dev proc sys etc/ssl; do
  if [ -e "/$folder" ]; then mkdir -p "$root/$folder"; mount --rbind "/$folder" "$root/$folder"; fi
done
mkdir -p "$root/tmp" "$root/opt/rig" "$root/etc" "$root/var/run" "$root/root"
chmod 1777 "$root/tmp"
mount --bind "$programs" "$root/opt/rig"
mount -t tmpfs tmpfs "$root/dev/shm"
printf '127.0.0.1 localhost\\n' > "$root/etc/hosts"
printf 'hosts: files\\n' > "$root/etc/nsswitch.conf"
printf 'root:x:0:0:root:/root:/bin/sh\\n' > "$root/etc/passwd"
left=$1; shift
while [ "$left" -gt 0 ]; do mkdir -p "$root$2"; mount --bind "$1" "$root$2"; shift 2; left=$((left - 1)); done
exec chroot "$root" "$@"
`;

export async function startContainer(options: ContainerOptions): Promise<RunningContainer> {
  const { network, folder, programs, command, environment, mounts } = options;
  const root = join(folder, "root");
  mkdirSync(root, { recursive: true });
  const output = await openFifo(join(folder, "output"));
  const inside = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", ROOT, "sh"];
  const args = [String(mounts.length), ...mounts.flatMap(({ from, to }) => [from, to]), ...command];
  const child = spawn("nsenter", [`--net=/run/netns/${network.name}`, ...inside, ...args], {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...environment, RIG_ROOT: root, RIG_PROGRAMS: programs },
    stdio: ["ignore", output.writer, output.writer],
  });
  closeSync(output.writer);
  const log: LogLine[] = [];
  collectLines(output.reader, log);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  child.on("error", (error) => log.push({ timeMs: Date.now(), text: error.message }));
  return {
    log,
    hasEnded,
    // nsenter, unshare, sh and chroot replace each other, so the process is that of the program.
    listens: () => !hasEnded() && child.pid !== undefined && listensOnPort(child.pid),
    stop: (graceMs) => stop(child, graceMs),
  };
}

/** A FIFO: the pipes of Node are sockets, and a program that opens /dev/stdout, as Envoy's access log does, cannot open a socket. */
async function openFifo(path: string): Promise<{ readonly reader: Socket; readonly writer: number }> {
  await promisify(execFile)("mkfifo", [path]);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const reader = new Socket({ fd, readable: true, writable: false });
  return { reader, writer: openSync(path, constants.O_WRONLY) };
}

function collectLines(reader: Socket, log: LogLine[]): void {
  let rest = "";
  reader.setEncoding("utf8");
  reader.on("error", () => undefined);
  reader.on("data", (chunk: string) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    const timeMs = Date.now();
    for (const text of lines) log.push({ timeMs, text });
    if (log.length > MAX_LINES) log.splice(0, MAX_LINES / 2);
  });
}

/** The kernel's tables of the process' network namespace: state 0A is a TCP socket that listens, 07 a UDP socket. */
function listensOnPort(pid: number): boolean {
  const has = (table: string, state: string): boolean => {
    try {
      const rows = readFileSync(`/proc/${pid}/net/${table}`, "utf8").split("\n").slice(1);
      return rows.some((row) => row.trim().split(/\s+/)[3] === state);
    } catch {
      return false;
    }
  };
  return has("tcp", "0A") || has("tcp6", "0A") || has("udp", "07") || has("udp6", "07");
}

async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await Promise.race([ended, sleep(graceMs, undefined, { ref: false })]);
  child.kill("SIGKILL");
  await ended;
}
