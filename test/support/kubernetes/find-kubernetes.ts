import { spawn } from "node:child_process";

/** The parts of a control plane, as `scripts/provision-kubernetes.mjs` prints them. */
export interface KubernetesParts {
  readonly etcd: string;
  readonly apiserver: string;
  readonly controllerManager: string;
  readonly kubectl: string;
  /** A folder with the CRDs of Gateway API, a folder for each channel. */
  readonly crds: string;
}

/** Tests run at the root of the project, so paths are relative to the working directory. */
const SCRIPT = "scripts/provision-kubernetes.mjs";

let found: Promise<KubernetesParts | undefined> | undefined;

/** Finds them once for all test files. */
export function findKubernetes(): Promise<KubernetesParts | undefined> {
  found ??= provisionKubernetes(process.env);
  return found;
}

/** True if the tests are left out on purpose: `PREVAIL_SKIP=cluster`. */
export const isClusterLeftOut = (env: Readonly<Record<string, string | undefined>>): boolean =>
  (env["PREVAIL_SKIP"] ?? "").split(",").includes("cluster");

/** Undefined if they are left out, or cannot be built on this machine, which is an error in CI. */
export async function provisionKubernetes(
  env: Readonly<Record<string, string | undefined>>,
): Promise<KubernetesParts | undefined> {
  if (isClusterLeftOut(env)) return undefined;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SCRIPT], { stdio: ["ignore", "pipe", "pipe"], env: { ...env } });
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
    child.on("close", (status) => {
      if (status === 0) return resolve(JSON.parse(out) as KubernetesParts);
      const reason = errors.trim().split("\n").at(-1) ?? "";
      if (env["CI"] === "true") return reject(new Error(`Kubernetes is needed in CI: ${reason}`));
      process.stderr.write(`left out, as there is no kube-apiserver: ${reason}\n`);
      resolve(undefined);
    });
  });
}
