import type { KnownDefinitions } from "../definitions/known-definitions.ts";
import type { LoadedSource } from "../sources/load-source.ts";
import type { OptionValues } from "./args/option.ts";
import type { CliIo } from "./cli-io.ts";
import type { SourceOrigin } from "./command.ts";
import { withProgress } from "./print/create-progress.ts";

/** Loads files as the options say, with progress on the terminal. */
export async function loadPaths(
  { paths, fileSystem, nameOf }: Pick<SourceOrigin, "paths"> & Partial<SourceOrigin>,
  options: OptionValues,
  io: CliIo,
  known?: KnownDefinitions,
): Promise<LoadedSource> {
  const { loadSource } = await import("../sources/load-source.ts");
  const defaultNamespace = options.value("default-namespace");
  const completeness = options.has("complete") ? "Complete" : "Partial";
  const load = (onFile?: (file: string, sizeBytes: number) => void): Promise<LoadedSource> =>
    loadSource(paths, fileSystem ?? io.fileSystem, { defaultNamespace, completeness, onFile, nameOf, known });
  return options.has("quiet") ? load() : withProgress(io, load);
}
