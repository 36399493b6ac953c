/** The built program as a process that follows a cluster. */
import { execFileSync, spawn } from "node:child_process";
import { until } from "./until.ts";

export interface ProgramProcess {
  readonly pid: number;
  /** What it logs. */
  readonly log: () => string;
  /** Sends SIGTERM and returns the exit code. */
  readonly close: () => Promise<number | null>;
}

/** Builds the program if a source has changed. */
export const buildProgram = (): void =>
  void execFileSync(process.execPath, ["scripts/build.mjs", "--if-changed"], { stdio: "ignore" });

const PROGRAM = "dist/bin/prevail.js";

/** Resolves when the program has read the cluster. `program`: another version of it. */
export async function startProgram(args: readonly string[], program = PROGRAM): Promise<ProgramProcess> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const close = (): Promise<number | null> => {
    child.kill("SIGTERM");
    return ended;
  };
  try {
    await until(
      () => text.includes("has been read") || child.exitCode !== null,
      () => text,
    );
    if (child.exitCode !== null) throw new Error(`the controller ended:\n${text}`);
  } catch (error) {
    await close();
    throw error;
  }
  return { pid: child.pid ?? 0, log: () => text, close };
}
