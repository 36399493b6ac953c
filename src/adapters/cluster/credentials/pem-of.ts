import { readFile } from "node:fs/promises";
import { ClusterError } from "../cluster-error.ts";
import type { DataOrFile } from "../kubeconfig/kubeconfig.ts";

/** PEM, from the kubeconfig file itself or from a file that it names. */
export async function pemOf(source: DataOrFile, what: string): Promise<string> {
  if ("data" in source) return source.data;
  try {
    return await readFile(source.file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ClusterError(`the ${what} ${source.file} cannot be read: ${reason}`, { cause: error });
  }
}
