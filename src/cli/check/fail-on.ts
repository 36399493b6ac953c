import type { Severity } from "../../core/model/finding.ts";
import type { Option, OptionValues } from "../args/option.ts";

/** The lowest severity of findings that makes `check` fail. */
export type FailingSeverity = Extract<Severity, "error" | "warning"> | "never";

const severityChoices: readonly FailingSeverity[] = ["error", "warning", "never"];
const choices = [...severityChoices, "caveat"];

/** The option of `check`. The other commands have it with `caveat` alone. */
export const failOnOption: Option = {
  name: "fail-on",
  value: choices.join("|"),
  choices,
  list: true,
  help: "exit with 1 if there are findings of this severity or above, whether --severity shows them or not (default: warning; with --severity error: error), or if the answer has caveats; several as a list: never,caveat",
};

export type ParsedFailOn =
  | { readonly ok: true; readonly failing: FailingSeverity }
  | { readonly ok: false; readonly message: string };

/** Reads `--fail-on`. Without a severity in it, only findings that are shown by default count: a hidden warning is no failure. */
export function parseFailOn(options: OptionValues): ParsedFailOn {
  const given = new Set(options.values(failOnOption.name));
  if (given.has("never") && (given.has("error") || given.has("warning")))
    return { ok: false, message: "--fail-on has 'never' beside a severity; keep one of them" };
  const failing = (["warning", "error", "never"] as const).find((one) => given.has(one));
  return { ok: true, failing: failing ?? (options.value("severity") === "error" ? "error" : "warning") };
}

/** True if a finding of this severity makes `check` fail. */
export function isFailing(severity: Severity, failing: FailingSeverity): boolean {
  switch (failing) {
    case "never":
      return false;
    case "error":
      return severity === "error";
    case "warning":
      return severity !== "info";
  }
}
