import { compareText } from "../../core/model/refs.ts";
import type { CliIo } from "../cli-io.ts";
import type { Candidate } from "./candidate.ts";

/** The files and directories whose path begins with a text. Hidden ones only if it names them. Nothing if the directory cannot be read. */
export async function completePaths(
  path: string,
  { fileSystem }: Pick<CliIo, "fileSystem">,
): Promise<readonly Candidate[]> {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const start = path.slice(folder.length);
  const isShown = (name: string): boolean => name.startsWith(start) && (start !== "" || !name.startsWith("."));
  try {
    const names = (await fileSystem.readDirectory(folder === "" ? "." : folder)).filter(isShown).toSorted(compareText);
    return await Promise.all(
      names.map(async (name) => ({ word: `${folder}${name}${await endOf(`${folder}${name}`)}` })),
    );
  } catch {
    return [];
  }

  async function endOf(entry: string): Promise<"/" | ""> {
    return fileSystem.stat(entry).then(
      ({ type }) => (type === "directory" ? "/" : ""),
      () => "",
    );
  }
}
