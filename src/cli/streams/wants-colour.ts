export type ColourMode = "auto" | "always" | "never";
export const colourModes: readonly ColourMode[] = ["auto", "always", "never"];

/**
 * Decides whether a stream gets colours. `--color always` and `never` decide alone. Then, in this order: NO_COLOR (https://no-color.org),
 * FORCE_COLOR (https://force-color.org; `0` and `false` turn colours off), CLICOLOR_FORCE and CLICOLOR (http://bixense.com/clicolors), and whether
 * the stream is a terminal that can show them.
 */
export function wantsColour(
  mode: string | undefined,
  { env, isTerminal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly isTerminal: boolean },
): boolean {
  if (mode === "always" || mode === "never") return mode === "always";
  const given = (name: string): string => env[name] ?? "";
  if (given("NO_COLOR") !== "") return false;
  if (given("FORCE_COLOR") !== "") return !["0", "false"].includes(given("FORCE_COLOR"));
  if (!["", "0"].includes(given("CLICOLOR_FORCE"))) return true;
  return isTerminal && given("CLICOLOR") !== "0" && env["TERM"] !== "dumb";
}
