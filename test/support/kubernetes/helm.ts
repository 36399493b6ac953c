/** Runs helm. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

export const CHART = "deploy/chart";
/** Without a cluster, helm renders for a version of Kubernetes that is part of its build. */
export const FOR_KUBERNETES = ["--kube-version", "1.36.3"] as const;

export interface HelmOptions {
  /** Where the release is; undefined for commands that need no cluster. */
  readonly kubeconfig?: string;
}

const run = promisify(execFile);

/** Returns what helm prints. Rejects with its output if it fails. */
export async function runHelm(
  helm: string,
  args: readonly string[],
  { kubeconfig }: HelmOptions = {},
): Promise<string> {
  const connection = kubeconfig === undefined ? [] : ["--kubeconfig", kubeconfig];
  const { stdout } = await run(helm, [...args, ...connection], {
    // Nothing of the user's own configuration of helm takes part.
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", HELM_CACHE_HOME: "/nonexistent" },
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Values as arguments: `{ replicas: 2 }` is `--set-json replicas=2`. */
export const valueArgs = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).flatMap(([key, value]) => ["--set-json", `${key}=${JSON.stringify(value)}`]);

export const renderChart = (
  helm: string,
  values: Readonly<Record<string, unknown>>,
  chart: string = CHART,
): Promise<string> =>
  runHelm(helm, [
    "template",
    "prevail",
    chart,
    "--namespace",
    "prevail-system",
    ...FOR_KUBERNETES,
    ...valueArgs(values),
  ]);
