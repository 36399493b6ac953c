import { readFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { ClusterError } from "../cluster-error.ts";
import type { KubeConfig } from "./kubeconfig.ts";
import { emptyKubeConfig, mergeKubeConfigs, parseKubeConfig } from "./parse-kubeconfig.ts";

export interface KubeConfigSource {
  /** `--kubeconfig`. It must exist. */
  readonly file: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Parses one YAML document. Throws with a message that names file and line. */
  readonly parseYaml: (text: string, file: string) => unknown;
}

/**
 * Loads kubeconfig files as kubectl does: `--kubeconfig`, else every file of `KUBECONFIG`, else `~/.kube/config`. Files of `KUBECONFIG` that do
 * not exist are skipped.
 */
export async function loadKubeConfig({ file, env, parseYaml }: KubeConfigSource): Promise<KubeConfig> {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  const files = file !== undefined ? [file] : listed.length > 0 ? listed : homeFile(env);
  const configs: KubeConfig[] = [];
  for (const path of files.map((one) => resolve(one))) {
    const text = await readText(path, { mustExist: file !== undefined });
    configs.push(text === undefined ? emptyKubeConfig([path]) : parseKubeConfig(parseYaml(text, path), path));
  }
  return mergeKubeConfigs(configs);
}

function homeFile(env: KubeConfigSource["env"]): readonly string[] {
  const home = env["HOME"] ?? env["USERPROFILE"];
  return home === undefined ? [] : [join(home, ".kube", "config")];
}

async function readText(path: string, { mustExist }: { readonly mustExist: boolean }): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ENOENT" && !mustExist) return undefined;
    const reason = code === "ENOENT" ? "it does not exist" : error instanceof Error ? error.message : String(error);
    throw new ClusterError(`the kubeconfig file ${path} cannot be read: ${reason}`, { cause: error });
  }
}
