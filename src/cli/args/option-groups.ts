import { clusterOptions } from "../cluster/cluster-options.ts";
import type { Command, OptionGroup } from "../command.ts";
import { outputOption } from "../print/data/print-data.ts";
import { colourModes } from "../streams/wants-colour.ts";
import { definitionsOption } from "./definitions-option.ts";
import type { Option } from "./option.ts";

const groups: Readonly<Record<OptionGroup, readonly Option[]>> = {
  cluster: clusterOptions,
  source: [
    {
      name: "filename",
      short: "f",
      value: "FILE|DIR|-",
      repeatable: true,
      list: true,
      help: "read objects from files, from directories and all below them, or from standard input: -f a.yaml,b.yaml -f dir",
    },
    {
      name: "recursive",
      short: "R",
      alwaysOn: "directories are read with everything below them; name files to read only some",
      help: "accepted because kubectl has it: directories are always read with everything below them",
    },
    { name: "kustomize", short: "k", value: "DIR", hidden: true, help: "refused, with the command to pipe" },
    {
      name: "default-namespace",
      value: "NAMESPACE",
      help: "the namespace of documents that name none (default: default)",
    },
    {
      name: "complete",
      help: "the files are everything there is: what is not in them does not exist. Exit with 1 if the answer is only partial",
    },
    {
      name: "fail-on",
      value: "caveat",
      choices: ["caveat"],
      list: true,
      help: "exit with 1 if the answer has caveats",
    },
  ],
  definitions: [definitionsOption],
  scope: [
    { name: "namespace", short: "n", value: "NAMESPACE", help: "look only in this namespace (default: in all)" },
    { name: "all-namespaces", short: "A", help: "look in all namespaces, and ignore -n" },
    { name: "selector", short: "l", value: "SELECTOR", help: "only objects with these labels: team=bread,tier!=test" },
  ],
  table: [{ name: "no-headers", help: "omit the header line" }],
};

export const helpOption: Option = { name: "help", short: "h", help: "print the help of this command" };

/** The options of every command. */
const commonOptions: readonly Option[] = [
  {
    name: "color",
    value: colourModes.join("|"),
    choices: colourModes,
    help: "when the output has colours (default: auto, on a terminal unless NO_COLOR is set)",
  },
  { name: "quiet", short: "q", help: "print the answer and errors only: no notes, hints and progress" },
  helpOption,
];

/** All options of a command. Its own options come first, and replace options of a group with the same name. */
export function optionsOf(command: Command): readonly Option[] {
  const own = new Set(command.options.map(({ name }) => name));
  return [
    ...command.options,
    ...(command.outputs.length === 0 ? [] : [outputOption(command.outputs)]),
    ...command.takes.flatMap((group) => groups[group]).filter(({ name }) => !own.has(name)),
    ...commonOptions,
  ];
}

/** The options that may stand before the command without loading it. */
export const sharedOptions: readonly Option[] = [...Object.values(groups).flat(), outputOption([]), ...commonOptions];
