/** The network of the rig: one bridge, and a network namespace for each Pod. Everything is in the namespace of this process. */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { promisify } from "node:util";

/** The address of the node: the bridge has it. The API server reaches Pod logs there, and Pods reach programs beside them. */
export const NODE_ADDRESS = "10.244.0.1";
const BRIDGE = "br0";
/** The API server refuses loopback and link-local addresses in EndpointSlices. */
const PREFIX = "10.244";

/** The namespace of one Pod: its name in `/run/netns`, and its address on the bridge. */
export interface PodNetwork {
  readonly name: string;
  readonly address: string;
}

const run = promisify(execFile);
const ip = async (...args: readonly string[]): Promise<void> => void (await run("ip", [...args]));
const ipNow = (...args: readonly string[]): void =>
  void execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });

/** Must be called once, by process 1 of the rig. */
export function createBridge(): void {
  execFileSync("mount", ["-t", "tmpfs", "tmpfs", "/run"]);
  mkdirSync("/run/netns");
  ipNow("link", "set", "lo", "up");
  ipNow("link", "add", BRIDGE, "type", "bridge");
  ipNow("addr", "add", `${NODE_ADDRESS}/16`, "dev", BRIDGE);
  ipNow("link", "set", BRIDGE, "up");
}

/** Connects the Pod of this number, 1 or more, with the bridge. */
export async function createPodNetwork(number: number): Promise<PodNetwork> {
  const host = number + 1;
  const address = `${PREFIX}.${host >> 8}.${host & 255}`;
  const name = `pod${number}`;
  await ip("netns", "add", name);
  await ip("link", "add", `veth${number}`, "type", "veth", "peer", "name", "eth0", "netns", name);
  await ip("link", "set", `veth${number}`, "master", BRIDGE, "up");
  await ip("-n", name, "link", "set", "lo", "up");
  await ip("-n", name, "addr", "add", `${address}/16`, "dev", "eth0");
  await ip("-n", name, "link", "set", "eth0", "up");
  await ip("-n", name, "route", "add", "default", "via", NODE_ADDRESS);
  return { name, address };
}

export const addPodAddress = ({ name }: PodNetwork, address: string): Promise<void> =>
  ip("-n", name, "addr", "add", `${address}/16`, "dev", "eth0");

export const removePodNetwork = ({ name }: PodNetwork): Promise<void> => ip("netns", "del", name);
