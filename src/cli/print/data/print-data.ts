import type { Option } from "../../args/option.ts";
import { formatYaml } from "../markup/format-yaml.ts";
import type { Printer } from "../terminal/create-printer.ts";

/** The formats that a command with `-o json` fills from its JSON, by `../template`. */
const templates = ["jsonpath", "custom-columns", "jsonpath-as-json", "jsonpath-file", "custom-columns-file"];

export function outputOption(choices: readonly string[]): Option {
  const base = { name: "output", short: "o", choices, help: "the output format" } as const;
  if (!choices.includes("json")) return { ...base, value: choices.join("|") };
  return {
    ...base,
    value: [...choices, "jsonpath=TEMPLATE", "custom-columns=SPEC"].join("|"),
    textChoices: templates,
  };
}

/** Prints data for `-o json` and `-o yaml`. The order of keys is kept. */
export function printData(print: Printer, format: "json" | "yaml", value: object): void {
  print.raw(format === "json" ? `${JSON.stringify(value, undefined, 2)}\n` : formatYaml(value));
}
