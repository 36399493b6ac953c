import type { Option } from "../args/option.ts";
import type { Printer } from "./create-printer.ts";
import { formatYaml } from "./format-yaml.ts";

export const outputOption = (choices: readonly string[]): Option => ({
  name: "output",
  short: "o",
  value: choices.join("|"),
  choices,
  help: "the output format",
});

/** Prints data for `-o json` and `-o yaml`. The order of keys is kept. */
export function printData(print: Printer, format: "json" | "yaml", value: object): void {
  print.raw(format === "json" ? `${JSON.stringify(value, undefined, 2)}\n` : formatYaml(value));
}
