/** The controller as a process of its own with a small heap, that says how much of it is in use. */
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePorts } from "../test/support/gateway/find-free-ports.ts";

export const SMALL_HEAP_MB = 192;

export interface MeasuredController {
  readonly ask: () => Promise<{ readonly heap: number; readonly cpuMs: number }>;
  readonly end: () => Promise<number | null>;
}

/** `program`: the compiled `controller-child.js`. `xdsPort`: it serves Gateways there. Resolves when it has read the cluster. */
export async function startMeasuredController(
  kubeconfig: string,
  program: string,
  xdsPort?: number,
): Promise<MeasuredController> {
  const [port = 0] = await findFreePorts(1);
  const flags = ["--expose-gc", `--max-old-space-size=${SMALL_HEAP_MB}`];
  const more = xdsPort === undefined ? [] : [String(xdsPort)];
  const profile = process.env["PREVAIL_CPU_PROFILE"];
  if (profile !== undefined) flags.push("--cpu-prof", `--cpu-prof-dir=${profile}`);
  const child: ChildProcess = spawn(process.execPath, [...flags, program, kubeconfig, String(port), ...more], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  const until = async (isReady: () => boolean): Promise<void> => {
    while (!isReady() && child.exitCode === null) await sleep(20);
  };
  await until(() => text.includes("has been read"));
  return {
    ask: async () => {
      text = "";
      child.stdin?.write("ask\n");
      await until(() => /\{.*\}\n/.test(text));
      return JSON.parse(/\{.*\}/.exec(text)?.[0] ?? "{}") as { heap: number; cpuMs: number };
    },
    end: () => {
      child.stdin?.write("end\n");
      return closed;
    },
  };
}
