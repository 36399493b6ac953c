/** The one table of exit codes; `docs/cli.md` shows it. */
export const exitCodes = {
  /** The question was answered. */
  ok: 0,
  /** It was not, or not wholly: a mistake in the command, nothing of that name, several, or input that cannot be read or would be refused, or output that cannot be written. Or `check` has errors. */
  failed: 1,
  /** It was, and the answer is one to act on: `plan --exit-code` sees changes, `check` shows findings and none is an error. */
  differs: 2,
  /** A mistake of ours. */
  internal: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
