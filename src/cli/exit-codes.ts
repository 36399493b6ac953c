/** The exit codes. Codes below 64 come with an answer; from 64 on there is none, or only a part of one, with the numbers of sysexits.h. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  differs: 2,
  usage: 64,
  input: 65,
  internal: 70,
  output: 74,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meaning of each code. `prevail help` prints this table, and a test compares `docs/cli.md` with it. */
export const exitCodeTable: ReadonlyArray<{ readonly code: ExitCode; readonly meaning: string }> = [
  { code: exitCodes.ok, meaning: "success" },
  {
    code: exitCodes.failed,
    meaning:
      "the answer is a failure: 'check' has findings that --fail-on names, 'test' has cases that fail, the answer has caveats and --complete or --fail-on caveat is given, or a server cannot be started",
  },
  { code: exitCodes.differs, meaning: "'plan --exit-code': something would change; 'how': no change achieves it" },
  {
    code: exitCodes.usage,
    meaning:
      "the command line is wrong: an unknown command, option or value, a missing argument, or a name that no object or several objects have",
  },
  {
    code: exitCodes.input,
    meaning:
      "input cannot be read or has no objects, or the API server would refuse an object that could change the answer; the answer, if there is one, is about the rest",
  },
  { code: exitCodes.internal, meaning: "an internal error; PREVAIL_DEBUG=1 prints its stack trace" },
  { code: exitCodes.output, meaning: "the output cannot be written" },
];
