import type { Option, OptionValues } from "../args/option.ts";

export const watchOption: Option = {
  name: "watch",
  short: "w",
  help: "after the answer, print what changes in the cluster as it changes, until Ctrl-C",
};

const OUTPUTS: ReadonlySet<string> = new Set(["wide", "json", "yaml"]);

/** The message about options that -w cannot be combined with. Undefined: there are none. */
export function watchMistake(options: OptionValues): string | undefined {
  if (!options.has(watchOption.name)) return undefined;
  if (options.values("filename").length > 0)
    return "-w follows a cluster, and -f is about files: leave one of them out";
  const output = options.value("output");
  if (output !== undefined && !OUTPUTS.has(output)) return `-w has no output format ${output}: use wide, json or yaml`;
  return undefined;
}
