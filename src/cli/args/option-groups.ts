import type { Command, OptionGroup } from "../command.ts";
import { outputOption } from "../print/print-data.ts";
import type { Option } from "./option.ts";

const groups: Readonly<Record<OptionGroup, readonly Option[]>> = {
  source: [
    {
      name: "filename",
      short: "f",
      value: "FILE|DIR|-",
      repeatable: true,
      help: "read objects from a file, from a directory and all below it, or from standard input (repeatable)",
    },
    {
      name: "default-namespace",
      value: "NAMESPACE",
      help: "the namespace of documents that name none (default: default)",
    },
    {
      name: "complete",
      help: "the files are everything there is: what is not in them does not exist. Exit with 1 if the answer is only partial",
    },
    { name: "fail-on", value: "caveat", choices: ["caveat"], help: "exit with 1 if the answer has caveats" },
  ],
  scope: [
    { name: "namespace", short: "n", value: "NAMESPACE", help: "look only in this namespace (default: in all)" },
    { name: "all-namespaces", short: "A", help: "look in all namespaces, and ignore -n" },
    { name: "selector", short: "l", value: "SELECTOR", help: "only objects with these labels: team=bread,tier!=test" },
  ],
  table: [{ name: "no-headers", help: "omit the header line" }],
};

export const helpOption: Option = { name: "help", short: "h", help: "print the help of this command" };

/** All options of a command. Its own options come first. */
export function optionsOf(command: Command): readonly Option[] {
  return [
    ...command.options,
    ...(command.outputs.length === 0 ? [] : [outputOption(command.outputs)]),
    ...command.takes.flatMap((group) => groups[group]),
    helpOption,
  ];
}
