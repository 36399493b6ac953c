import type { Option, OptionValues } from "../args/option.ts";

const VIAS = ["auto", "api", "direct"] as const;

export const viaOption: Option = {
  name: "via",
  value: VIAS.join("|"),
  choices: VIAS,
  help: "in a cluster: ask the view API, or read the objects with your own rights (default: auto, the view API where it is installed and can answer)",
};

export const isDirect = (options: OptionValues): boolean => options.value(viaOption.name) === "direct";
export const isApi = (options: OptionValues): boolean => options.value(viaOption.name) === "api";

/** Options of `explain` and `reach` that need the objects themselves. */
const DIRECT_ONLY = [
  "watch",
  "blame",
  "all-paths",
  "redact",
  "rule",
  "selector",
  "complete",
  "fail-on",
  "gateway-admin",
];

/** The option that the view API cannot answer: `--blame`. Undefined: there is none. */
export function beyondViewApi(options: OptionValues): string | undefined {
  const option = DIRECT_ONLY.find((name) => options.has(name));
  if (option !== undefined) return `--${option}`;
  const output = options.value("output");
  // The JSON of the view API is of another kind, so it must be requested.
  if (output === "json" || output === "yaml") return isApi(options) ? undefined : `-o ${output}`;
  return output === undefined || output === "wide" ? undefined : `-o ${output}`;
}
