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

/** How a program is started, if not as the built one by this Node. */
export interface ProgramStart {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Another version of the program. */
export const startOf = (program: string): ProgramStart => ({
  command: [process.execPath, program],
  environment: process.env,
});

/** Resolves when the program has read the cluster. */
export async function startProgram(args: readonly string[], start = startOf(PROGRAM)): Promise<ProgramProcess> {
  const [command = "", ...first] = start.command;
  const child = spawn(command, [...first, ...args], { stdio: ["ignore", "ignore", "pipe"], env: start.environment });
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
