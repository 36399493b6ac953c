import type { CommandContext } from "../command.ts";

/** The options that select what is planned. */
const OPTIONS = [
  "git",
  "apply",
  "delete",
  "against",
  "namespace",
  "redact",
  "filename",
  "default-namespace",
  "complete",
];
const SHORT: Readonly<Record<string, string>> = { filename: "-f", namespace: "-n" };

/** The command line that prints this plan with everything in it, to copy into a shell. */
export function wholeCommand({ options, io }: Pick<CommandContext, "options" | "io">): string {
  const words = OPTIONS.flatMap((name) => {
    const flag = SHORT[name] ?? `--${name}`;
    if (name === "redact" || name === "complete") return options.has(name) ? [flag] : [];
    return options.values(name).flatMap((value) => [flag, quoted(value)]);
  });
  return [io.program, "plan", ...words, "-o", "wide"].join(" ");
}

/** For a POSIX shell. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./~^-]+$/.test(word) && !word.startsWith("~") ? word : `'${word.replaceAll("'", `'\\''`)}'`;
