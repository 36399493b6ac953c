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

const CONTROL_PLANE: ReadonlyArray<keyof KubernetesParts> = [
  "etcd",
  "apiserver",
  "controllerManager",
  "kubectl",
  "crds",
];

let found: Promise<KubernetesParts | undefined> | undefined;
let foundHelm: Promise<string | undefined> | undefined;

/** Finds them once for all test files. */
export function findKubernetes(): Promise<KubernetesParts | undefined> {
  found ??= provisionKubernetes(process.env);
  return found;
}

/** The path of helm, which is built after the control plane. */
export function findHelm(): Promise<string | undefined> {
  foundHelm ??= provision<{ readonly helm: string }>(process.env, ["helm"]).then((parts) => parts?.helm);
  return foundHelm;
}

/** True if the tests are left out on purpose: `PREVAIL_SKIP=cluster`. */
export const isClusterLeftOut = (env: Readonly<Record<string, string | undefined>>): boolean =>
  (env["PREVAIL_SKIP"] ?? "").split(",").includes("cluster");

export const provisionKubernetes = (
  env: Readonly<Record<string, string | undefined>>,
): Promise<KubernetesParts | undefined> => provision<KubernetesParts>(env, CONTROL_PLANE);

/** Undefined if they are left out, or cannot be built on this machine, which is an error in CI. */
async function provision<Parts>(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Promise<Parts | undefined> {
  if (isClusterLeftOut(env)) return undefined;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SCRIPT, ...names], { stdio: ["ignore", "pipe", "pipe"], env: { ...env } });
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
      if (status === 0) return resolve(JSON.parse(out) as Parts);
      const reason = errors.trim().split("\n").at(-1) ?? "";
      if (env["CI"] === "true") return reject(new Error(`Kubernetes is needed in CI: ${reason}`));
      process.stderr.write(
        `left out, as ${names[0] === "helm" ? "there is no helm" : "there is no kube-apiserver"}: ${reason}\n`,
      );
      resolve(undefined);
    });
  });
}
