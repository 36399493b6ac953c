/** The exit codes, as documented in `docs/cli.md`. */
export const exitCodes = {
  /** Success. */
  ok: 0,
  /** Failure or incomplete result: an invalid command line, an unknown or ambiguous name, unusable input, output that cannot be written, or errors found by `check`. */
  failed: 1,
  /** Success with a result that needs attention: `plan --exit-code` has changes, `check` has findings but no errors, or `how` finds no change. */
  differs: 2,
  /** An internal error. */
  internal: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
