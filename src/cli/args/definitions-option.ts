import type { Option } from "./option.ts";

/** The value that leaves the definitions of implementations out. */
export const NO_VENDORS = "none";

export const definitionsOption: Option = {
  name: "definitions",
  value: "none|FILE",
  repeatable: true,
  list: true,
  help: "use the PolicyDefinitions of these files instead of the built-in ones of their kinds; none: without the definitions of implementations",
};
