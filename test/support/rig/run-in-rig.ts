/** Runs programs in the rig, from a test. */
import { spawn } from "node:child_process";
import { isClusterLeftOut } from "../kubernetes/find-kubernetes.ts";

export interface RigRun {
  readonly status: number | null;
  /** What the program printed on standard output. */
  readonly out: string;
}

type RunInRig = (program: string, args?: readonly string[]) => Promise<RigRun>;

/** Exit codes of `scripts/rig.mjs`: a program is missing, which can be installed; and a kernel that forbids it, which no test run can change. */
const IS_MISSING = 3;
const IS_FORBIDDEN = 4;

/**
 * Builds the parts of the rig where they are missing, and these beside them. Undefined if this machine cannot run it; in CI a missing program is an
 * error.
 */
export const findRig = (...parts: readonly "suite"[]): Promise<RunInRig | undefined> => find([], parts);

/** The rig with the rights that another user than root has, which root takes on for that. */
export const findUserRig = (): Promise<RunInRig | undefined> => find(["--user"], []);

async function find(options: readonly string[], parts: readonly string[]): Promise<RunInRig | undefined> {
  const { env } = process;
  if (isClusterLeftOut(env)) return undefined;
  const { status, errors } = await run([...options, "--check", ...parts]);
  if (status === 0) return async (program, args = []) => run([...options, program, ...args]);
  const reason = errors.trim().split("\n").at(-1) ?? "";
  const mayLeaveOut = status === IS_FORBIDDEN || (status === IS_MISSING && env["CI"] !== "true");
  if (!mayLeaveOut) throw new Error(`the rig is needed: ${reason}`);
  process.stderr.write(`left out, as the rig cannot run: ${reason}\n`);
  return undefined;
}

function run(args: readonly string[]): Promise<RigRun & { readonly errors: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["scripts/rig.mjs", ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString("utf8");
      process.stderr.write(chunk);
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, out, errors }));
  });
}
